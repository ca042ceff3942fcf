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
        let counter: CallbackCounter
    }

    /// One for the vendor's usual key, and one for all others.
    private struct Way: Hashable {
        let host: VendorEndpoint
        let isUsual: Bool
    }

    private struct State {
        var table = CallbackKeyTable()
        var seats: [Seat] = []
    }

    private let lines: [Way: VendorLine]
    private let lock = Lock()
    // Guarded by the lock.
    private nonisolated(unsafe) var state = State()

    /// - Throws: when the authorities that the system trusts cannot be had, and one of the vendors is asked over TLS.
    package init(_ configuration: Configuration) throws(TLSTrust.Failure) {
        let hosts = Set(configuration.grants.compactMap { ($0.issuer as? any CallbackVerifier)?.keyHost })
        let trust = hosts.contains(where: \.isSecure) ? try TLSTrust(.system) : nil
        let now = Now(SystemClock.now())
        var lines: [Way: VendorLine] = [:]
        for host in hosts {
            for isUsual in [true, false] {
                lines[Way(host: host, isUsual: isUsual)] = VendorLine(
                    to: [host], trusting: trust, CallbackKeys.limits(isUsual: isUsual), from: now)
            }
        }
        self.lines = lines
    }

    /// As long as any question to a vendor; and whoever makes up places of keys must not have the vendor asked more often than
    /// this.
    static func limits(isUsual: Bool) -> UpstreamLimits {
        var limits = FetchLines.limits(endpoints: 1)
        limits.callsPerSecond = isUsual ? 10 : 1
        limits.callBurst = isUsual ? 10 : 5
        limits.longestTurn = 0
        return limits
    }

    /// - Returns: the loop's place.
    func take(_ seat: Seat) -> Int {
        lock.withLock {
            state.seats.append(seat)
            return state.seats.count - 1
        }
    }

    /// No loop asks any more; this and the loops' counters hold each other until then.
    package func close() { lock.withLock { state.seats = [] } }

    func line(to place: PublishedKey) -> VendorLine? { lines[Way(host: place.host, isUsual: place.isUsual)] }

    package func ask(_ place: PublishedKey, for loop: Int, at now: Now) -> CallbackKeyTable.Answer {
        lock.withLock { state.table.ask(place, for: loop, at: now.monotonic) }
    }

    /// The call for a key is over; the loops that waited are told, each on its own thread and not before this returns.
    package func land(_ place: PublishedKey, with result: Result<RSAPublicKey, UpstreamFault>, at now: Now) {
        let seats = lock.withLock {
            let loops = state.table.landed(place, with: result, at: now.monotonic)
            return loops.compactMap { state.seats.indices.contains($0) ? state.seats[$0] : nil }
        }
        for seat in seats { seat.post { seat.counter.landed(place, with: result) } }
    }
}
