import Bytes
import Testing

@testable import Cluster

@Suite struct ReplicaListTests {
    private static func bytes(_ texts: String...) -> RedisReply { .list(texts.map { .bytes(Array($0.utf8)) }) }

    private static let heads = bytes("a", "7 c0de 100 audit.jsonl", "gone", "3 f00d 90 old.jsonl")

    @Test func `each replica has its last moment, its head and its leases; one that is gone has its head`() throws {
        let entries = try #require(
            ReplicaList.read(
                .list([
                    .integer(1_000), Self.bytes("a", "900", "b", "1200"), Self.heads,
                    Self.bytes("b", "5 1", "gone", "9 9"),
                ])))
        #expect(entries.map { $0.instance.text } == ["a", "b", "gone"])
        #expect(entries.map(\.silence) == [100, 0, nil])
        #expect(entries.map { $0.head?.count } == [7, nil, 3])
        #expect(entries.map { $0.leases?.asked } == [nil, 5, nil] && entries[1].leases?.failed == 1)
    }

    @Test func `times that no clock has are bounded`() throws {
        let entries = try #require(
            ReplicaList.read(
                .list([.integer(.max), Self.bytes("a", "0", "b", "9223372036854775807"), Self.bytes(), Self.bytes()])))
        #expect(entries.map(\.silence) == [ReplicaList.longest, 0])
    }

    @Test(
        arguments: [
            .nothing, .list([]), .list([.integer(1), bytes("a"), bytes(), bytes()]),
            .list([.integer(1), bytes("a", "x"), bytes(), bytes()]),
            .list([.integer(1), bytes(), bytes("a", "1"), bytes()]),
            .list([.integer(1), bytes(), bytes(), bytes("a", "1")]),
            .list([.integer(1), bytes(), bytes(), bytes("a", "-1 0")]),
            .list([.bytes([]), bytes(), bytes(), bytes()]),
        ] as [RedisReply])
    func `another answer is none`(_ reply: RedisReply) { #expect(ReplicaList.read(reply) == nil) }
}
