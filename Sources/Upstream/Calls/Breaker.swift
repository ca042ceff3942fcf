/// Whether a group of endpoints is worth calling: after failures in a row it lets nothing through for a while, then exactly
/// one probe, whose success opens the way for all.
///
/// A caller's request may fail because of what it contains. So the failures of callers open the breaker only if several callers
/// had one since the last success. A failure of a call that the service makes for itself needs no other.
package struct Breaker: Sendable {
    /// The permission to make one attempt. Its holder owes `finished` or `abandoned`.
    package struct Pass: Sendable, Equatable {
        fileprivate let period: UInt64
        package let isProbe: Bool
        fileprivate let caller: UInt64?
    }

    package enum Answer: Sendable, Equatable {
        case pass(Pass)
        /// Not before this time; monotonic milliseconds.
        case refuse(until: Int64)
    }

    /// What it is, for metrics.
    package enum State: Sendable, Equatable { case closed, open, halfOpen }

    private enum Phase {
        case closed(Failures)
        /// - Parameter probe: the caller whose probe failed; nil for none.
        case open(until: Int64, probe: UInt64?)
        case probing(since: Int64)
    }

    /// Failures since the last success.
    private struct Failures {
        var count = 0
        /// Different callers that had one, up to as many as open the breaker.
        var callers: [UInt64] = []
        var isOfService = false
    }

    private let threshold: Int
    private let callers: Int
    private let openFor: Int64
    private let probeLease: Int64
    private let probePause: Int64
    private var phase = Phase.closed(Failures())
    /// Counts the changes of phase: what was begun in an earlier one says nothing about this one.
    private var period: UInt64 = 0

    package init(limits: UpstreamLimits = UpstreamLimits()) {
        threshold = max(1, limits.breakerThreshold)
        callers = max(1, limits.breakerCallers)
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

    /// - Parameters:
    ///   - now: monotonic milliseconds.
    ///   - source: where the call comes from.
    package mutating func ask(at now: Int64, for source: CallSource = .service) -> Answer {
        if let until = refusal(at: now, for: source) { return .refuse(until: until) }
        if case .closed = phase { return .pass(Pass(period: period, isProbe: false, caller: source.caller)) }
        enter(.probing(since: now))
        return .pass(Pass(period: period, isProbe: true, caller: source.caller))
    }

    /// Until when `ask` would refuse; nil when it would not. Asking this changes nothing.
    package func refusal(at now: Int64, for source: CallSource = .service) -> Int64? {
        switch phase {
        case .closed: return nil
        case .open(let until, let probe):
            // A caller whose probe failed lets others try first.
            let isOwn = probe != nil && probe == source.caller
            let until = isOwn ? until.plus(openFor) : until
            if now < until { return until }
        case .probing(let since):
            if now < since.plus(probeLease) { return min(now.plus(probePause), since.plus(probeLease)) }
        }
        return source.mayProbe ? nil : now.plus(probePause)
    }

    /// The attempt was answered, with a credential (no fault) or without.
    package mutating func finished(_ pass: Pass, with fault: UpstreamFault?, at now: Int64, random: UInt64) {
        guard pass.period == period else { return }
        switch fault {
        case .network, .unavailable, .throttled: failed(pass, at: now, random: random)
        // What a caller chose, such as a key that the vendor spells differently, may be why an answer cannot be read.
        case .malformed where pass.caller == nil: failed(pass, at: now, random: random)
        case nil, .refused, .expired, .clockOff, .malformed:
            // The vendor is there.
            if case .closed = phase { phase = .closed(Failures()) } else { enter(.closed(Failures())) }
        case .breakerOpen, .overBudget: abandoned(pass, at: now)
        }
    }

    private mutating func failed(_ pass: Pass, at now: Int64, random: UInt64) {
        if case .closed(var failures) = phase {
            failures.count = min(threshold, failures.count + 1)
            if let caller = pass.caller {
                if failures.callers.count < callers, !failures.callers.contains(caller) {
                    failures.callers.append(caller)
                }
            } else {
                failures.isOfService = true
            }
            guard failures.count == threshold, failures.isOfService || failures.callers.count == callers else {
                phase = .closed(failures)
                return
            }
        }
        let pause = random.spread(from: openFor - openFor / 5, through: openFor + openFor / 5)
        enter(.open(until: now.plus(pause), probe: pass.isProbe ? pass.caller : nil))
    }

    /// The attempt was not made, so that it showed nothing; if it was the probe, another may be.
    package mutating func abandoned(_ pass: Pass, at now: Int64) {
        guard pass.period == period, case .probing = phase else { return }
        enter(.open(until: now, probe: nil))
    }

    private mutating func enter(_ next: Phase) {
        phase = next
        period &+= 1
    }
}

/// Where a call comes from, for the breaker.
package struct CallSource: Sendable {
    /// A hash of the caller that no client can predict. Nil for a call of the service's own, which no caller's input changes.
    package let caller: UInt64?
    /// Whether the call may be the probe. One that may take long would keep others waiting.
    package var mayProbe = true

    package static let service = CallSource(caller: nil)

    /// One source for all who cannot be told apart for sure.
    package static let strangers = CallSource(caller: 0)

    package static func caller(_ hash: UInt64) -> CallSource { CallSource(caller: hash) }

    private init(caller: UInt64?) { self.caller = caller }
}
