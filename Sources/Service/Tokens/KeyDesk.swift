import Access
import Configuration
import Net
import Providers
import Upstream

/// Where all loops get the keys of one issuer whose keys are fetched, and agree about who fetches them.
///
/// It is called from any loop's thread. The lock is held for moments; nobody is told anything while it is.
final class KeyDesk: Sendable {
    /// A loop's place at the desk.
    struct Seat: Sendable {
        /// Has work run on the loop's thread.
        let post: @Sendable (@escaping @Sendable () -> Void) -> Void
        let clerk: KeyClerk
    }

    private struct State {
        var refresh: Refresh
        /// The set as it came last.
        var text: [UInt8] = []
        var seats: [Seat] = []
    }

    let issuer: JWTIssuer
    /// The issuer's place.
    let place: Int
    let source: Configuration.KeySource
    let line: VendorLine
    private let lock = Lock()
    // Guarded by the lock.
    private nonisolated(unsafe) var state: State

    init(
        _ issuer: JWTIssuer, at place: Int, _ source: Configuration.KeySource, trusting trust: TLSTrust?, from now: Now
    ) {
        self.issuer = issuer
        self.place = place
        self.source = source
        let limits = UpstreamLimits()
        line = VendorLine(to: [source.endpoint], trusting: trust, limits, from: now)
        state = State(refresh: Refresh(interval: source.refresh, limits: limits))
    }

    func take(_ seat: Seat) { lock.withLock { state.seats.append(seat) } }

    /// No loop asks any more; a desk and its clerks hold each other until then.
    func close() { lock.withLock { state.seats = [] } }

    /// Whether the loop that asks is to fetch the keys now.
    func begins(at now: Now) -> Bool { lock.withLock { state.refresh.begins(at: now.monotonic) } }

    /// A token's key is not among those that are known.
    /// - Returns: whether it may come soon.
    func isWanted(at now: Now) -> Bool { lock.withLock { state.refresh.isWanted(at: now.monotonic) } }

    /// A flight brought a set of keys; all loops take them.
    func land(_ keys: JWTKeySet, writtenAs text: [UInt8], at now: Now) -> Bool {
        let (areOther, seats) = lock.withLock {
            let areOther = state.text != text
            state.text = text
            state.refresh.succeeded(at: now.monotonic)
            return (areOther, state.seats)
        }
        let (place, until) = (place, now.unixSeconds + source.keep / 1000)
        for seat in seats {
            seat.post { seat.clerk.take(keys, of: place, areOther: areOther, until: until) }
        }
        return areOther
    }

    /// A flight brought none.
    func fail(at now: Now) {
        lock.withLock { state.refresh.failed(at: now.monotonic, random: .random(in: 0 ... .max)) }
    }
}

/// The desks of a configuration's issuers.
package struct KeyDesks: Sendable {
    /// By the place of the issuer; nil for those whose keys are configured.
    let desks: [KeyDesk?]

    /// - Throws: when the authorities that the system trusts cannot be had, and one of the issuers is asked over TLS.
    package init(_ configuration: Configuration) throws(TLSTrust.Failure) {
        let now = Now(SystemClock.now())
        var trust: TLSTrust?
        var desks: [KeyDesk?] = []
        for (place, issuer) in configuration.authenticator.tokenIssuers.enumerated() {
            guard let source = configuration.keySources[issuer.id] else {
                desks.append(nil)
                continue
            }
            if source.endpoint.isSecure, trust == nil { trust = try TLSTrust(.system) }
            desks.append(
                KeyDesk(issuer, at: place, source, trusting: source.endpoint.isSecure ? trust : nil, from: now))
        }
        self.desks = desks
    }

    /// Nobody asks any more.
    func close() { for desk in desks { desk?.close() } }
}
