/// What this replica has leased of buckets that all replicas share, one lease for each identity that is counted.
///
/// A token is taken of those at hand, and others are asked for before these run out, so that nobody waits. An identity that has
/// not been seen gets some in advance; they are charged to the bucket with the first lease. What all replicas give out is never more
/// than the bucket does, and for each replica those that it has in hand and in advance (`RateScope.half`).
package struct LeaseTable: ~Copyable {
    private struct Lease: IdentitySlot {
        let identity: UInt64
        /// Tokens that were leased and not used.
        var hand: Int32 = 0
        /// Tokens that were used and not leased.
        var debt: Int32 = 0
        /// What the bucket had left at the last answer; negative before the first.
        var left: Int32 = -1
        /// Tokens of the replica's own share that were used while no bucket could be asked.
        var owed: Int32 = 0
        /// When that share is full again, in monotonic nanoseconds, and in how many of them a token of it comes back.
        var shareFullAt: Int64 = .min
        var shareInterval: Int64 = 1
        /// When it was last used, when it was asked for (`.min` while it is not), and until when there is no token: monotonic
        /// milliseconds.
        var usedAt: Int64 = .min
        var askedAt: Int64 = .min
        var emptyUntil: Int64 = .min

        init(identity: UInt64) { self.identity = identity }

        var worth: Int64 { usedAt }

        /// Tokens that were used while no bucket could be asked, as far as the share has not got them back since: the bucket would have, too.
        func owed(at now: Int64) -> Int64 {
            let now = now * 1_000_000
            guard owed > 0, shareFullAt > now else { return 0 }
            return min((shareFullAt - now - 1) / shareInterval + 1, Int64(owed))
        }
    }

    /// What the bucket is asked.
    package struct Wanted: Sendable {
        package let identity: RateTable.Identity
        /// Tokens that were used already.
        package let charge: Int64
        /// Tokens that are wanted beside.
        package let tokens: Int64
        /// Of the charge, those that were used while no bucket could be asked.
        fileprivate var owed: Int64 = 0

        package init(identity: RateTable.Identity, charge: Int64, tokens: Int64) {
            self.identity = identity
            self.charge = charge
            self.tokens = tokens
        }
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

    /// Milliseconds after which an answer is not waited for any more, and a client may ask again whom one would have helped.
    private static let patience: Int64 = 2_000
    private static let soon: Int64 = 100

    private var leases: IdentityTable<Lease>

    /// - Parameter capacity: how many identities are told apart at a time; rounded up to a power of two.
    package init(capacity: Int) { leases = IdentityTable(capacity: capacity) }

    /// Bytes that the leases take once an identity is counted.
    package var size: Int { leases.size }

    /// Whether there is a token for the identity; none is taken.
    /// - Parameter now: monotonic milliseconds.
    package func look(_ rate: Rate, for identity: RateTable.Identity, in scope: RateScope, at now: Int64)
        -> RateStanding
    {
        let lease = leases[identity.bucket] ?? Lease(identity: identity.bucket)
        let isThere = lease.hand > 0 || LeaseTable.advance(of: lease, rate, scope, at: now) > lease.debt
        return LeaseTable.standing(of: lease, rate, isAllowed: isThere, at: now)
    }

    /// Takes a token for the identity, if there is one.
    /// - Parameters:
    ///   - now: monotonic milliseconds.
    ///   - wanted: what is to be asked for now; the answer is told by `settle`.
    package mutating func take(
        _ rate: Rate, for identity: RateTable.Identity, in scope: RateScope, at now: Int64, wanted: inout Wanted?
    ) -> RateStanding {
        leases.change(identity.bucket) { lease in
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
            return LeaseTable.standing(of: lease, rate, isAllowed: isAllowed, at: now)
        }
    }

    /// A token was given out of the replica's own share, since no bucket could be asked. It is charged with the next lease, as far as the
    /// share has not got it back until then.
    /// - Parameters:
    ///   - standing: that of the share.
    ///   - now: monotonic milliseconds.
    package mutating func owe(_ standing: RateStanding, for identity: RateTable.Identity, at now: Int64) {
        leases.change(identity.bucket) { lease in
            lease.usedAt = now
            // What is owed from before has come back.
            if lease.shareFullAt <= now * 1_000_000 { lease.owed = 0 }
            lease.shareFullAt = now * 1_000_000 + standing.missing
            lease.shareInterval = max(1, standing.rate.interval)
            if lease.hand > 0 { lease.hand -= 1 } else { lease.owed = min(lease.owed, .max - 1) + 1 }
        }
    }

    /// Asks for tokens, if it is time, though none is taken: whoever is refused by a look would never get one otherwise.
    package mutating func ask(
        _ rate: Rate, for identity: RateTable.Identity, in scope: RateScope, at now: Int64
    ) -> Wanted? {
        leases.changeIfThere(identity.bucket) { LeaseTable.wanted(&$0, rate, scope, at: now) } ?? nil
    }

    private static func wanted(_ lease: inout Lease, _ rate: Rate, _ scope: RateScope, at now: Int64) -> Wanted? {
        let half = scope.half(of: rate)
        guard Int64(lease.hand) <= half / 2, now >= lease.emptyUntil, lease.askedAt &+ LeaseTable.patience < now else {
            return nil
        }
        lease.askedAt = now
        let owed = lease.owed(at: now)
        var wanted = Wanted(
            identity: RateTable.Identity(bucket: lease.identity), charge: Int64(lease.debt) + owed,
            tokens: half - Int64(lease.hand))
        wanted.owed = owed
        return wanted
    }

    /// The bucket has answered, or has not: then, if it has counted the charge all the same, it counts twice, to nobody's advantage. Where
    /// another's lease is there now, what was leased is lost.
    package mutating func settle(_ wanted: Wanted, _ given: Given?, at now: Int64) {
        leases.changeIfThere(wanted.identity.bucket) { lease in
            lease.askedAt = .min
            guard let given else { return }
            if wanted.owed > 0 { lease.owed = 0 }
            lease.debt = Int32(clamping: max(0, Int64(lease.debt) - (wanted.charge - wanted.owed)))
            lease.hand = Int32(clamping: Int64(lease.hand) + given.tokens)
            lease.left = Int32(clamping: given.left)
            lease.emptyUntil = lease.hand > 0 ? .min : now + given.wait
        }
    }

    /// Tokens that may be used before they are leased: half a lease of a bucket that is not known or has them, else the one that it has said
    /// that there would be by now.
    private static func advance(of lease: Lease, _ rate: Rate, _ scope: RateScope, at now: Int64) -> Int32 {
        if now < lease.emptyUntil { return 0 }
        let half = scope.half(of: rate)
        return Int32(clamping: lease.left < 0 ? half : min(half, max(1, Int64(lease.left))))
    }

    private static func standing(of lease: Lease, _ rate: Rate, isAllowed: Bool, at now: Int64) -> RateStanding {
        let left = lease.left < 0 ? rate.count : Int64(lease.left)
        return RateStanding(
            rate, remaining: isAllowed ? left + Int64(lease.hand) - Int64(lease.debt) : 0,
            wait: isAllowed ? nil : max(lease.emptyUntil, now + LeaseTable.soon) - now)
    }
}
