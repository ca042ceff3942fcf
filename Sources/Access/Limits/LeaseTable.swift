/// What this replica has leased of buckets that all replicas share, one lease for each identity that is counted.
///
/// A token is taken of those at hand, and others are asked for before these run out, so that nobody waits. An identity that has
/// not been seen gets some in advance; they are charged to the bucket with the first lease. What all replicas give out is never more
/// than the bucket does, and for each replica those that it has in hand and in advance (`RateScope.half`).
package struct LeaseTable: ~Copyable {
    private struct Lease {
        var identity: UInt64 = 0
        /// Tokens that were leased and not used.
        var hand: Int32 = 0
        /// Tokens that were used and not leased.
        var debt: Int32 = 0
        /// What the bucket had left at the last answer; negative before the first.
        var left: Int32 = -1
        /// Whether it is being asked for.
        var isAsked = false
        /// When it was last used and last asked for, and until when there is no token: monotonic milliseconds.
        var usedAt: Int64 = .min
        var askedAt: Int64 = .min
        var emptyUntil: Int64 = .min
    }

    /// What the bucket is asked.
    package struct Wanted: Sendable {
        package let identity: RateTable.Identity
        /// Tokens that were used already.
        package let charge: Int64
        /// Tokens that are wanted beside.
        package let tokens: Int64
    }

    /// What the bucket answers.
    package struct Given: Sendable, Equatable {
        /// Tokens that are leased.
        package let tokens: Int64
        /// Tokens that the bucket has left.
        package let left: Int64
        /// Milliseconds until it has one.
        package let wait: Int64

        /// Numbers that no bucket has are taken for the nearest that one may have.
        package init(tokens: Int64, left: Int64, wait: Int64) {
            self.tokens = min(max(0, tokens), Rate.counts.upperBound)
            self.left = min(max(0, left), Rate.counts.upperBound)
            self.wait = min(max(0, wait), Rate.periods.upperBound)
        }
    }

    /// The leases that an identity may have; they are looked through one by one.
    private static let ways = 8
    /// Milliseconds after which an answer is not waited for any more, and a client may ask again whom one would have helped.
    private static let patience: Int64 = 2_000
    private static let soon: Int64 = 100

    private var leases: [Lease] = []
    private let count: Int
    private let mask: UInt64

    /// - Parameter capacity: how many identities are told apart at a time; rounded up to a power of two.
    package init(capacity: Int) {
        var sets = 1
        while sets * LeaseTable.ways < capacity, sets < 1 << 24 { sets *= 2 }
        count = sets * LeaseTable.ways
        mask = UInt64(sets - 1)
    }

    /// Whether there is a token for the identity; none is taken.
    /// - Parameter now: monotonic milliseconds.
    package func look(_ rate: Rate, for identity: RateTable.Identity, in scope: RateScope, at now: Int64)
        -> RateStanding
    {
        var lease = leases.isEmpty ? Lease() : leases[index(of: identity)]
        if lease.identity != identity.bucket { lease = Lease() }
        let isThere = lease.hand > 0 || LeaseTable.advance(of: lease, rate, scope, at: now) > lease.debt
        return standing(of: lease, rate, isAllowed: isThere, at: now)
    }

    /// Takes a token for the identity, if there is one.
    /// - Parameters:
    ///   - now: monotonic milliseconds.
    ///   - wanted: what is to be asked for now; the answer is told by `settle`.
    package mutating func take(
        _ rate: Rate, for identity: RateTable.Identity, in scope: RateScope, at now: Int64, wanted: inout Wanted?
    ) -> RateStanding {
        if leases.isEmpty { leases = [Lease](repeating: Lease(), count: count) }
        let index = index(of: identity)
        var lease = leases[index]
        if lease.identity != identity.bucket { lease = Lease(identity: identity.bucket) }
        var isAllowed = true
        if lease.hand > 0 {
            lease.hand -= 1
        } else if LeaseTable.advance(of: lease, rate, scope, at: now) > lease.debt {
            lease.debt += 1
        } else {
            isAllowed = false
        }
        wanted = LeaseTable.wanted(&lease, rate, scope, at: now)
        lease.usedAt = now
        leases[index] = lease
        return standing(of: lease, rate, isAllowed: isAllowed, at: now)
    }

    /// Asks for tokens, if it is time, though none is taken: whoever is refused by a look would never get one otherwise.
    package mutating func ask(
        _ rate: Rate, for identity: RateTable.Identity, in scope: RateScope, at now: Int64
    ) -> Wanted? {
        guard !leases.isEmpty else { return nil }
        let index = index(of: identity)
        guard leases[index].identity == identity.bucket else { return nil }
        return LeaseTable.wanted(&leases[index], rate, scope, at: now)
    }

    private static func wanted(_ lease: inout Lease, _ rate: Rate, _ scope: RateScope, at now: Int64) -> Wanted? {
        let half = scope.half(of: rate)
        let isOverdue = lease.isAsked && lease.askedAt &+ LeaseTable.patience < now
        guard Int64(lease.hand) <= half / 2, now >= lease.emptyUntil, !lease.isAsked || isOverdue else { return nil }
        lease.isAsked = true
        lease.askedAt = now
        return Wanted(
            identity: RateTable.Identity(bucket: lease.identity), charge: Int64(lease.debt),
            tokens: half - Int64(lease.hand))
    }

    /// The bucket has answered, or has not: then, if it has counted the charge all the same, it counts twice, to nobody's advantage.
    package mutating func settle(_ wanted: Wanted, _ given: Given?, at now: Int64) {
        change(wanted.identity) { lease in
            lease.isAsked = false
            guard let given else { return }
            lease.debt = Int32(clamping: max(0, Int64(lease.debt) - wanted.charge))
            lease.hand = Int32(clamping: Int64(lease.hand) + given.tokens)
            lease.left = Int32(clamping: given.left)
            lease.emptyUntil = lease.hand > 0 ? .min : now + given.wait
        }
    }

    private mutating func change(_ identity: RateTable.Identity, _ body: (inout Lease) -> Void) {
        guard !leases.isEmpty else { return }
        let index = index(of: identity)
        // Where another's is there now, what was leased is lost.
        guard leases[index].identity == identity.bucket else { return }
        body(&leases[index])
    }

    /// Tokens that may be used before they are leased: half a lease of a bucket that is not known or has them, else the one that it has said
    /// that there would be by now.
    private static func advance(of lease: Lease, _ rate: Rate, _ scope: RateScope, at now: Int64) -> Int32 {
        if now < lease.emptyUntil { return 0 }
        let half = scope.half(of: rate)
        return Int32(clamping: lease.left < 0 ? half : min(half, max(1, Int64(lease.left))))
    }

    private func standing(of lease: Lease, _ rate: Rate, isAllowed: Bool, at now: Int64) -> RateStanding {
        let left = lease.left < 0 ? rate.count : Int64(lease.left)
        return RateStanding(
            rate, remaining: isAllowed ? left + Int64(lease.hand) - Int64(lease.debt) : 0,
            wait: isAllowed ? nil : max(lease.emptyUntil, now + LeaseTable.soon) - now)
    }

    /// Where the identity's lease is, or will be, instead of the one that was used least recently.
    private func index(of identity: RateTable.Identity) -> Int {
        let first = Int(identity.bucket & mask) * LeaseTable.ways
        var oldest = first
        for index in first..<first + LeaseTable.ways {
            if leases[index].identity == identity.bucket { return index }
            if leases[index].usedAt < leases[oldest].usedAt { oldest = index }
        }
        return oldest
    }
}
