import Bytes
import Crypto
import Testing

@testable import Cluster

@Suite struct SessionBoardTests {
    private static let session = Array("a session".utf8)
    private static let secret = Secret(Array("its secret".utf8))
    private static let (slot, other) = (Array("slot".utf8), Array("another slot".utf8))

    private static func board(_ key: String, previous: String? = nil) throws -> SessionBoard {
        var settings = ClusterSettings(
            redis: RedisSettings(servers: [], user: nil, password: nil, timeout: 500), key: Secret(Array(key.utf8)),
            instance: Array("a".utf8))
        settings.previousKey = previous.map { Secret(Array($0.utf8)) }
        return try SessionBoard(settings, ClusterNames(settings), SessionBoard.Scripts())
    }

    /// What a replica with this key puts there, as Redis gives it.
    private static func sealed(by key: String) throws -> [UInt8] {
        try SealingKey(Secret(Array(key.utf8)), for: "countersign cluster sessions").seal(
            session.span, with: secret, label: slot.span)
    }

    private static func isRead(_ board: SessionBoard, _ sealed: [UInt8], of slot: [UInt8] = slot) throws -> Bool {
        guard case .session(let found, age: 5)? = try board.read(.list([.integer(5), .bytes(sealed)]), of: slot) else {
            return false
        }
        return found.text == session && found.secret.constantTimeEquals(secret)
    }

    @Test func `a session opens in its own slot alone, by the key or the one before`() throws {
        let sealed = try SessionBoardTests.sealed(by: "first")
        #expect(try SessionBoardTests.isRead(SessionBoardTests.board("first"), sealed))
        #expect(try SessionBoardTests.isRead(SessionBoardTests.board("second", previous: "first"), sealed))
        #expect(try !SessionBoardTests.isRead(SessionBoardTests.board("second"), sealed))
        #expect(try !SessionBoardTests.isRead(SessionBoardTests.board("first"), sealed, of: SessionBoardTests.other))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x80
            #expect(try !SessionBoardTests.isRead(SessionBoardTests.board("first"), changed), "byte \(index)")
        }
    }

    @Test(arguments: [
        RedisReply.nothing, .integer(2), .integer(-1), .bytes([]), .error(Array("OOM".utf8)), .list([]),
        .list([.integer(1)]), .list([.bytes([49]), .bytes([])]), .list([.integer(1), .bytes([])]),
        .list([.integer(.max), .bytes([UInt8](repeating: 0, count: 28))]),
    ])
    func `any other answer is none`(reply: RedisReply) throws {
        #expect(try SessionBoardTests.board("first").read(reply, of: SessionBoardTests.slot) == nil)
    }

    @Test func `what a client is known by is in no name`() throws {
        let names = try ClusterNames(
            ClusterSettings(
                redis: RedisSettings(servers: [], user: nil, password: nil, timeout: 500),
                key: Secret(Array("key".utf8)), instance: []))
        let name = try names.name(.rate, of: Array("jwt:login/somebody".utf8))
        #expect(name.starts(with: Array("countersign:rate:".utf8)) && name.count == 17 + 32)
        #expect(!name.text.contains("somebody"))
        #expect(try names.name(.ticket, of: Array("jwt:login/somebody".utf8)).suffix(32) != name.suffix(32))
    }
}
