package import Access

/// The bucket that replicas lease from, as the script in Redis keeps it (`RateBucket`), by a clock of the test's.
package struct LeasedBucket: Sendable {
    /// When it is full again, in nanoseconds.
    package private(set) var fullAt: Int64 = .min

    package init() {}

    /// - Parameter now: milliseconds.
    package mutating func answer(_ rate: Rate, _ wanted: LeaseTable.Wanted, at now: Int64) -> LeaseTable.Given {
        let now = now * 1_000_000
        let full = min(max(fullAt, now), now + 2 * rate.period) + wanted.charge * rate.interval
        let missing = rate.period - (full - now)
        let free = missing.quotientAndRemainder(dividingBy: rate.interval).quotient
        let given = max(0, min(wanted.tokens, free))
        fullAt = full + given * rate.interval
        let left = max(0, free - given)
        let wait = left > 0 ? 0 : max(0, (fullAt - now - rate.period + rate.interval + 999_999) / 1_000_000)
        return LeaseTable.Given(tokens: given, left: left, wait: wait)
    }

    /// Whether Redis would have forgotten it.
    package func isFull(at now: Int64) -> Bool { fullAt <= now * 1_000_000 }
}
