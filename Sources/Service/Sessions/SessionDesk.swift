import Access
import Net
import Providers
import Upstream

/// Where all loops get the temporary credentials of one account, and what they have to agree about: what is remembered, who
/// waits for it, which calls may be made, and how far the vendor's clock is from ours.
///
/// It is called from any loop's thread. The lock is held for moments; nobody is told anything while it is.
package final class SessionDesk: Sendable {
    typealias Outcome = SlotOutcome<STSCredential>

    /// Whom a call goes to. One that fails says nothing about the other.
    enum Counterpart: Sendable { case sts, metadata }

    /// A loop's place at the desk.
    struct Seat: Sendable {
        /// Has work run on the loop's thread.
        let post: @Sendable (@escaping @Sendable () -> Void) -> Void
        /// Nil when the configuration is gone that the clerk was made for.
        weak let clerk: SessionClerk?
    }

    /// All that a desk is made of: one with the same may serve the next configuration, too.
    struct Basis: Equatable, Sendable {
        /// The credential's name in the configuration.
        let name: String
        let account: STSAccount
        let endpoints: [VendorEndpoint]
        /// Whom the account trusts: what stood in the file of that; nil for whom the system trusts.
        var trusted: WatchedFiles.Content?
        let limits: UpstreamLimits
        /// How many calls may begin for one caller.
        let callsPerCaller: Rate
    }

    private struct State: ~Copyable, Sendable {
        var table: SlotTable<STSCredential>
        var skew: ClockSkew
        /// What callers have left of their shares of the calls.
        var shares: RateTable
        var seats: [Seat] = []
    }

    let basis: Basis
    private let sts, metadata: VendorLine
    private let state: Guarded<State>

    /// Bits of a waiter's number that are its loop's own; those above are the loop's place at the desk.
    static let waiterBits: UInt64 = 48

    init(_ basis: Basis, trusting trust: TLSTrust?, from now: Now) {
        self.basis = basis
        let limits = basis.limits
        sts = VendorLine(to: basis.endpoints, trusting: trust, limits, from: now)
        metadata = VendorLine(to: [], trusting: nil, limits, from: now)
        // Beyond the capacity the caller that has used least gives way.
        let shares = RateTable(capacity: min(limits.slots, 1 << 14))
        state = Guarded(State(table: SlotTable(limits: limits), skew: ClockSkew(limits: limits), shares: shares))
    }

    package var account: STSAccount { basis.account }
    var name: String { basis.name }
    var limits: UpstreamLimits { basis.limits }

    /// - Returns: where the numbers of the clerk's waiters begin.
    func take(_ seat: Seat) -> UInt64 {
        state.withLock { state in
            let place = state.seats.firstIndex { $0.clerk == nil } ?? state.seats.count
            if place == state.seats.count { state.seats.append(seat) } else { state.seats[place] = seat }
            return UInt64(place) << SessionDesk.waiterBits
        }
    }

    // MARK: Credentials

    /// What a request gets. While the clocks disagree nobody gets anything (R17).
    package struct Reply {
        package let answer: SlotAnswer<STSCredential>
        /// Whether the vendor's clock is to be looked at again.
        var looksAtClock = false
    }

    /// - Parameter asker: nil for the service itself, which has no share.
    package func ask(_ key: SlotKey, as waiter: UInt64, for asker: SessionAsker? = nil, at now: Now) -> Reply {
        state.withLock { state in
            guard case .fine = state.skew.judge(at: now) else {
                return Reply(answer: .refuse(.clockOff), looksAtClock: state.skew.takesRecheck(at: now))
            }
            let standing = asker.flatMap { $0.share }.map {
                state.shares.look(basis.callsPerCaller, for: $0, at: now.monotonic)
            }
            let refusal = standing.flatMap { $0.isAllowed ? nil : SlotRefusal(.share, wait: $0.wait) }
            let answer = state.table.ask(key, for: waiter, of: asker?.mark, insteadOfFlight: refusal, at: now)
            if case .start = answer, let share = asker?.share {
                _ = state.shares.take(basis.callsPerCaller, for: share, at: now.monotonic)
            }
            return Reply(answer: answer)
        }
    }

    /// Asks for the key that the service itself signs its calls with; the clocks are looked at by what is signed with it.
    func askForOwnKey(_ key: SlotKey, as waiter: UInt64, at now: Now) -> SlotAnswer<STSCredential> {
        state.withLock { $0.table.ask(key, for: waiter, at: now) }
    }

    /// The waiter's time is over.
    /// - Returns: what it gets; nil when it does not wait any more.
    func expire(_ waiter: UInt64, at now: Now) -> Outcome? { state.withLock { $0.table.expire(waiter, at: now) } }

    func cancel(_ waiter: UInt64) { state.withLock { _ = $0.table.cancel(waiter) } }

    /// A credential that is remembered is of no use any more.
    func forget(_ key: SlotKey) { state.withLock { $0.table.forget(key) } }

    /// Lets go of some of what is of no use any more.
    func sweep(at now: Now) { state.withLock { $0.table.sweep(at: now, atMost: 64) } }

    /// Whether the vendor's clock and ours disagree, so that nothing is issued (R17).
    func isClockOff(at now: Now) -> Bool { state.withLock { $0.skew.judge(at: now) != .fine } }

    /// What is remembered, for metrics.
    func survey(at now: Now) -> SlotSurvey { state.withLock { $0.table.survey(at: now) } }

    // MARK: Calls

    func line(to counterpart: Counterpart) -> VendorLine {
        switch counterpart {
        case .sts: sts
        case .metadata: metadata
        }
    }

    /// - Parameter date: what the vendor's clock said, in seconds since 1970.
    func observe(vendorDate date: Int64, at now: Now) {
        state.withLock { $0.skew.observe(vendorDate: date, at: now) }
    }

    /// A flight brought a credential.
    /// - Parameters:
    ///   - issuedAt: seconds since 1970 by the vendor's clock.
    ///   - longest: the seconds that were asked for; nil when none were.
    package func land(
        _ flight: SlotFlight, with credential: STSCredential, issuedAt: Int64, longest: Int64?, at now: Now
    ) {
        settle {
            $0.table.succeeded(
                flight, with: credential, expiresAt: credential.expiresAt, issuedAt: issuedAt, longest: longest,
                at: now,
                random: .random(in: 0 ... .max))
        }
    }

    /// A flight brought none.
    func land(_ flight: SlotFlight, with fault: UpstreamFault, at now: Now) {
        settle { $0.table.failed(flight, with: fault, at: now, random: .random(in: 0 ... .max)) }
    }

    private func settle(_ report: (inout State) -> SlotTable<STSCredential>.Settlement?) {
        let (settlement, seats) = state.withLock { (report(&$0), $0.seats) }
        guard let settlement, !settlement.waiters.isEmpty else { return }
        let outcome = settlement.outcome
        for (place, seat) in seats.enumerated() {
            let waiters = settlement.waiters.filter { $0 >> SessionDesk.waiterBits == UInt64(place) }
            if !waiters.isEmpty { seat.post { seat.clerk?.deliver(outcome, to: waiters) } }
        }
    }
}
