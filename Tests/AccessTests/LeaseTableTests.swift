import ReplicaModel
import Testing

@testable import Access

@Suite struct LeaseTableTests {
    private static func scope(_ replicas: Int) -> RateScope { Replicas.scope(of: replicas) }

    private static let identity = RateTable.Identity(rule: 7, who: 11)

    /// What replicas give out of one bucket.
    /// - Parameters:
    ///   - demand: how often each is asked at a time.
    ///   - step: milliseconds from one time to the next.
    ///   - delay: milliseconds after which answers come.
    private static func give(
        _ rate: Rate, asking demand: [Int], every step: Int64, until end: Int64, delay: Int64
    ) -> (given: Int64, lease: Int64) {
        let replicas = Replicas(demand.count, counting: 1, by: rate, identities: 64, delay: delay)
        var given: Int64 = 0
        for now in stride(from: 0, to: end, by: Int(step)) {
            replicas.settle(at: Int64(now))
            for (replica, demand) in demand.enumerated() {
                for _ in 0..<demand where replicas.take(0, at: replica, at: Int64(now)) { given += 1 }
            }
        }
        return (given, replicas.lease)
    }

    @Test(arguments: [1, 3, 30], [0, 50])
    func `all replicas together give out the rate, and a lease for each at most`(replicas: Int, delay: Int64) throws {
        for (count, period) in [(60, 60_000), (600, 60_000), (6000, 60_000), (100, 1_000), (1, 1_000)]
            as [(Int64, Int64)]
        {
            let rate = try #require(Rate(count, in: period))
            // All together are asked some three times a millisecond.
            let (given, lease) = LeaseTableTests.give(
                rate, asking: [Int](repeating: 3, count: replicas), every: Int64(replicas), until: 3_000, delay: delay)
            let most = count + rate.tokens(in: 3_000)
            #expect(given <= most + lease * Int64(replicas), "\(count) in \(period)")
            // An answer that takes longer than a lease lasts leaves some of it.
            if delay == 0, count > 1 { #expect(given * 100 >= most * 90, "\(count) in \(period)") }
        }
    }

    @Test(arguments: [0, 3, 20]) func `one replica of three that alone is asked gives out 98 of 100`(delay: Int64)
        throws
    {
        for (count, period) in [(600, 60_000), (6000, 60_000), (1000, 1_000)] as [(Int64, Int64)] {
            let rate = try #require(Rate(count, in: period))
            let given = LeaseTableTests.give(rate, asking: [2, 0, 0], every: 1, until: 5_000, delay: delay).given
            #expect(given * 100 >= (count + rate.tokens(in: 5_000)) * 98, "\(count) in \(period)")
        }
    }

    @Test(arguments: [1, 3, 10]) func `what is given out while Redis is gone is charged when it is back`(count: Int)
        throws
    {
        let rate = try #require(Rate(600, in: 60_000))
        let replicas = Replicas(count, counting: 1, by: rate, identities: 64, delay: 5)
        var given: Int64 = 0
        for now in stride(from: Int64(0), to: 180_000, by: 50) {
            // Long enough for the bucket to be full again.
            replicas.isHeard = !(30_000..<120_000).contains(now)
            replicas.settle(at: now)
            for replica in 0..<count {
                for _ in 0..<4 where replicas.take(0, at: replica, at: now) { given += 1 }
            }
        }
        let most = rate.count + rate.tokens(in: 180_000)
        #expect(given <= most + 2 * replicas.lease * Int64(count))
        #expect(given * 100 >= most * 95)
    }

    /// - Parameter replicas: how many there are afterwards, as far as Redis knows yet.
    @Test(arguments: [1, 3, 10, 100_000])
    func `what was given out while Redis was gone is charged only as far as it has not come back`(replicas: Int) throws
    {
        let rate = try #require(Rate(60, in: 60_000))
        let scope = LeaseTableTests.scope(replicas)
        // A share of 20 a minute.
        for (silence, owed) in [(0, 20), (3_000, 19), (30_000, 10), (60_000, 0), (3_600_000, 0)] as [(Int64, Int64)] {
            var table = LeaseTable(capacity: 64)
            var own = RateTable(capacity: 64)
            for _ in 0..<20 {
                let standing = own.take(rate.share(among: 3), for: LeaseTableTests.identity, at: 1_000)
                table.owe(standing, for: LeaseTableTests.identity, at: 1_000)
            }
            var wanted: LeaseTable.Wanted?
            let now = 1_000 + silence
            let standing = table.take(rate, for: LeaseTableTests.identity, in: scope, at: now, wanted: &wanted)
            // It is charged, but nobody waits for the answer.
            #expect(standing.isAllowed)
            #expect(wanted?.charge == owed + 1, "after \(silence) ms")
            let given = LeaseTable.Given(tokens: 0, left: 9, wait: 0)
            table.settle(try #require(wanted), given, at: now)
            let next = table.ask(rate, for: LeaseTableTests.identity, in: scope, at: now)
            #expect(next?.charge == 0, "once only")
        }
    }

    @Test func `an answer to what was asked before an outage does not cancel what is owed for it`() throws {
        let rate = try #require(Rate(60, in: 60_000))
        let scope = LeaseTableTests.scope(3)
        var table = LeaseTable(capacity: 64)
        var own = RateTable(capacity: 64)
        var wanted: LeaseTable.Wanted?
        _ = table.take(rate, for: LeaseTableTests.identity, in: scope, at: 1_000, wanted: &wanted)
        let early = try #require(wanted)
        for _ in 0..<9 {
            let standing = own.take(rate.share(among: 3), for: LeaseTableTests.identity, at: 1_000)
            table.owe(standing, for: LeaseTableTests.identity, at: 1_000)
        }
        table.settle(early, LeaseTable.Given(tokens: 0, left: 9, wait: 0), at: 1_000)
        #expect(table.ask(rate, for: LeaseTableTests.identity, in: scope, at: 1_000)?.charge == 9)
    }

    @Test func `without an answer no more than half a lease is given in advance`() throws {
        let rate = try #require(Rate(6000, in: 60_000))
        let scope = LeaseTableTests.scope(3)
        var table = LeaseTable(capacity: 64)
        var asked: [LeaseTable.Wanted] = []
        var given = 0
        for now in stride(from: Int64(0), to: 10_000, by: 10) {
            var wanted: LeaseTable.Wanted?
            let standing = table.take(rate, for: LeaseTableTests.identity, in: scope, at: now, wanted: &wanted)
            #expect(standing.isAllowed || standing.wait > 0)
            if standing.isAllowed { given += 1 }
            if let wanted { asked.append(wanted) }
        }
        #expect(Int64(given) == scope.half(of: rate))
        // It asks again when an answer has not come for two seconds.
        #expect((1...6).contains(asked.count))
        for wanted in asked { table.settle(wanted, nil, at: 10_000) }
        var wanted: LeaseTable.Wanted?
        #expect(!table.take(rate, for: LeaseTableTests.identity, in: scope, at: 10_000, wanted: &wanted).isAllowed)
        #expect(wanted?.charge == scope.half(of: rate))
    }

    @Test func `who is only looked at is asked for, too, so that nobody is refused for ever`() throws {
        let rate = try #require(Rate(4, in: 4_000))
        let scope = LeaseTableTests.scope(1)
        var table = LeaseTable(capacity: 64)
        var first: LeaseTable.Wanted?
        for _ in 0..<10 {
            var wanted: LeaseTable.Wanted?
            _ = table.take(rate, for: LeaseTableTests.identity, in: scope, at: 0, wanted: &wanted)
            first = first ?? wanted
        }
        // Neither a lost answer nor one of nothing is the end.
        table.settle(try #require(first), nil, at: 0)
        let second = table.ask(rate, for: LeaseTableTests.identity, in: scope, at: 0)
        let third = table.ask(rate, for: LeaseTableTests.identity, in: scope, at: 0)
        #expect(third == nil)
        table.settle(try #require(second), LeaseTable.Given(tokens: 0, left: 0, wait: 1_000), at: 0)
        let early = table.ask(rate, for: LeaseTableTests.identity, in: scope, at: 999)
        #expect(early == nil)
        #expect(!table.look(rate, for: LeaseTableTests.identity, in: scope, at: 999).isAllowed)
        #expect(table.look(rate, for: LeaseTableTests.identity, in: scope, at: 1_000).isAllowed)
    }

    @Test func `to look takes nothing`() throws {
        let rate = try #require(Rate(60, in: 60_000))
        let scope = LeaseTableTests.scope(1)
        var table = LeaseTable(capacity: 64)
        for _ in 0..<100 {
            #expect(table.look(rate, for: LeaseTableTests.identity, in: scope, at: 0).isAllowed)
        }
        var wanted: LeaseTable.Wanted?
        for _ in 0..<100 { _ = table.take(rate, for: LeaseTableTests.identity, in: scope, at: 0, wanted: &wanted) }
        #expect(!table.look(rate, for: LeaseTableTests.identity, in: scope, at: 0).isAllowed)
    }

    @Test func `answers of any kind never trap`() throws {
        let rate = try #require(Rate(1_000_000, in: 1))
        var scope = LeaseTableTests.scope(100_000)
        scope.lease = 86_400_000
        var table = LeaseTable(capacity: 64)
        for number in [Int64.min, -1, 0, 1, .max] {
            for other in [Int64.min, 0, .max] {
                var wanted: LeaseTable.Wanted?
                _ = table.take(rate, for: LeaseTableTests.identity, in: scope, at: 1, wanted: &wanted)
                let asked = wanted ?? LeaseTable.Wanted(identity: LeaseTableTests.identity, charge: 0, tokens: 1)
                table.settle(asked, LeaseTable.Given(tokens: number, left: other, wait: number), at: 2)
                _ = table.look(rate, for: LeaseTableTests.identity, in: scope, at: 3)
            }
        }
    }
}
