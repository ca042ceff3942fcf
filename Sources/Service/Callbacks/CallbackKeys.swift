import Access
import Configuration
import Crypto
import Net
import Providers
import Upstream

/// Where all loops get the public keys that vendors sign callbacks by: what is remembered, and the ways to the vendors.
///
/// It is called from any loop's thread. The lock is held for moments; nobody is told anything while it is.
package final class CallbackKeys: Sendable {
    /// A loop's place.
    struct Seat: Sendable {
        /// Has work run on the loop's thread.
        let post: @Sendable (@escaping @Sendable () -> Void) -> Void
        /// Nil when the configuration is gone that the counter was made for.
        weak let counter: CallbackCounter?
    }

    /// One for the vendor's usual key, and one for all others.
    private struct Way: Hashable {
        let host: VendorEndpoint
        let isUsual: Bool
    }

    private struct State: Sendable {
        var table: CallbackKeyTable
        var seats: [Seat] = []
    }

    /// How many callbacks may wait in a loop.
    let waiting: Int

    private let lines: [Way: VendorLine]
    private let state: Guarded<State>

    /// - Parameters:
    ///   - trusts: who vouches for vendors that are asked over TLS.
    ///   - now: when vendors may be asked for the first time.
    /// - Throws: when the authorities that the system trusts cannot be had, and one of the vendors is asked over TLS.
    package init(
        _ configuration: Configuration, trusting trusts: TLSTrusts, from now: Now = Now(SystemClock.now())
    ) throws(TLSTrust.Failure) {
        let hosts = CallbackKeys.hosts(of: configuration)
        let trust = hosts.contains(where: \.isSecure) ? try trusts.trust() : nil
        let limits = configuration.callbackKeys
        waiting = limits.waiting
        state = Guarded(State(table: CallbackKeyTable(limits)))
        var lines: [Way: VendorLine] = [:]
        for host in hosts {
            for isUsual in [true, false] {
                lines[Way(host: host, isUsual: isUsual)] = VendorLine(
                    to: [host], trusting: trust, CallbackKeys.limits(limits, isUsual: isUsual), from: now)
            }
        }
        self.lines = lines
    }

    /// Those of the configuration before, if no other hosts are needed.
    static func make(
        for configuration: Configuration, trusting trusts: TLSTrusts, after earlier: CallbackKeys?, from now: Now
    ) throws(TLSTrust.Failure) -> CallbackKeys {
        if let earlier, hosts(of: configuration).isSubset(of: Set(earlier.lines.keys.map(\.host))) { return earlier }
        return try CallbackKeys(configuration, trusting: trusts, from: now)
    }

    private static func hosts(of configuration: Configuration) -> Set<VendorEndpoint> {
        Set(
            configuration.issuers.compactMap { if case .verifying(let verifier) = $0 { verifier.keyHost } else { nil } }
        )
    }

    /// As long as any question to a vendor; and whoever makes up places of keys must not have the vendor asked more often than
    /// this.
    private static func limits(_ keys: Configuration.CallbackKeys, isUsual: Bool) -> UpstreamLimits {
        var limits = FetchLines.limits(endpoints: 1)
        limits.callsPerSecond = isUsual ? keys.callsPerSecond : keys.strangeCallsPerSecond
        limits.callBurst = isUsual ? keys.callsPerSecond : 5 * keys.strangeCallsPerSecond
        limits.longestTurn = 0
        return limits
    }

    /// - Returns: the counter's place.
    func take(_ seat: Seat) -> Int {
        state.withLock { state in
            let place = state.seats.firstIndex { $0.counter == nil } ?? state.seats.count
            if place == state.seats.count { state.seats.append(seat) } else { state.seats[place] = seat }
            return place
        }
    }

    /// For metrics.
    var allLines: [VendorLine] { Array(lines.values) }

    func line(to place: PublishedKey) -> VendorLine? { lines[Way(host: place.host, isUsual: place.isUsual)] }

    package func ask(_ place: PublishedKey, for loop: Int, at now: Now) -> CallbackKeyTable.Answer {
        state.withLock { $0.table.ask(place, for: loop, at: now.monotonic) }
    }

    /// The call for a key is over; the loops that waited are told, each on its own thread and not before this returns.
    package func land(_ place: PublishedKey, with result: Result<RSAPublicKey, UpstreamFault>, at now: Now) {
        let seats = state.withLock { state in
            let loops = state.table.landed(place, with: result, at: now.monotonic)
            return loops.compactMap { state.seats.indices.contains($0) ? state.seats[$0] : nil }
        }
        for seat in seats { seat.post { seat.counter?.landed(place, with: result) } }
    }
}
