import Access
import Testing

@testable import Configuration

/// What counts from the service's start to its end.
@Suite(.timeLimit(.minutes(20)))
struct FixedKeyTests {
    private static func load(_ server: String, _ rest: String = "") throws -> Configuration {
        try Sample.load("{ version: 1, server: { \(server) }, credentials: {}, grants: {}, \(rest) }")
    }

    @Test(arguments: [
        ("listen: '127.0.0.1:9'", "", ["server.listen"]),
        ("listen: ['127.0.0.1:8080', '[::1]:9']", "", ["server.listen"]),
        ("transport: 'dispatch'", "", ["server.transport"]), ("workers: 3", "", ["server.workers"]),
        ("", "admin: { listen: [] }", ["admin.listen"]),
        ("", "rateLimit: { identities: 64 }", ["rateLimit.identities"]),
        (
            "", "audit: { file: 'a', key: 'a-key-of-32-bytes-and-not-one-less' }, rateLimit: { identities: 64 }",
            [
                "rateLimit.identities", "audit", "audit.file", "audit.key", "audit.durability", "audit.failClosed",
                "audit.maxSize", "audit.queue", "audit.deniedPerMinute",
            ]
        ),
        ("workers: 3, transport: 'epoll'", "", ["server.transport", "server.workers"]),
    ])
    func `names the keys that cannot change`(server: String, rest: String, keys: [String]) throws {
        let (plain, other) = (try Self.load(""), try Self.load(server, rest))
        #expect(other.keysFixedOtherwise(than: plain.fixed) == keys)
        #expect(plain.keysFixedOtherwise(than: other.fixed) == keys)
        #expect(other.keysFixedOtherwise(than: other.fixed).isEmpty)
    }

    @Test(arguments: [
        ("file: 'b'", "audit.file"), ("key: 'another-key-that-has-32-bytes-or-more'", "audit.key"),
        ("durability: 'each'", "audit.durability"), ("failClosed: false", "audit.failClosed"),
        ("maxSize: '1MiB'", "audit.maxSize"), ("queue: 100", "audit.queue"),
        ("deniedPerMinute: 5", "audit.deniedPerMinute"),
    ])
    func `no key of an audit can change, its secret included`(change: String, key: String) throws {
        func load(_ change: String) throws -> Configuration {
            let rest = ["file: 'a'", "key: 'a-key-of-32-bytes-and-not-one-less'"]
                .filter { !change.hasPrefix($0.prefix(4)) }
            return try Self.load("", "audit: { \((rest + [change]).joined(separator: ", ")) }")
        }
        #expect(try load(change).keysFixedOtherwise(than: load("queue: 10000").fixed) == [key])
        #expect(try load(change).keysFixedOtherwise(than: load(change).fixed).isEmpty)
    }

    @Test(arguments: [
        // The standard, spelt out.
        ("listen: '127.0.0.1:8080', workers: 0", "rateLimit: { identities: 65536 }"),
        (
            "hosts: ['t.example.com'], plaintext: true, limits: { connections: 7 }, cors: { origins: ['https://a.b'] }",
            ""
        ),
        ("statusInBody: true", "log: { level: 'debug' }, reload: { interval: '1s' }, rateLimit: { perCaller: '1/s' }"),
    ])
    func `lets all else change`(server: String, rest: String) throws {
        #expect(try Self.load(server, rest).keysFixedOtherwise(than: Self.load("").fixed).isEmpty)
    }

    @Test
    func `every key that is described as fixed is compared, and TLS by whether it is there`() throws {
        let described = Documented.all.filter(\.field.isFixed).map(\.name)
        let compared = try Self.load("").fixed.map(\.path)
        #expect(described.sorted() == compared.sorted())
        #expect(compared.contains("server.tls"))
    }
}
