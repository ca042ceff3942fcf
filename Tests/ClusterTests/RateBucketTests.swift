import Access
import Testing

@testable import Cluster

/// What a Redis that somebody else writes to can do with leases.
@Suite struct RateBucketTests {
    private static let identity = RateTable.Identity(rule: 1, who: 2)

    @Test(arguments: [Int64.min, -1, 999_999_999, .max])
    func `a lease is never more than was asked for, nor less than nothing, nor more than the bucket`(number: Int64)
        throws
    {
        let rate = try #require(Rate(20, in: 60_000))
        let answer = RedisReply.list([.integer(number), .integer(number), .integer(number)])
        for tokens in [0, 3, 20, 1_000] as [Int64] {
            let asked = LeaseTable.Wanted(identity: Self.identity, charge: 0, tokens: tokens)
            let given = try #require(RateBucket.read(answer, of: rate, to: asked))
            #expect((0...min(tokens, 20)).contains(given.tokens))
            #expect((0...20).contains(given.left))
            #expect((0...123_001).contains(given.wait), "twice the bucket, and a token")
        }
    }

    @Test func `what a bucket says is taken as it is`() throws {
        let rate = try #require(Rate(20, in: 60_000))
        let asked = LeaseTable.Wanted(identity: Self.identity, charge: 1, tokens: 5)
        let reply = RedisReply.list([.integer(5), .integer(14), .integer(0)])
        #expect(RateBucket.read(reply, of: rate, to: asked) == LeaseTable.Given(tokens: 5, left: 14, wait: 0))
        let empty = RedisReply.list([.integer(0), .integer(0), .integer(3_000)])
        #expect(RateBucket.read(empty, of: rate, to: asked) == LeaseTable.Given(tokens: 0, left: 0, wait: 3_000))
    }
}
