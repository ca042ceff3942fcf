import Bytes
import Crypto
import Testing

@testable import Configuration

/// Made-up keys: they are there without anybody giving them, and never where somebody could take them for real ones.
@Suite(.timeLimit(.minutes(20)))
struct SandboxTests {
    private static let role = "provider: 'sts', roleArn: 'acs:ram::1:role/app'"
    private static let sts = "\(role), endpoints: ['sandbox']"
    private static let real = "provider: 'oss', accessKey: 'AK', secretKey: 's'"

    private func text(_ credentials: String, server: String = "") -> String {
        "{ version: 1, server: { \(server) }, credentials: { \(credentials) }, grants: {} }"
    }

    @Test(arguments: [
        ("provider: 'qiniu', sandbox: true", "SANDBOX"), ("provider: 'nos', sandbox: true", "SANDBOX"),
        ("provider: 'oss', sandbox: true", "SANDBOX"), (sts, "LTAISANDBOX"),
    ])
    func `a key that is not given is made up anew at every start`(fields: String, start: String) throws {
        var seen: Set<String> = []
        for _ in 0..<3 {
            let credential = try #require(try Sample.load(text("a: { \(fields) }")).credentials.first)
            let key = try #require(credential.key)
            let name = key.accessKey.text
            #expect(credential.isSandbox)
            #expect(name.hasPrefix(start) && name.utf8.count == start.utf8.count + 13)
            #expect(name.utf8.allSatisfy { CharacterRule.isLetterOrDigit($0) })
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

    @Test func `a key that says sandbox: false is real`() throws {
        let configuration = try Sample.load(text("a: { \(SandboxTests.real), sandbox: false }"))
        #expect(configuration.credentials.map(\.isSandbox) == [false])
    }

    @Test(arguments: [
        ("a: { provider: 'nos', sandbox: false, ‸accessKey: 'a b', secretKey: 's' }", "a.accessKey", "printable"),
        ("‸a: { provider: 'nos', sandbox: false, secretKey: 's' }", "a", "needs accessKey"),
        ("a: { provider: 'nos', sandbox: true, ‸accessKey: 'a:b' }", "a.accessKey", "must not contain :"),
        ("a: { \(sts), ‸accessKey: 'AK' }", "a.accessKey", "no real key may go"),
        ("a: { \(sts), ‸secretKey: 's' }", "a.secretKey", "one is made up"),
        ("a: { \(sts), ‸identity: 'environment' }", "a.identity", "must be key beside the sandbox"),
        ("a: { \(sts), ‸identity: 'ecs' }", "a.identity", "no real key may go"),
        ("a: { \(sts), ‸region: 'oss-cn-hangzhou' }", "a.region", "without oss-"),
        ("a: { \(sts), ‸caFile: 'ca.pem' }", "a.caFile", "spoken to without TLS"),
        ("a: { \(sts), ‸sandbox: true }", "a.sandbox", "is not known"),
        ("a: { \(role), ‸endpoints: ['Sandbox'] }", "a.endpoints", "sandbox in lower case"),
        ("a: { \(role), ‸endpoints: 'sanbox' }", "a.endpoints", "must begin with https://"),
        ("a: { \(role), ‸endpoints: ['sandbox', 'https://a.com'] }", "a.endpoints", "other endpoints beside sandbox"),
        ("a: { \(role), ‸endpoints: ['https://a.com', 'SANDBOX'] }", "a.endpoints", "other endpoints beside sandbox"),
    ])
    func `refuses what is neither real nor made up`(credentials: String, path: String, word: String) throws {
        try Mistake.check(text(credentials), "credentials.\(path)", word)
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

    @Test func `every made-up key is a warning`() throws {
        let warnings = try Sample.load(text("a: { provider: 'nos', sandbox: true }, b: { \(SandboxTests.sts) }"))
            .warnings
        for name in ["a", "b"] {
            #expect(warnings.contains("credentials.\(name): is for the sandbox; its key opens nothing at the vendor's"))
        }
        #expect(try !Sample.load(Sample.text).warnings.contains { $0.contains("sandbox") })
    }
}
