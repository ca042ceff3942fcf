/// How many calls may be begun in a second: a token bucket in whole numbers.
///
/// Its unit is the thousandth of a call, of which each millisecond brings exactly `callsPerSecond`, so nothing is rounded
/// and nothing drifts.
package struct CallBudget: Sendable {
    package enum Answer: Sendable, Equatable {
        /// Begin now.
        case now
        /// Begin at this time, which is taken for this call; monotonic milliseconds.
        case at(Int64)
        /// Too many wait already; none of the budget was used. It may be better from this time on.
        case refuse(until: Int64)
    }

    /// Thousandths of a call that a millisecond brings.
    private let rate: Int64
    private let most: Int64
    private var credit: Int64
    private var since: Int64

    private static let call: Int64 = 1000
    private static let limit: Int64 = 1_000_000

    /// - Parameter now: monotonic milliseconds; the bucket is full.
    package init(limits: UpstreamLimits = UpstreamLimits(), at now: Int64) {
        rate = Int64(limits.callsPerSecond).clamped(from: 1, through: CallBudget.limit)
        most = Int64(limits.callBurst).clamped(from: 1, through: CallBudget.limit) * CallBudget.call
        credit = most
        since = now
    }

    /// Takes one call.
    /// - Parameter patience: milliseconds that the caller can wait for its turn.
    package mutating func take(at now: Int64, patience: Int64 = 0) -> Answer {
        refill(at: now)
        if credit >= CallBudget.call {
            credit -= CallBudget.call
            return .now
        }
        let wait = (CallBudget.call - credit + rate - 1) / rate
        // Within this bound no debt can overflow.
        guard wait <= patience.clamped(from: 0, through: CallBudget.limit) else {
            return .refuse(until: since.plus(wait).minus(max(0, patience)))
        }
        credit -= CallBudget.call
        return .at(since.plus(wait))
    }

    private mutating func refill(at now: Int64) {
        let elapsed = now.minus(since)
        guard elapsed > 0 else { return }
        since = now
        credit = elapsed >= (most - credit) / rate + 1 ? most : min(most, credit + elapsed * rate)
    }
}
