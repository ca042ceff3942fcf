import Access
import Bytes
import Crypto
import Testing

@testable import Cluster

@Suite struct BrakeBoardTests {
    private static let list = BrakeList([
        Brake(.init(.grant, Array("photos".utf8)), because: Array("leaked".utf8), by: Array("root".utf8), at: 1)
    ])

    private static func settings(_ key: String, previous: String? = nil) -> ClusterSettings {
        var settings = ClusterSettings(
            redis: RedisSettings(servers: [], user: nil, password: nil, timeout: 500), key: Secret(Array(key.utf8)),
            instance: Array("a".utf8))
        settings.previousKey = previous.map { Secret(Array($0.utf8)) }
        return settings
    }

    private static func board(_ key: String, previous: String? = nil) throws -> BrakeBoard {
        let settings = settings(key, previous: previous)
        return try BrakeBoard(settings, ClusterNames(settings), BrakeBoard.script())
    }

    /// What a replica puts there, as Redis gives it.
    private static func stored(by key: String, _ list: BrakeList = list) throws -> RedisReply {
        let sealed = try SealingKey(Secret(Array(key.utf8)), for: "countersign cluster brakes").seal(
            list.text.span, label: Array("brakes".utf8).span)
        return .list([.bytes(Array("version".utf8)), .bytes([49]), .bytes(Array("list".utf8)), .bytes(sealed)])
    }

    @Test func `brakes open by the key or the one before, which is told, so that they are sealed anew`() throws {
        let stored = try BrakeBoardTests.stored(by: "first")
        let same = try #require(try BrakeBoardTests.board("first").read(stored))
        #expect(same.list == BrakeBoardTests.list && same.version == [49] && !same.isOld)
        let changing = try #require(try BrakeBoardTests.board("second", previous: "first").read(stored))
        #expect(changing.list == BrakeBoardTests.list && changing.isOld)
        // Before the change, what a replica that has changed already has sealed opens, too.
        let early = try #require(try BrakeBoardTests.board("first", previous: "second").read(stored))
        #expect(!early.isOld)
    }

    @Test func `a replica with the new key alone is told that it cannot read them, and reads them sealed anew`() throws
    {
        let newcomer = try BrakeBoardTests.board("second")
        let fault = #expect(throws: BrakeFault.self) { try newcomer.read(BrakeBoardTests.stored(by: "first")) }
        #expect(fault?.description.contains("cluster.key") == true)
        #expect(try newcomer.read(BrakeBoardTests.stored(by: "second"))?.list == BrakeBoardTests.list)
    }

    @Test(arguments: [
        RedisReply.nothing, .integer(1), .bytes([]), .error(Array("OOM".utf8)), .list([.nothing]),
        .list([.bytes(Array("version".utf8)), .bytes([49])]),
        .list([.bytes(Array("list".utf8)), .bytes([49])]),
        .list([.bytes(Array("version".utf8)), .integer(1), .bytes(Array("list".utf8)), .list([])]),
        .list([
            .bytes(Array("version".utf8)), .bytes([49]), .bytes(Array("list".utf8)),
            .bytes([UInt8](repeating: 0, count: 64)),
        ]),
    ])
    func `what is no list of brakes is refused, and it is said why`(reply: RedisReply) throws {
        let fault = #expect(throws: BrakeFault.self) { try BrakeBoardTests.board("first").read(reply) }
        #expect(fault?.description.contains("Redis") == true)
    }

    @Test func `where nothing is there, there is nothing to read`() throws {
        #expect(try BrakeBoardTests.board("first").read(.list([])) == nil)
    }

    @Test func `the longest list has room in an answer of Redis`() {
        #expect(BrakeList.maximumLength + SealingKey.overhead + 1_024 < RedisReader.longestReply)
    }

    @Test func `a ticket is counted under the same name whatever the key, and a rate under another`() throws {
        let ticket = Array("0f1e2d3c".utf8)
        let (first, second) = (
            try ClusterNames(BrakeBoardTests.settings("first")), try ClusterNames(BrakeBoardTests.settings("second"))
        )
        #expect(try first.counter(of: ticket) == second.counter(of: ticket))
        #expect(try first.counter(of: ticket) != first.counter(of: Array("0f1e2d3d".utf8)))
        #expect(try first.name(.rate, of: ticket) != second.name(.rate, of: ticket))
    }
}
