import Access
import Bytes
import Testing

@testable import Configuration

/// What a configuration says of itself.
@Suite(.timeLimit(.minutes(20)))
struct PolicyTestMistakeTests {
    private static let text = #"""
        {
          version: 1,
          credentials: { "kodo": { provider: "qiniu", accessKey: "AK", secretKey: { env: "QINIU_SECRET_KEY" } } },
          authentication: {
            apiKeys: [{ id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" }],
            jwt: [{ id: "login", issuer: "i", audience: "a", algorithms: "HS256", secret: { env: "TOKEN_SECRET" } }],
          },
          grants: {
            "own": { route: "qiniu.uptoken", credential: "kodo", callers: ["jwt:login"], bucket: "media",
              keyPrefix: "users/${claims.sub}/" },
          },
          policyTests: [
            { name: "own", caller: "jwt:login/42", claims: { exp: 2000000000, role: ["a"] }, route: "qiniu.uptoken",
              grant: "own", parameters: { key: "users/42/a", fsizeLimit: 1 }, at: "2026-01-01T00:00:00Z",
              expect: "allow", gives: { grant: "own", bucket: "media", key: "users/42/a", limitedBy: "grant", lifetime: "1h" } },
            { caller: "apiKey:app", route: "qiniu.uptoken", expect: "deny" },
            { caller: "anonymous", route: "qiniu.uptoken", expect: "unauthenticated" },
          ],
        }
        """#

    @Test func `what the mistakes are made in is right, and all of it is kept`() throws {
        let tests = try Sample.load(Self.text).policyTests
        #expect(tests.map(\.path) == ["policyTests[0]", "policyTests[1]", "policyTests[2]"])
        let first = try #require(tests.first)
        #expect(first.position?.line == 13 && first.position?.column == 5)
        #expect(first.name?.text == "own" && first.grant?.text == "own" && first.time == 1_767_225_600)
        #expect(first.caller.written.text == "jwt:login/42")
        #expect(first.claims.map(\.name.text) == ["exp", "role"])
        #expect(first.parameters.text == #"{"key":"users/42/a","fsizeLimit":1}"#)
        #expect(first.permit.lifetime == 3600 && first.permit.key?.text == "users/42/a")
        #expect(tests.map(\.expectation) == [.allow, .deny, .refusal(code: Array("unauthenticated".utf8))])
        #expect(tests[1].parameters.text == "{}")
    }

    @Test(arguments: [
        ("caller: \"apiKey:app\"", "caller: \"app\"", "caller", "\"apiKey:ID\""),
        ("caller: \"apiKey:app\"", "caller: \"apiKey:ap\"", "caller", "did you mean apiKey:app?"),
        ("caller: \"apiKey:app\"", "caller: \"jwt:login\"", "caller", "\"jwt:ID/SUBJECT\""),
        ("caller: \"apiKey:app\"", "caller: \"jwt:logout/1\"", "caller", "authentication.jwt"),
        (
            "route: \"qiniu.uptoken\", expect: \"deny\"", "route: \"qiniu.upload\", expect: \"deny\"", "route",
            "not known"
        ),
        (
            "route: \"qiniu.uptoken\", expect: \"deny\"", "route: \"qiniu.callback\", expect: \"deny\"", "route",
            "not known"
        ),
        ("expect: \"deny\"", "expect: \"deny\", gives: { key: \"a\" }", "gives", "where expect is \"allow\""),
        ("expect: \"deny\"", "expect: \"deny\", expects: 1", "expects", "did you mean expect?"),
    ])
    func `refuses tests that could say nothing`(_ old: String, _ new: String, _ key: String, _ word: String) throws {
        let text = try #require(Self.text.replacingOnce(old, with: new), "\(old)")
        let problems = Sample.problems(in: text)
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.path == "policyTests[1].\(key)", "\(problems)")
        #expect(problems.first?.reason.contains(word) == true, "\(problems)")
        #expect(problems.first?.position?.line == 16, "\(problems)")
    }
}
