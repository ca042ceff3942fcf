import Bytes
import Cluster
import Testing

@Suite struct RedisReaderTests {
    /// Replies of every kind, one behind the other, as they come from a server.
    private static let replies: [(bytes: String, reply: RedisReply)] = [
        ("+OK\r\n", .bytes(Array("OK".utf8))),
        ("-OOM command not allowed\r\n", .error(Array("OOM command not allowed".utf8))),
        (":-12\r\n", .integer(-12)),
        ("$5\r\na\r\nbc\r\n", .bytes(Array("a\r\nbc".utf8))),
        ("$0\r\n\r\n", .bytes([])),
        ("$-1\r\n", .nothing),
        ("*-1\r\n", .nothing),
        ("*0\r\n", .list([])),
        ("*3\r\n:1\r\n$1\r\nx\r\n*1\r\n$-1\r\n", .list([.integer(1), .bytes([120]), .list([.nothing])])),
    ]

    private static func read(_ chunks: [ArraySlice<UInt8>]) throws -> [RedisReply] {
        let reader = try #require(RedisReader())
        var found: [RedisReply] = []
        for chunk in chunks {
            try reader.feed(Array(chunk))
            while let reply = try reader.next() { found.append(reply) }
        }
        return found
    }

    @Test func `every reply is read, at every split point and byte by byte`() throws {
        let bytes = RedisReaderTests.replies.flatMap { Array($0.bytes.utf8) }
        let expected = RedisReaderTests.replies.map(\.reply)
        #expect(try RedisReaderTests.read(bytes.indices.map { bytes[$0...$0] }) == expected)
        for split in bytes.indices {
            #expect(try RedisReaderTests.read([bytes[..<split], bytes[split...]]) == expected, "split at \(split)")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n", "*65537\r\n", "*99999999999999999999\r\n", "$-2\r\n", "$x\r\n", ":1x\r\n",
        String(repeating: "*1\r\n", count: 20),
    ])
    func `what is no reply, or larger than ours are, is an error`(bytes: String) throws {
        let reader = try #require(RedisReader())
        #expect(throws: RedisReader.Fault.self) {
            try reader.feed(Array(bytes.utf8))
            while try reader.next() != nil {}
        }
    }

    @Test func `a text that never ends is an error`() throws {
        let reader = try #require(RedisReader())
        try reader.feed(Array("$1000000000\r\n".utf8))
        #expect(throws: RedisReader.Fault.self) {
            for _ in 0...RedisReader.longestReply / 65_536 {
                try reader.feed([UInt8](repeating: 65, count: 65_536))
                #expect(try reader.next() == nil)
            }
        }
    }

    @Test func `a large reply is read, and many small ones behind it are not counted with it`() throws {
        let reader = try #require(RedisReader())
        let text = [UInt8](repeating: 66, count: 3 << 20)
        for _ in 0..<3 {
            try reader.feed(Array("$\(text.count)\r\n".utf8) + text + Array("\r\n".utf8))
            #expect(try reader.next() == .bytes(text))
        }
    }
}
