/// How often something may happen: a bucket of `count` tokens, which fills evenly in the time that belongs to it, such as
/// 60 a minute. All of them may be taken at once.
package struct Rate: Sendable, Hashable {
    /// Tokens in a full bucket.
    package let count: Int64
    /// Nanoseconds in which one token comes.
    package let interval: Int64

    package static let counts: ClosedRange<Int64> = 1...1_000_000
    /// Milliseconds: an hour would be `3_600_000`.
    package static let periods: ClosedRange<Int64> = 1...86_400_000

    /// - Parameter period: milliseconds in which an empty bucket fills.
    /// - Returns: nil beyond `counts` or `periods`.
    package init?(_ count: Int64, in period: Int64) {
        guard Rate.counts.contains(count), Rate.periods.contains(period) else { return nil }
        self.count = count
        // Rounded up, so that there are never more in a period.
        interval = (period * 1_000_000 + count - 1) / count
    }

    private init(count: Int64, interval: Int64) {
        self.count = count
        self.interval = interval
    }

    /// Nanoseconds in which an empty bucket fills.
    package var period: Int64 { interval * count }

    /// What one of several replicas may give out by itself, so that all together give out this rate.
    package func share(among replicas: Int64) -> Rate {
        replicas <= 1 ? self : Rate(count: max(1, count / replicas), interval: interval * replicas)
    }

    /// How many tokens come in a time, in milliseconds.
    func tokens(in time: Int64) -> Int64 { time * 1_000_000 / interval }
}

/// What a bucket holds for a caller that wants a token.
package struct RateStanding: Sendable, Equatable {
    package let rate: Rate
    /// Whether there is a token.
    package let isAllowed: Bool
    /// Whole tokens that are left, after the one that is taken.
    package let remaining: Int64
    /// Nanoseconds until the bucket is full again.
    let missing: Int64
    /// Milliseconds until there is a token; 0 when there is one.
    package let wait: Int64

    /// - Parameters:
    ///   - fullAt: when the bucket is full again, in monotonic nanoseconds.
    ///   - taking: whether a token is taken, if there is one.
    init(_ rate: Rate, fullAt: Int64, at now: Int64, taking: Bool) {
        // A rate that has become lower keeps nobody waiting for longer than its bucket takes to fill.
        let before = min(max(fullAt, now) - now, rate.period)
        let late = before - (rate.period - rate.interval)
        self.rate = rate
        isAllowed = late <= 0
        missing = isAllowed && taking ? before + rate.interval : before
        remaining = (rate.period - missing) / rate.interval
        wait = isAllowed ? 0 : RateStanding.milliseconds(late)
    }

    /// Of a bucket that is elsewhere.
    /// - Parameters:
    ///   - remaining: whole tokens, as far as is known.
    ///   - wait: milliseconds until there is a token; nil where one is taken.
    init(_ rate: Rate, remaining: Int64, wait: Int64?) {
        self.rate = rate
        isAllowed = wait == nil
        self.remaining = min(max(0, remaining), rate.count)
        missing = (rate.count - self.remaining) * rate.interval
        self.wait = wait ?? 0
    }

    /// Milliseconds until the bucket is full again.
    package var reset: Int64 { RateStanding.milliseconds(missing) }

    private static func milliseconds(_ nanoseconds: Int64) -> Int64 { (nanoseconds + 999_999) / 1_000_000 }
}
