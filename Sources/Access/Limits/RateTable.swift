/// The buckets of everybody who is counted, in memory that is taken once, for the first of them: a bucket that is full again is as good as none, so its
/// place is free. Those who find no place share a bucket with all others of their rule who found none.
package struct RateTable: ~Copyable {
    private struct Bucket {
        var identity: UInt64 = 0
        /// When it is full again, in monotonic nanoseconds.
        var fullAt: Int64 = .min
    }

    /// Somebody under one rule.
    package struct Identity: Sendable {
        fileprivate let rule: UInt64
        fileprivate let bucket: UInt64

        /// - Parameters:
        ///   - rule: what is counted, such as the hash of a grant's name.
        ///   - who: a hash that nobody outside can aim at, such as `Hasher` makes.
        package init(rule: UInt64, who: UInt64) {
            self.rule = rule
            bucket = rule ^ who
        }
    }

    /// Buckets that somebody may be in: looked through one by one.
    private static let ways = 8
    private static let sharedCount = 64

    /// Empty until somebody is counted: most services count nobody.
    private var buckets: [Bucket] = []
    private var shared = [Bucket](repeating: Bucket(), count: RateTable.sharedCount)
    private let count: Int
    private let mask: UInt64

    /// - Parameter capacity: how many identities are told apart at a time; rounded up to a power of two.
    package init(capacity: Int) {
        var sets = 1
        while sets * RateTable.ways < capacity, sets < 1 << 24 { sets *= 2 }
        count = sets * RateTable.ways
        mask = UInt64(sets - 1)
    }

    /// Bytes that the buckets take when somebody is counted.
    package var size: Int { (count + shared.count) * MemoryLayout<Bucket>.stride }

    /// What somebody would get, without taking it.
    /// - Parameter now: monotonic milliseconds.
    package func look(_ rate: Rate, for identity: Identity, at now: Int64) -> RateStanding {
        let now = now * 1_000_000
        if buckets.isEmpty { return RateStanding(rate, fullAt: now, at: now, taking: false) }
        let fullAt =
            switch place(of: identity, at: now) {
            case .own(let index): buckets[index].fullAt
            case .free: now
            case .shared(let index): shared[index].fullAt
            }
        return RateStanding(rate, fullAt: fullAt, at: now, taking: false)
    }

    /// Takes a token for somebody, if there is one.
    /// - Parameter now: monotonic milliseconds.
    package mutating func take(_ rate: Rate, for identity: Identity, at now: Int64) -> RateStanding {
        let now = now * 1_000_000
        if buckets.isEmpty { buckets = [Bucket](repeating: Bucket(), count: count) }
        switch place(of: identity, at: now) {
        case .own(let index), .free(let index):
            if buckets[index].identity != identity.bucket {
                buckets[index] = Bucket(identity: identity.bucket, fullAt: now)
            }
            return RateTable.take(rate, from: &buckets[index], at: now)
        case .shared(let index): return RateTable.take(rate, from: &shared[index], at: now)
        }
    }

    private static func take(_ rate: Rate, from bucket: inout Bucket, at now: Int64) -> RateStanding {
        let standing = RateStanding(rate, fullAt: bucket.fullAt, at: now, taking: true)
        bucket.fullAt = now + standing.missing
        return standing
    }

    private enum Place {
        case own(Int), free(Int), shared(Int)
    }

    private func place(of identity: Identity, at now: Int64) -> Place {
        let first = Int(identity.bucket & mask) * RateTable.ways
        var free: Int?
        for index in first..<first + RateTable.ways {
            if buckets[index].identity == identity.bucket { return .own(index) }
            if free == nil, buckets[index].fullAt <= now { free = index }
        }
        if let free { return .free(free) }
        return .shared(Int(identity.rule % UInt64(RateTable.sharedCount)))
    }
}
