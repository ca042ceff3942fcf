package import Access

/// Several replicas with their tables of leases, and the buckets that they lease from, by a clock of the test's: each answer comes
/// after a while.
package final class Replicas {
    private final class One {
        var table: LeaseTable
        var own: RateTable

        init(capacity: Int) {
            table = LeaseTable(capacity: capacity)
            own = RateTable(capacity: capacity)
        }
    }

    private struct Answer {
        let at: Int64
        let replica: Int
        let wanted: LeaseTable.Wanted
        let given: LeaseTable.Given
    }

    private let rate: Rate
    private let ones: [One]
    private var scope: RateScope
    private let delay: Int64
    private var buckets: [LeasedBucket]
    private var answers: [Answer] = []
    private var first = 0
    /// What Redis was asked.
    package private(set) var leases = 0
    /// Whether Redis answers; if not, each replica gives out its share.
    package var isHeard: Bool {
        get { scope.isShared }
        set { scope.isShared = newValue }
    }

    /// - Parameters:
    ///   - callers: how many are counted, by their numbers.
    ///   - identities: how many each replica tells apart at a time.
    ///   - delay: milliseconds from a question to its answer.
    package init(
        _ count: Int, counting callers: Int, by rate: Rate, identities: Int, lease: Int64 = 1_000, delay: Int64
    ) {
        self.rate = rate
        self.delay = delay
        scope = Replicas.scope(of: count, lease: lease)
        ones = (0..<count).map { _ in One(capacity: identities) }
        buckets = [LeasedBucket](repeating: LeasedBucket(), count: callers)
    }

    package static func scope(of replicas: Int, lease: Int64 = 1_000) -> RateScope {
        var scope = RateScope()
        (scope.replicas, scope.isShared, scope.lease) = (Int64(replicas), true, lease)
        return scope
    }

    /// The most tokens of a rate that one replica has in hand and in advance together.
    package var lease: Int64 { 2 * scope.half(of: rate) }

    /// Bytes of each replica's table.
    package var tableSize: Int { ones[0].table.size + ones[0].own.size }

    /// Buckets that Redis has.
    package func bucketCount(at now: Int64) -> Int { buckets.count { !$0.isFull(at: now) } }

    /// Whoever is told apart by this number.
    package static func identity(of caller: Int) -> RateTable.Identity {
        var mixed = UInt64(truncatingIfNeeded: caller) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return RateTable.Identity(rule: 7, who: mixed ^ (mixed >> 27))
    }

    /// Tells the replicas what has come.
    package func settle(at now: Int64) {
        while first < answers.count, answers[first].at <= now {
            let answer = answers[first]
            ones[answer.replica].table.settle(answer.wanted, answer.given, at: now)
            first += 1
        }
        if first > 65_536 {
            answers.removeFirst(first)
            first = 0
        }
    }

    /// Takes a token at a replica, as the service does.
    /// - Returns: whether there is one.
    package func take(_ caller: Int, at replica: Int, at now: Int64) -> Bool {
        let (one, identity) = (ones[replica], Replicas.identity(of: caller))
        let share = rate.share(among: scope.replicas)
        guard isHeard else {
            let standing = one.own.take(share, for: identity, at: now)
            if standing.isAllowed { one.table.owe(standing, for: identity, at: now) }
            return standing.isAllowed
        }
        var wanted: LeaseTable.Wanted?
        let isAllowed = one.table.take(rate, for: identity, in: scope, at: now, wanted: &wanted).isAllowed
        if isAllowed { _ = one.own.take(share, for: identity, at: now) }
        if let wanted {
            leases += 1
            let given = buckets[caller].answer(rate, wanted, at: now)
            answers.append(Answer(at: now + delay, replica: replica, wanted: wanted, given: given))
        }
        return isAllowed
    }
}
