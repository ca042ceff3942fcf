/// The buckets of all identities that are counted, in memory that is taken once, for the first of them. Where there is no slot for another,
/// the bucket that will be full soonest gives way: the one that its owner has used least.
package struct RateTable: ~Copyable {
    private struct Bucket {
        var identity: UInt64 = 0
        /// When it is full again, in monotonic nanoseconds.
        var fullAt: Int64 = .min
    }

    /// A caller, an address or a grant, as one rule counts it.
    package struct Identity: Sendable {
        let bucket: UInt64

        /// - Parameters:
        ///   - rule: what is counted, such as the hash of a grant's name.
        ///   - who: a hash that no client can predict, such as `Hasher` makes.
        package init(rule: UInt64, who: UInt64) { bucket = rule ^ who }

        init(bucket: UInt64) { self.bucket = bucket }
    }

    /// The buckets that an identity may have; they are looked through one by one.
    private static let ways = 8

    /// Empty until the first identity is counted: most services have no rates.
    private var buckets: [Bucket] = []
    private let count: Int
    private let mask: UInt64

    /// - Parameter capacity: how many identities are told apart at a time; rounded up to a power of two.
    package init(capacity: Int) {
        var sets = 1
        while sets * RateTable.ways < capacity, sets < 1 << 24 { sets *= 2 }
        count = sets * RateTable.ways
        mask = UInt64(sets - 1)
    }

    /// Bytes that the buckets take once an identity is counted.
    package var size: Int { count * MemoryLayout<Bucket>.stride }

    /// Whether there is a token for the identity; none is taken.
    /// - Parameter now: monotonic milliseconds.
    package func look(_ rate: Rate, for identity: Identity, at now: Int64) -> RateStanding {
        let now = now * 1_000_000
        let fullAt = buckets.isEmpty ? now : bucket(at: index(of: identity), of: identity, at: now).fullAt
        return RateStanding(rate, fullAt: fullAt, at: now, taking: false)
    }

    /// Takes a token for the identity, if there is one.
    /// - Parameter now: monotonic milliseconds.
    package mutating func take(_ rate: Rate, for identity: Identity, at now: Int64) -> RateStanding {
        let now = now * 1_000_000
        if buckets.isEmpty { buckets = [Bucket](repeating: Bucket(), count: count) }
        let index = index(of: identity)
        var bucket = bucket(at: index, of: identity, at: now)
        let standing = RateStanding(rate, fullAt: bucket.fullAt, at: now, taking: true)
        bucket.fullAt = now + standing.missing
        buckets[index] = bucket
        return standing
    }

    /// The identity's bucket; a full one where another's is at its index.
    private func bucket(at index: Int, of identity: Identity, at now: Int64) -> Bucket {
        buckets[index].identity == identity.bucket ? buckets[index] : Bucket(identity: identity.bucket, fullAt: now)
    }

    /// Where the identity's bucket is, or will be, instead of the one that is full soonest.
    private func index(of identity: Identity) -> Int {
        let first = Int(identity.bucket & mask) * RateTable.ways
        var fullest = first
        for index in first..<first + RateTable.ways {
            if buckets[index].identity == identity.bucket { return index }
            if buckets[index].fullAt < buckets[fullest].fullAt { fullest = index }
        }
        return fullest
    }
}
