import Access
import Bytes
import Providers
import Testing

@testable import Configuration

/// Grants of OSS's callbacks: what is said of them beside what is said of all callbacks (`CallbackTests`).
@Suite(.timeLimit(.minutes(20)))
struct OSSCallbackTests {
    private static func text(_ url: String = "https://app.example.com/done", _ more: String = "", others: String = "")
        -> String
    {
        """
        { version: 1,
          credentials: {
            "oss": { provider: "oss", accessKey: "AK-oss", secretKey: { env: "QINIU_SECRET_KEY" } },
            "kodo": { provider: "qiniu", accessKey: "AK-qiniu", secretKey: { env: "QINIU_SECRET_KEY" } },
          },
          grants: {
            "done": { route: "oss.callback", credential: "oss", publicURL: "\(url)", reply: { Status: "OK" }, \(more) },
            \(others)
          } }
        """
    }

    private func verifier(_ text: String) throws -> any CallbackVerifier {
        guard case .verifying(let verifier)? = try Sample.load(text).issuers.first else {
            throw FieldProblem("", "it verifies nothing")
        }
        return verifier
    }

    @Test(arguments: [
        ("", "https gosspublic.alicdn.com"), ("keyHost: \"keys.example.com:8443\"", "https keys.example.com:8443"),
        ("keyHost: \"https://keys.example.com\"", "https keys.example.com"),
        ("keyHost: \"http://127.0.0.1:9\"", "http 127.0.0.1:9"),
    ])
    func `the key is asked for at the vendor's host, or where the grant says, over TLS but for this machine`(
        field: String, host: String
    ) throws {
        let found = try #require(try verifier(OSSCallbackTests.text("https://app.example.com/done", field)).keyHost)
        #expect((found.isSecure ? "https " : "http ") + found.authority.text == host)
    }

    @Test(arguments: [
        ("‸keyHost: \"http://keys.example.com\"", "keyHost", "only this machine"),
        ("‸keyHost: \"http://gosspublic.alicdn.com\"", "keyHost", "only this machine"),
        ("‸keyHost: \"https://keys.example.com/keys\"", "keyHost", "must name a host"),
        ("‸keyHost: \"https://u@keys.example.com\"", "keyHost", "must name a host"),
        ("‸keyHost: \"keys.example.com:0\"", "keyHost", "no path or query"),
        ("‸keyHost: \"\"", "keyHost", "must not be empty"), ("‸keyHost: []", "keyHost", "must be a string"),
        ("‸schemes: \"qiniu\"", "schemes", "is not known"), ("‸callers: \"anonymous\"", "callers", "is not known"),
        ("‸bucket: \"media\"", "bucket", "is not known"), ("‸lifetime: \"1m\"", "lifetime", "is not known"),
        ("‸keyhost: \"a.example\"", "keyhost", "did you mean keyHost?"),
    ])
    func `nothing else is said`(field: String, path: String, word: String) throws {
        try Mistake.check(
            OSSCallbackTests.text("https://app.example.com/done", field), "grants.done.\(path)", word)
    }

    @Test(arguments: [
        "https://app.example.com/a+b", "https://app.example.com/a%3Fb", "https://app.example.com/a%0Ab",
        "https://app.example.com/a%00", "https://app.example.com/a%2", "https://app.example.com/a%zz?x",
    ])
    func `a path of which OSS would sign something else is refused`(url: String) throws {
        let text = OSSCallbackTests.text(url).replacing("publicURL:", with: "‸publicURL:")
        try Mistake.check(text, "grants.done.publicURL", "must have a path without +")
    }

    @Test(arguments: [
        "https://app.example.com/a%20b%2Fc", "https://app.example.com/oss/callback?a+b", "http://192.0.2.1:8080/",
    ])
    func `any other is as OSS knows it`(url: String) throws {
        let found = try verifier(OSSCallbackTests.text(url)).publicURL
        #expect(url.hasSuffix(found.path.text + (found.query.map { "?" + $0.text } ?? "")))
    }

    @Test func `what cannot be a public URL of any vendor's is none of OSS's`() throws {
        let text = OSSCallbackTests.text("https://App.example.com/a").replacing("publicURL:", with: "‸publicURL:")
        try Mistake.check(text, "grants.done.publicURL", "must be https:// or http://")
    }

    @Test func `a callback's credential is one of its vendor, and no two vendors' are at one path`() throws {
        let text = OSSCallbackTests.text()
        try Mistake.check(
            text.replacing("credential: \"oss\"", with: "‸credential: \"kodo\""), "grants.done.credential",
            "needs one of oss")
        let other = "\"other\": { route: \"qiniu.callback\", credential: \"kodo\", reply: {}, "
        try Mistake.check(
            OSSCallbackTests.text(others: other + "‸publicURL: \"https://b.example.com/done\" }"),
            "grants.other.publicURL", "path and query of that of grants.done")
    }
}
