import Bytes
import Crypto
import Providers
import Testing

@testable import Configuration

/// Made-up keys: they are there without anybody giving them, and never where somebody could take them for real ones.
@Suite(.timeLimit(.minutes(20)))
struct SandboxTests {
    private static let role = "provider: 'sts', roleArn: 'acs:ram::1:role/app'"
    private static let sts =
        "\(role), sandbox: true, endpoints: 'http://127.0.0.1:8090', accessKey: 'AK', secretKey: 'a-secret-of-no-vendor'"
    private static let pair = "\(role), accessKey: 'AK', secretKey: 's'"
    private static let real = "provider: 'oss', accessKey: 'AK', secretKey: 's'"

    private func text(_ credentials: String, server: String = "") -> String {
        "{ version: 1, server: { \(server) }, credentials: { \(credentials) }, grants: {} }"
    }

    @Test(arguments: ["qiniu", "nos", "oss"])
    func `a key that is not given is made up anew at every start`(provider: String) throws {
        let start = "SANDBOX"
        var seen: Set<String> = []
        for _ in 0..<3 {
            let credential = try #require(
                try Sample.load(text("a: { provider: '\(provider)', sandbox: true }")).credentials.first)
            let key = try #require(credential.key)
            let name = key.accessKey.text
            #expect(credential.isSandbox)
            #expect(name.hasPrefix(start) && name.utf8.count == start.utf8.count + 13)
            #expect(name.utf8.allSatisfy { $0.isLetterOrDigit })
            #expect(key.secret.count == 40 && key.securityToken == nil)
            seen.insert(name)
        }
        #expect(seen.count == 3)
    }

    @Test func `what is given of a made-up key is kept`() throws {
        let fields = "provider: 'qiniu', sandbox: true"
        let credentials = "a: { \(fields), accessKey: 'AK' }, b: { \(fields), secretKey: { file: 'nos-key' } }"
        let keys = try Sample.load(text(credentials)).credentials.map(\.key)
        #expect(keys[0]?.accessKey.text == "AK" && keys[0]?.secret.count == 40)
        #expect(keys[1]?.accessKey.text.hasPrefix("SANDBOX") == true)
        #expect(keys[1]?.secret.constantTimeEquals(Secret(Array("file-NOS-secret".utf8))) == true)
    }

    @Test func `the sandbox of sts is given the pair that it is asked with, by TLS too`() throws {
        let fields = SandboxTests.sts.replacing(
            "http://127.0.0.1:8090'", with: "https://localhost:1', caFile: 'ca.pem'")
        for credentials in ["a: { \(SandboxTests.sts) }", "a: { \(fields) }"] {
            let credential = try #require(try Sample.load(text(credentials)).credentials.first)
            #expect(credential.isSandbox && credential.key?.accessKey.text == "AK")
            #expect(credential.sessions?.source.endpoints.count == 1)
        }
    }

    @Test func `sessions of a sandbox that do not name its host to clients are a warning`() throws {
        let grant = """
            g: { route: 'distribute-token', credential: 'a', callers: ['anonymous'], public: true, bucket: 'demo-bucket',
              keyPrefix: 'p/', actions: 'oss:PutObject' }
            """
        for (fields, isWarned) in [("", true), (", ossEndpoint: 'http://oss.localhost:8090'", false)] {
            let whole = text("a: { \(SandboxTests.sts)\(fields) }")
            let used = whole.replacing("grants: {}", with: "grants: { \(grant) }")
            let warnings = try Sample.load(used).warnings
            #expect(warnings.contains { $0.hasPrefix("credentials.a: has no ossEndpoint") } == isWarned)
            // Of a credential that no grant uses nothing more is said.
            #expect(try !Sample.load(whole).warnings.contains { $0.contains("ossEndpoint") })
        }
    }

    @Test(arguments: ["http://localhost", "http://localhost:8090", "http://oss.localhost:8090", "oss.example:8443"])
    func `the sandbox's buckets may be behind plain HTTP`(endpoint: String) throws {
        for credential in [
            "provider: 'nos', sandbox: true, endpoint:", "provider: 'oss', sandbox: true, endpoint:",
            "\(SandboxTests.sts), ossEndpoint:",
        ] { _ = try Sample.load(text("a: { \(credential) '\(endpoint)' }")) }
    }

    @Test func `a key that says sandbox: false is real`() throws {
        let configuration = try Sample.load(text("a: { \(SandboxTests.real), sandbox: false }"))
        #expect(configuration.credentials.map(\.isSandbox) == [false])
    }

    @Test(arguments: [
        ("a: { provider: 'nos', sandbox: false, ‸accessKey: 'a b', secretKey: 's' }", "a.accessKey", "printable"),
        ("‸a: { provider: 'nos', sandbox: false, secretKey: 's' }", "a", "needs accessKey"),
        ("a: { provider: 'nos', sandbox: true, ‸accessKey: 'a:b' }", "a.accessKey", "must not contain :"),
        ("a: { \(sts), ‸identity: 'environment' }", "a.identity", "must be key with sandbox: true"),
        ("a: { \(sts), ‸identity: 'ecs' }", "a.identity", "no real key goes to the sandbox"),
        ("a: { \(sts), ‸region: 'oss-cn-hangzhou' }", "a.region", "without oss-"),
        ("‸a: { \(role), sandbox: true, endpoints: 'http://[::1]:1' }", "a.accessKey", "is needed for identity key"),
        ("‸a: { \(pair), sandbox: true }", "a.endpoints", "are needed with sandbox: true"),
        ("a: { \(role), ‸endpoints: ['sandbox'] }", "a.endpoints", "where a countersign-sandbox listens"),
        (
            "a: { \(pair), ‸endpoints: ['https://a.com', 'SANDBOX'] }", "a.endpoints",
            "with sandbox: true and the accessKey"
        ),
        ("a: { \(pair), ‸endpoints: 'sanbox' }", "a.endpoints", "must begin with https://"),
        (
            "a: { \(pair), sandbox: true, ‸endpoints: 'https://sts.aliyuncs.com' }", "a.endpoints",
            "must be on this machine with sandbox: true"
        ),
        (
            "a: { \(pair), sandbox: true, ‸endpoints: ['http://127.0.0.1:1', 'https://192.0.2.1'] }", "a.endpoints",
            "must be on this machine"
        ),
        ("a: { \(real), ‸endpoint: 'http://oss.localhost:8090' }", "a.endpoint", "http:// only with sandbox: true"),
        (
            "a: { provider: 'nos', accessKey: 'a', secretKey: 's', ‸endpoint: 'http://localhost' }", "a.endpoint",
            "such as \"http://nos.localhost:8090\""
        ),
        ("a: { \(pair), ‸ossEndpoint: 'http://localhost' }", "a.ossEndpoint", "http:// only with sandbox: true"),
        (
            "a: { provider: 'nos', sandbox: true, ‸endpoint: 'http://nos.example' }", "a.endpoint",
            "a name of this machine"
        ),
        (
            "a: { provider: 'nos', sandbox: true, ‸endpoint: 'http://127.0.0.1:1' }", "a.endpoint",
            "a name of this machine (a name, not an address)"
        ),
        ("a: { provider: 'oss', sandbox: true, ‸endpoint: 'http://evillocalhost' }", "a.endpoint", "of this machine"),
        (
            "a: { provider: 'oss', sandbox: true, ‸endpoint: 'http://localhost.example' }", "a.endpoint",
            "of this machine"
        ),
        ("a: { provider: 'oss', sandbox: true, ‸endpoint: 'http://' }", "a.endpoint", "a host in lower case"),
        (
            "a: { provider: 'oss', sandbox: true, ‸endpoint: 'http://oss.localhost:80' }", "a.endpoint",
            "a host in lower case"
        ),
        (
            "a: { provider: 'oss', sandbox: true, ‸endpoint: 'https://oss.localhost' }", "a.endpoint",
            "a host in lower case"
        ),
    ])
    func `refuses what is neither real nor made up`(credentials: String, path: String, word: String) throws {
        try Mistake.check(text(credentials), "credentials.\(path)", word)
    }

    @Test(arguments: ["qiniu.download-url", "qiniu.cdn-url"])
    func `a real key signs no download URL that leads to a sandbox`(route: String) throws {
        func text(_ credential: String, _ domain: String, _ scheme: String) -> String {
            let fields = "provider: 'qiniu', accessKey: 'AK', secretKey: 's', cdnKey: 'a-key-of-the-cdn'"
            let grant = """
                g: { route: '\(route)', credential: 'a', callers: 'anonymous', public: true, keyPrefix: 'photos/',
                  ‸domain: '\(domain)', scheme: '\(scheme)' }
                """
            return self.text("a: { \(fields), sandbox: \(credential) }").replacing(
                "grants: {}", with: "grants: { \(grant) }")
        }
        for domain in ["localhost:8090", "media.qiniu.localhost:8090", "127.0.0.1:8090", "127.1.2.3"] {
            try Mistake.check(
                text("false", domain, "http"), "grants.g.domain", "only for a credential with sandbox: true")
            _ = try Sample.load(text("true", domain, "http").replacing("‸", with: ""))
        }
        for (domain, scheme) in [("media.example.com:8090", "http"), ("localhost.example.com", "http")] {
            _ = try Sample.load(text("false", domain, scheme).replacing("‸", with: ""))
        }
    }

    @Test(arguments: ["a: { provider: 'qiniu', sandbox: true }", "a: { \(sts) }"])
    func `made-up keys stand beside no real ones`(sandbox: String) throws {
        try Mistake.check(
            text("\(sandbox), ‸'my oss': { \(SandboxTests.real) }"), "credentials[\"my oss\"]", "one configuration")
        try Mistake.check(
            text("‸b: { \(SandboxTests.real) }, \(sandbox)"), "credentials.b", "is real, and a is for the sandbox")
        let problems = Sample.problems(
            in: text(
                "b: { \(SandboxTests.real) }, \(sandbox), c: { \(SandboxTests.real) }, d: { provider: 'nos', sandbox: true }"
            ))
        #expect(problems.map(\.path) == ["credentials.b", "credentials.c"])
        let role = "c: { provider: 'sts', roleArn: 'acs:ram::1:role/app', identity: 'ecs' }"
        #expect(Sample.problems(in: text("\(sandbox), \(role)")).map(\.path) == ["credentials.c"])
    }

    @Test(arguments: ["a: { provider: 'qiniu', sandbox: true }", "a: { \(sts) }"])
    func `made-up keys are handed out on loopback only`(sandbox: String) throws {
        let listen = "plaintext: true, listen: ['127.0.0.1:1', '0.0.0.0:2', 'bad', '[::]:3', '[::1]:4']"
        let problems = Sample.problems(in: text(sandbox, server: listen))
        #expect(problems.map(\.path) == ["server.listen[1]", "server.listen[2]", "server.listen[3]"])
        #expect(problems.count { $0.reason.contains("on loopback only") } == 2)
        for address in ["localhost:0", "127.8.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            #expect(Sample.problems(in: text(sandbox, server: "listen: '\(address)'")).isEmpty)
        }
        try Mistake.check(text(sandbox, server: "‸listen: '192.0.2.1:80'"), "server.listen", "on loopback only")
    }

    @Test func `one warning names all sandbox credentials`() throws {
        let warnings = try Sample.load(text("a: { provider: 'nos', sandbox: true }, b: { \(SandboxTests.sts) }"))
            .warnings
        let sandboxed = warnings.filter { $0.contains("sandbox keys") }
        #expect(
            sandboxed == ["credentials: sandbox keys work only with countersign-sandbox, not with a vendor: a, b"])
        #expect(try !Sample.load(Sample.text).warnings.contains { $0.contains("sandbox") })
    }
}
