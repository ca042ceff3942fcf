import Access
import Bytes
import Providers
import Testing

@testable import Configuration

/// Grants of callbacks: what may stand in them, and beside each other (R6).
@Suite(.timeLimit(.minutes(20)))
struct CallbackTests {
    private static let url = "\"https://app.example.com/done\""
    private static let reply = "{}"

    private static func text(
        publicURL: String = url, reply: String = reply, more: String = "", others: String = "", server: String = ""
    ) -> String {
        """
        { version: 1, server: { \(server) },
          credentials: {
            "kodo": { provider: "qiniu", accessKey: "AK-qiniu", secretKey: { env: "QINIU_SECRET_KEY" } },
            "nos": { provider: "nos", accessKey: "AK-nos", secretKey: { file: "nos-key" } },
          },
          grants: {
            "done": {
              route: "qiniu.callback", credential: "kodo", publicURL: \(publicURL), reply: \(reply), \(more)
            },
            \(others)
          } }
        """
    }

    private static func other(_ url: String) -> String {
        "\"other\": { route: \"qiniu.callback\", credential: \"kodo\", publicURL: \(url), reply: {} },"
    }

    private func verifier(_ text: String) throws -> any CallbackVerifier {
        guard case .verifying(let verifier)? = try Sample.load(text).issuers.first else {
            throw FieldProblem("", "it verifies nothing")
        }
        return verifier
    }

    @Test func `a grant has neither callers nor scope nor lifetime`() throws {
        let configuration = try Sample.load(CallbackTests.text())
        #expect(configuration.warnings == ["credentials.nos: no grant uses it"])
        #expect(configuration.grants.map(\.callers.count) == [0])
        for field in [
            "callers: [\"anonymous\"]", "public: true", "unscoped: true", "bucket: \"b\"", "lifetime: \"1m\"",
        ] {
            let name = field.prefix { $0 != ":" }
            try Mistake.check(CallbackTests.text(more: "‸" + field), "grants.done.\(name)", "is not known")
        }
    }

    @Test(arguments: [
        ("https://app.example.com/done", "app.example.com", "/done", nil),
        ("http://app.example.com:8080/", "app.example.com:8080", "/", nil),
        ("https://192.0.2.1/a/b%20c?x=1&y=/?", "192.0.2.1", "/a/b%20c", "x=1&y=/?"),
    ])
    func `a public URL is taken apart as it is spelled`(
        text: String, authority: String, path: String, query: String?
    ) throws {
        let url = try verifier(CallbackTests.text(publicURL: "\"\(text)\"")).publicURL
        #expect(url.authority.text == authority && url.path.text == path && url.query?.text == query)
    }

    @Test(arguments: [
        "app.example.com/done", "ftp://app.example.com/done", "https://app.example.com", "https:///done",
        "https://App.example.com/done", "https://app.example.com:443/done", "http://app.example.com:80/done",
        "https://u@app.example.com/done", "https://app.example.com/done#x", "https://app.example.com/done?",
        "https://app.example.com?x=/", "https://app.example.com/dön", "https://app.example.com/a b",
        "https://app.example.com:0/done", "https://-app.example.com/done", "HTTPS://app.example.com/done",
    ])
    func `a public URL that the vendor could spell otherwise is refused`(url: String) throws {
        try Mistake.check(
            CallbackTests.text(publicURL: "\"\(url)\"").replacing("publicURL:", with: "‸publicURL:"),
            "grants.done.publicURL", "must be https:// or http://")
    }

    @Test func `a reply is written as JSON, whatever the configuration's spelling`() throws {
        let reply = "{ ok: true, 'seconds': 1.50, /* and */ list: [null, -7, 'a\\u00e9\\\n\"',], }"
        let verifier = try verifier(CallbackTests.text(reply: reply))
        #expect(verifier.reply.text == #"{"ok":true,"seconds":1.50,"list":[null,-7,"aé\""]}"#)
    }

    @Test(arguments: [
        ("[]", "must be an object"), ("\"{}\"", "must be an object"), ("{ a: 0x10 }", "numbers as JSON"),
        ("{ a: +1 }", "numbers as JSON"), ("{ a: [{ b: .5 }] }", "numbers as JSON"), ("{ a: NaN }", "numbers as JSON"),
        ("{ key: \"${key}\" }", "must not contain ${"), ("{ \"${key}\": 1 }", "must not contain ${"),
        ("{ a: \"\(String(repeating: "x", count: 8192))\" }", "at most 8192 bytes"),
    ])
    func `a reply that is no JSON object, or too long, is refused`(reply: String, word: String) throws {
        try Mistake.check(
            CallbackTests.text(reply: reply).replacing("reply:", with: "‸reply:"), "grants.done.reply", word)
    }

    @Test(arguments: ["[]", "\"qinu\"", "[\"qiniu\", \"Qbox\"]"])
    func `schemes are of those that there are`(schemes: String) throws {
        try Mistake.check(CallbackTests.text(more: "‸schemes: \(schemes)"), "grants.done.schemes", "of qiniu and qbox")
    }

    @Test func `paths are the service's own only where the callback's route is`() throws {
        _ = try Sample.load(CallbackTests.text(publicURL: "\"https://app.example.com/qiniu/callback\""))
        for path in ["/livez", "/qiniu/uptoken", "/distribute-token.json"] {
            let text = CallbackTests.text(publicURL: "\"https://app.example.com\(path)\"")
            try Mistake.check(
                text.replacing("publicURL:", with: "‸publicURL:"), "grants.done.publicURL", "the service's own")
        }
        let aliased = CallbackTests.text(server: "aliases: { \"/done\": \"nos.token\" }")
        try Mistake.check(
            aliased.replacing("publicURL:", with: "‸publicURL:"), "grants.done.publicURL", "server.aliases")
    }

    @Test func `an alias is not for callbacks`() throws {
        try Mistake.check(
            CallbackTests.text(server: "aliases: { ‸\"/hook\": \"qiniu.callback\" }"), "server.aliases[\"/hook\"]",
            "publicURL")
    }

    @Test(arguments: [
        ("https://app.example.com/done", "https://app.example.com/done"),
        ("https://app.example.com/done", "http://other.example.com:8080/done"),
        ("https://app.example.com/done?a", "https://other.example.com/done?a"),
    ])
    func `two that nobody could tell apart are refused`(first: String, second: String) throws {
        let text = CallbackTests.text(publicURL: "\"\(first)\"", others: CallbackTests.other("\"\(second)\""))
        try Mistake.check(
            text.replacing("publicURL: \"\(second)\", reply: {} }", with: "‸publicURL: \"\(second)\", reply: {} }"),
            "grants.other.publicURL", "path and query of that of grants.done")
    }

    @Test(arguments: [
        ("https://app.example.com/done", "https://app.example.com/done?a"),
        ("https://app.example.com/done?b", "https://app.example.com/done?a"),
        ("https://app.example.com/done", "https://app.example.com/done/"),
    ])
    func `two that differ in path or query stand beside each other`(first: String, second: String) throws {
        let text = CallbackTests.text(publicURL: "\"\(first)\"", others: CallbackTests.other("\"\(second)\""))
        #expect(try Sample.load(text).grants.count == 2)
    }

    @Test func `a callback's credential is one of its vendor`() throws {
        let text = CallbackTests.text().replacing("credential: \"kodo\"", with: "‸credential: \"nos\"")
        try Mistake.check(text, "grants.done.credential", "needs one of qiniu")
    }
}
