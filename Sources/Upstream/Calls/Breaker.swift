/// Whether a group of endpoints is worth calling: after failures in a row it lets nothing through for a while, then exactly
/// one probe, whose success opens the way for all.
package struct Breaker: Sendable {
    /// The permission to make one attempt. Its holder owes `finished` or `abandoned`.
    package struct Pass: Sendable, Equatable {
        fileprivate let period: UInt64
        package let isProbe: Bool
    }

    package enum Answer: Sendable, Equatable {
        case pass(Pass)
        /// Not before this time; monotonic milliseconds.
        case refuse(until: Int64)
    }

    /// What it is, for metrics.
    package enum State: Sendable, Equatable { case closed, open, halfOpen }

    private enum Phase {
        case closed(failures: Int)
        case open(until: Int64)
        case probing(since: Int64)
    }

    private let threshold: Int
    private let openFor: Int64
    private let probeLease: Int64
    private let probePause: Int64
    private var phase = Phase.closed(failures: 0)
    /// Counts the changes of phase: what was begun in an earlier one says nothing about this one.
    private var period: UInt64 = 0

    package init(limits: UpstreamLimits = UpstreamLimits()) {
        threshold = max(1, limits.breakerThreshold)
        openFor = limits.breakerOpen.clamped(from: 0, through: UpstreamLimits.longestPause)
        probeLease = max(1, limits.probeLease)
        probePause = max(0, limits.probePause)
    }

    package var state: State {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .probing: .halfOpen
        }
    }

    /// - Parameter now: monotonic milliseconds.
    package mutating func ask(at now: Int64) -> Answer {
        if let until = refusal(at: now) { return .refuse(until: until) }
        if case .closed = phase { return .pass(Pass(period: period, isProbe: false)) }
        enter(.probing(since: now))
        return .pass(Pass(period: period, isProbe: true))
    }

    /// Until when `ask` would refuse; nil when it would not. Asking this changes nothing.
    package func refusal(at now: Int64) -> Int64? {
        switch phase {
        case .closed: nil
        case .open(let until): now < until ? until : nil
        case .probing(let since):
            now < since.plus(probeLease) ? min(now.plus(probePause), since.plus(probeLease)) : nil
        }
    }

    /// The attempt was answered, with a credential (no fault) or without.
    package mutating func finished(_ pass: Pass, with fault: UpstreamFault?, at now: Int64, random: UInt64) {
        guard pass.period == period else { return }
        switch fault {
        case .network, .unavailable, .throttled, .malformed:
            if case .closed(let failures) = phase, failures + 1 < threshold {
                phase = .closed(failures: failures + 1)
            } else {
                enter(
                    .open(until: now.plus(random.spread(from: openFor - openFor / 5, through: openFor + openFor / 5))))
            }
        case nil, .refused, .expired, .clockOff:
            // The vendor is there.
            if case .closed = phase { phase = .closed(failures: 0) } else { enter(.closed(failures: 0)) }
        case .breakerOpen, .overBudget: abandoned(pass, at: now)
        }
    }

    /// The attempt was not made, so that it showed nothing; if it was the probe, another may be.
    package mutating func abandoned(_ pass: Pass, at now: Int64) {
        guard pass.period == period, case .probing = phase else { return }
        enter(.open(until: now))
    }

    private mutating func enter(_ next: Phase) {
        phase = next
        period &+= 1
    }
}
