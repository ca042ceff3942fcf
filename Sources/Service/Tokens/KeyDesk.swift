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
        /// Nil when the configuration is gone that the clerk was made for.
        weak let clerk: KeyClerk?
        /// The issuer's place in that.
        let place: Int
    }

    /// A set of keys as it was fetched.
    struct Fetched: Sendable {
        let keys: JWTKeySet
        let text: [UInt8]
        /// How long they may be used, in seconds since 1970.
        let until: Int64
    }

    private struct State: Sendable {
        var refresh: Refresh
        /// The set that came last.
        var fetched: Fetched?
        var seats: [Seat] = []
    }

    let issuer: JWTIssuer
    let source: Configuration.KeySource
    let line: VendorLine
    private let state: Guarded<State>

    init(_ issuer: JWTIssuer, _ source: Configuration.KeySource, trusting trust: TLSTrust?, from now: Now) {
        self.issuer = issuer
        self.source = source
        let limits = UpstreamLimits()
        line = VendorLine(to: [source.endpoint], trusting: trust, limits, from: now)
        state = Guarded(State(refresh: Refresh(interval: source.refresh, limits: limits)))
    }

    /// Whether the next configuration may have the keys of an issuer from it.
    func isGood(for issuer: JWTIssuer, _ source: Configuration.KeySource) -> Bool {
        self.issuer.id == issuer.id && self.issuer.algorithms == issuer.algorithms && self.source == source
    }

    /// - Returns: the keys that are known already.
    func take(_ seat: Seat) -> Fetched? {
        state.withLock { state in
            state.seats.removeAll { $0.clerk == nil }
            state.seats.append(seat)
            return state.fetched
        }
    }

    /// Whether the loop that asks is to fetch the keys now.
    func begins(at now: Now) -> Bool { state.withLock { $0.refresh.begins(at: now.monotonic) } }

    /// When a loop has to look at this again, though nobody asks, in monotonic milliseconds.
    var next: Int64 { state.withLock { $0.refresh.next } }

    /// A token's key is not among those that may be used.
    func want(at now: Now) { state.withLock { $0.refresh.want(at: now.monotonic) } }

    /// A flight brought a set of keys; all loops take them.
    func land(_ keys: JWTKeySet, writtenAs text: [UInt8], at now: Now) -> Bool {
        let until = now.unixSeconds + source.keep / 1000
        let (areOther, seats) = state.withLock { state in
            let areOther = state.fetched?.text != text
            state.fetched = Fetched(keys: keys, text: text, until: until)
            state.refresh.succeeded(at: now.monotonic)
            return (areOther, state.seats)
        }
        for seat in seats {
            seat.post { seat.clerk?.take(keys, of: seat.place, areOther: areOther, until: until) }
        }
        return areOther
    }

    /// A flight brought none.
    func fail(at now: Now) {
        state.withLock { $0.refresh.failed(at: now.monotonic, random: .random(in: 0 ... .max)) }
    }
}

/// The desks of a configuration's issuers.
package struct KeyDesks: Sendable {
    /// By the place of the issuer; nil for those whose keys are configured.
    let desks: [KeyDesk?]

    /// - Parameters:
    ///   - trusts: who vouches for issuers that are asked over TLS.
    ///   - earlier: those of the configuration before; what is the same issuer's stays.
    ///   - now: when issuers may be asked for the first time.
    /// - Throws: when the authorities that the system trusts cannot be had, and one of the issuers is asked over TLS.
    package init(
        _ configuration: Configuration, trusting trusts: TLSTrusts, after earlier: KeyDesks? = nil,
        from now: Now = Now(SystemClock.now())
    ) throws(TLSTrust.Failure) {
        var desks: [KeyDesk?] = []
        for issuer in configuration.authenticator.tokenIssuers {
            guard let source = configuration.keySources[issuer.id] else {
                desks.append(nil)
                continue
            }
            if let desk = earlier?.desks.compactMap({ $0 }).first(where: { $0.isGood(for: issuer, source) }) {
                desks.append(desk)
                continue
            }
            let trust = source.endpoint.isSecure ? try trusts.trust() : nil
            desks.append(KeyDesk(issuer, source, trusting: trust, from: now))
        }
        self.desks = desks
    }

    private init() { desks = [] }

    /// For whoever knows callers otherwise than by their tokens: nothing is fetched.
    static let none = KeyDesks()
}
