/// The buckets of all identities that are counted. Where there is no slot for another, the bucket that will be full soonest gives way: the
/// one that its owner has used least.
package struct RateTable: ~Copyable {
    private struct Bucket: IdentitySlot {
        let identity: UInt64
        /// When it is full again, in monotonic nanoseconds.
        var fullAt: Int64 = .min

        init(identity: UInt64) { self.identity = identity }

        var worth: Int64 { fullAt }
    }

    /// A caller, an address or a grant, as one rule counts it.
    package struct Identity: Sendable {
        let bucket: UInt64

        /// - Parameters:
        ///   - rule: what is counted, such as the hash of a grant's name.
        ///   - who: a hash that no client can predict.
        package init(rule: UInt64, who: UInt64) { bucket = rule ^ who }

        init(bucket: UInt64) { self.bucket = bucket }

        /// A hash of what is counted, or of who asks, by a key that no client knows.
        @inlinable
        package static func hash(_ value: some Hashable) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(value)
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
    }

    private var buckets: IdentityTable<Bucket>

    /// - Parameter capacity: how many identities are told apart at a time; rounded up to a power of two.
    package init(capacity: Int) { buckets = IdentityTable(capacity: capacity) }

    /// Bytes that the buckets take once an identity is counted.
    package var size: Int { buckets.size }

    /// Whether there is a token for the identity; none is taken.
    /// - Parameter now: monotonic milliseconds.
    package func look(_ rate: Rate, for identity: Identity, at now: Int64) -> RateStanding {
        let now = now * 1_000_000
        return RateStanding(rate, fullAt: buckets[identity.bucket]?.fullAt ?? now, at: now, taking: false)
    }

    /// Takes a token for the identity, if there is one.
    /// - Parameter now: monotonic milliseconds.
    package mutating func take(_ rate: Rate, for identity: Identity, at now: Int64) -> RateStanding {
        let now = now * 1_000_000
        return buckets.change(identity.bucket) { bucket in
            let standing = RateStanding(rate, fullAt: bucket.fullAt, at: now, taking: true)
            bucket.fullAt = now + standing.missing
            return standing
        }
    }
}
