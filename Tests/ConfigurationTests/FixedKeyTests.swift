import Access
import Bytes
import Crypto
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
            ["rateLimit.identities", "audit"]
        ),
        ("workers: 3, transport: 'epoll'", "", ["server.transport", "server.workers"]),
    ])
    func `names the keys that cannot change`(server: String, rest: String, keys: [String]) throws {
        let (plain, other) = (try Self.load(""), try Self.load(server, rest))
        #expect(other.changes(ofFixed: plain.fixed).map(\.path) == keys)
        #expect(plain.changes(ofFixed: other.fixed).map(\.path) == keys)
        #expect(other.changes(ofFixed: other.fixed).isEmpty)
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
        let problems = try load(change).changes(ofFixed: load("queue: 10000").fixed)
        #expect(problems.map(\.path) == [key])
        // A hand-over changes all of them but the key.
        #expect(problems.first?.reason.contains("or send SIGUSR2") == (key != "audit.key"))
        #expect(problems.first?.reason.contains("also not by SIGUSR2") == (key == "audit.key"))
        #expect(try load(change).changes(ofFixed: load(change).fixed).isEmpty)
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
        #expect(try Self.load(server, rest).changes(ofFixed: Self.load("").fixed).isEmpty)
    }

    @Test
    func `every key that is described as fixed is compared, and TLS by whether it is there`() throws {
        let described = Documented.all.filter { $0.field.fixity != nil }.map(\.name)
        let compared = try Self.load("").fixed.map(\.path)
        #expect(described.sorted() == compared.sorted())
        #expect(compared.contains("server.tls"))
    }

    @Test
    func `a change is told where it stands, or where it would stand`() throws {
        func positions(_ text: String) throws -> [String] {
            try Sample.load(text).changes(ofFixed: Self.load("workers: 3").fixed).map { problem in
                let position = try #require(problem.position)
                return "\(problem.path) \(position.line):\(position.column)"
            }
        }
        let end = "credentials: {}, grants: {} }"
        #expect(try positions("{ version: 1,\n  server: { workers: 4 },\n \(end)") == ["server.workers 2:13"])
        #expect(try positions("{ version: 1,\n  server: { hosts: [] },\n \(end)") == ["server.workers 2:11"])
        #expect(try positions("{ version: 1,\n \(end)") == ["server.workers 1:1"])
        #expect(
            try positions("{ version: 1, server: { workers: 3 },\n rateLimit: {\n  identities: 64 },\n \(end)")
                == ["rateLimit.identities 3:3"])
    }

    @Test(arguments: [
        // The access key alone, by whatever means.
        ("'AK-new', secretKey: { env: 'ONE' }", true), ("{ env: 'KEY' }, secretKey: { env: 'ONE' }", true),
        // Under another name the same text is no other secret.
        ("'AK-new', secretKey: { env: 'SAME' }", true),
        ("'AK-new', secretKey: { env: 'TWO' }", false), ("'AK-old', secretKey: { env: 'ONE' }", false),
        ("'AK-old', secretKey: { env: 'TWO' }", false), ("'AK-new', secretKey: 'secret-in-the-file'", false),
        // A sandbox that checks signatures refuses the mixture like a vendor; what the service makes up is no variable.
        ("'AK-new', secretKey: { env: 'ONE' }, sandbox: true", true), ("'AK-new', sandbox: true", false),
    ])
    func `an access key does not change without its secret from the environment`(
        pair: String, isLeftBehind: Bool
    ) throws {
        func load(_ pair: String) throws -> Configuration {
            let text = "{ version: 1, grants: {}, credentials: {\n  kodo: { provider: 'qiniu', accessKey: \(pair) } } }"
            let secrets = ["ONE": "secret-number-one", "SAME": "secret-number-one", "TWO": "secret-number-two"]
            return try Sample.load(text, variables: secrets.merging(["KEY": "AK-new"]) { $1 })
        }
        let problems = try load(pair).secretsLeftBehind(since: load("'AK-old', secretKey: { env: 'ONE' }"))
        #expect(problems.count == (isLeftBehind ? 1 : 0))
        for problem in problems {
            #expect(problem.path == "credentials.kodo.secretKey" && problem.position?.line == 2)
            #expect(problem.reason.contains("use { file: ") && !problem.reason.contains("number-one"))
        }
    }

    @Test
    func `an access key that a sandbox makes up anew holds up no reload`() throws {
        let text =
            "{ version: 1, grants: {}, "
            + "credentials: { kodo: { provider: 'qiniu', sandbox: true, secretKey: { env: 'ONE' } } } }"
        let (one, other) = (
            try Sample.load(text, variables: ["ONE": "secret-number-one"]),
            try Sample.load(text, variables: ["ONE": "secret-number-one"])
        )
        #expect(one.credentials[0].key?.accessKey != other.credentials[0].key?.accessKey)
        #expect(other.secretsLeftBehind(since: one).isEmpty)
    }
}
