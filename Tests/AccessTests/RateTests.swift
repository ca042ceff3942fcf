import TestTraits
import Testing

@testable import Access

@Suite struct RateTests {
    private static func rate(_ count: Int64, _ period: Int64) throws -> Rate { try #require(Rate(count, in: period)) }

    private static func somebody(_ number: UInt64, rule: UInt64 = 7) -> RateTable.Identity {
        var hasher = Hasher()
        hasher.combine(number)
        return RateTable.Identity(rule: rule, who: UInt64(bitPattern: Int64(hasher.finalize())))
    }

    @Test func `all tokens may be taken at once, and come back evenly`() throws {
        var table = RateTable(capacity: 64)
        let rate = try Self.rate(3, 60_000)
        let who = Self.somebody(1)
        let left = (0..<3).map { _ in table.take(rate, for: who, at: 1000).remaining }
        #expect(left == [2, 1, 0])
        let refused = table.take(rate, for: who, at: 1000)
        #expect(!refused.isAllowed && refused.remaining == 0 && refused.wait == 20_000 && refused.reset == 60_000)
        // Nothing was taken: who asks again and again does not wait longer.
        #expect(table.take(rate, for: who, at: 20_999).wait == 1)
        let next = table.take(rate, for: who, at: 21_000)
        #expect(next.isAllowed && next.remaining == 0 && next.reset == 60_000)
        let full = table.take(rate, for: who, at: 200_000)
        #expect(full.isAllowed && full.remaining == 2)
    }

    @Test func `to look takes nothing`() throws {
        var table = RateTable(capacity: 64)
        let rate = try Self.rate(1, 1000)
        let who = Self.somebody(1)
        for _ in 0..<3 {
            let standing = table.look(rate, for: who, at: 5)
            #expect(standing.isAllowed && standing.remaining == 1)
        }
        #expect(table.take(rate, for: who, at: 5).isAllowed)
        #expect(!table.look(rate, for: who, at: 5).isAllowed)
    }

    @Test func `nobody gets more than a bucket and what has come since, whatever the rate`() throws {
        var random = SplitMix64(seed: 12)
        for _ in 0..<200 {
            let count = Int64.random(in: 1...50, using: &random)
            let period = Int64.random(in: 1...100_000, using: &random)
            let rate = try Self.rate(count, period)
            var table = RateTable(capacity: 64)
            var (now, granted): (Int64, Int64) = (0, 0)
            for _ in 0..<200 {
                now += Int64.random(in: 0...max(1, period / count), using: &random)
                if table.take(rate, for: Self.somebody(1), at: now).isAllowed { granted += 1 }
                #expect(granted <= count + now * count / period)
            }
        }
    }

    @Test func `others are counted apart, and so is the same one under another rule`() throws {
        var table = RateTable(capacity: 1024)
        let rate = try Self.rate(1, 1000)
        let identities = [Self.somebody(1), Self.somebody(2), Self.somebody(1, rule: 8)]
        for identity in identities { #expect(table.take(rate, for: identity, at: 0).isAllowed) }
        for identity in identities { #expect(!table.take(rate, for: identity, at: 0).isAllowed) }
    }

    @Test func `a million identities take no more memory, and what gives way is what was used least`() throws {
        var table = RateTable(capacity: 1024)
        let size = table.size
        #expect(size <= 1024 * 16)
        let rate = try Self.rate(5, 3_600_000)
        // One who has used all of it, and then a million who have used a fifth each.
        for _ in 0..<5 { #expect(table.take(rate, for: Self.somebody(0), at: 0).isAllowed) }
        for number in 1..<1_000_000 as Range<UInt64> {
            #expect(table.take(rate, for: Self.somebody(number), at: 0).isAllowed, "nobody pays for the others")
        }
        #expect(table.size == size)
        #expect(!table.look(rate, for: Self.somebody(0), at: 0).isAllowed)
    }

    @Test func `who has found no slot has one of its own, in that of the bucket that is full soonest`() throws {
        var table = RateTable(capacity: 8)
        let rate = try Self.rate(2, 1000)
        for number in 0..<8 as Range<UInt64> {
            for _ in 0..<(number == 3 ? 1 : 2) {
                #expect(table.take(rate, for: Self.somebody(number), at: 0).isAllowed)
            }
        }
        for _ in 0..<2 { #expect(table.take(rate, for: Self.somebody(8), at: 0).isAllowed) }
        #expect(!table.take(rate, for: Self.somebody(8), at: 0).isAllowed)
        for number in 0..<8 as Range<UInt64> where number != 3 {
            #expect(!table.look(rate, for: Self.somebody(number), at: 0).isAllowed)
        }
        // The one that has given way has lost nothing that it was owed.
        #expect(table.look(rate, for: Self.somebody(3), at: 0).remaining == 2)
        for number in 10..<18 as Range<UInt64> {
            #expect(table.take(rate, for: Self.somebody(number), at: 1000).isAllowed)
        }
    }

    @Test func `a lower rate keeps nobody waiting for longer than its own bucket takes to fill`() throws {
        var table = RateTable(capacity: 64)
        let who = Self.somebody(1)
        for _ in 0..<60 { _ = table.take(try Self.rate(60, 86_400_000), for: who, at: 0) }
        let refused = table.take(try Self.rate(1, 1000), for: who, at: 0)
        #expect(!refused.isAllowed && refused.wait == 1000)
        #expect(table.take(try Self.rate(1, 1000), for: who, at: 1000).isAllowed)
    }

    @Test(arguments: [(0, 1000), (-1, 1000), (1_000_001, 1000), (1, 0), (1, 86_400_001), (.min, .min), (.max, .max)])
    func `there is no rate beyond the bounds`(count: Int64, period: Int64) { #expect(Rate(count, in: period) == nil) }
}
