import Testing

@testable import Access

/// The bucket that replicas lease from, as the script of Redis has it, by a clock of its own.
private struct Bucket {
    let rate: Rate
    /// When it is full, in nanoseconds.
    var fullAt: Int64 = .min

    mutating func answer(_ wanted: LeaseTable.Wanted, at now: Int64) -> LeaseTable.Given {
        let now = now * 1_000_000
        fullAt = min(max(fullAt, now), now + 2 * rate.period) + wanted.charge * rate.interval
        let free = (rate.period - (fullAt - now)).quotientAndRemainder(dividingBy: rate.interval).quotient
        let given = max(0, min(wanted.tokens, free))
        fullAt += given * rate.interval
        let left = max(0, free - given)
        let wait = left > 0 ? 0 : max(0, (fullAt - now - rate.period + rate.interval + 999_999) / 1_000_000)
        return LeaseTable.Given(tokens: given, left: left, wait: wait)
    }
}

@Suite struct LeaseTableTests {
    private static func scope(_ replicas: Int64) -> RateScope {
        var scope = RateScope()
        (scope.replicas, scope.isShared, scope.lease) = (replicas, true, 1_000)
        return scope
    }

    private static let identity = RateTable.Identity(rule: 7, who: 11)

    /// What replicas give out of one bucket, each asked so often, whose answers come after so many milliseconds.
    private static func give(
        _ rate: Rate, replicas: Int64, asking demand: [Int64], milliseconds: Int64, delay: Int64
    ) -> Int64 {
        let scope = scope(replicas)
        var bucket = Bucket(rate: rate)
        var given: Int64 = 0
        var answers: [(at: Int64, replica: Int, wanted: LeaseTable.Wanted, given: LeaseTable.Given)] = []
        let tables = Tables(demand.count)
        for now in 0..<milliseconds {
            while let first = answers.first, first.at <= now {
                tables.settle(first.replica, first.wanted, first.given, at: now)
                answers.removeFirst()
            }
            for (replica, demand) in demand.enumerated() where demand > 0 {
                for _ in 0..<demand {
                    var wanted: LeaseTable.Wanted?
                    if tables.take(replica, rate, in: scope, at: now, &wanted).isAllowed { given += 1 }
                    if let wanted { answers.append((now + delay, replica, wanted, bucket.answer(wanted, at: now))) }
                }
            }
        }
        return given
    }

    /// Tables cannot be in an array, since they are not copied.
    private struct Tables: ~Copyable {
        private final class One { var table = LeaseTable(capacity: 64) }
        private let tables: [One]

        init(_ count: Int) { tables = (0..<count).map { _ in One() } }

        func take(
            _ replica: Int, _ rate: Rate, in scope: RateScope, at now: Int64, _ wanted: inout LeaseTable.Wanted?
        ) -> RateStanding {
            tables[replica].table.take(rate, for: identity, in: scope, at: now, wanted: &wanted)
        }

        func settle(_ replica: Int, _ wanted: LeaseTable.Wanted, _ given: LeaseTable.Given?, at now: Int64) {
            tables[replica].table.settle(wanted, given, at: now)
        }
    }

    @Test(arguments: [1, 3, 30], [0, 50])
    func `all replicas together give out the rate, and a lease for each at most`(replicas: Int, delay: Int64) throws {
        for (count, period) in [(60, 60_000), (600, 60_000), (6000, 60_000), (100, 1_000), (1, 1_000)]
            as [(Int64, Int64)]
        {
            let rate = try #require(Rate(count, in: period))
            let given = LeaseTableTests.give(
                rate, replicas: Int64(replicas), asking: [Int64](repeating: 2, count: replicas), milliseconds: 3_000,
                delay: delay)
            let most = count + rate.tokens(in: 3_000)
            let lease = 2 * LeaseTableTests.scope(Int64(replicas)).half(of: rate)
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
            let given = LeaseTableTests.give(
                rate, replicas: 3, asking: [4, 0, 0], milliseconds: 5_000, delay: delay)
            #expect(given * 100 >= (count + rate.tokens(in: 5_000)) * 98, "\(count) in \(period)")
        }
    }

    @Test func `without an answer no more than half a lease is given in advance`() throws {
        let rate = try #require(Rate(6000, in: 60_000))
        let scope = LeaseTableTests.scope(3)
        var table = LeaseTable(capacity: 64)
        var asked: [LeaseTable.Wanted] = []
        var given = 0
        for now in 0..<10_000 as Range<Int64> {
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
