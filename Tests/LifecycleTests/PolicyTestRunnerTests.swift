import Bytes
import Testing

@testable import Configuration
@testable import Gateway
@testable import Lifecycle
@testable import TestSamples

/// Configurations that say what must come of them.
@Suite struct PolicyTestRunnerTests {
    private func failures(_ tests: String) throws -> [Problem] {
        try run(tests).failures
    }

    private func run(_ tests: String) throws -> PolicyTestRunner.Results {
        PolicyTestRunner.run(try InquiryFixture.configuration(testing: tests), at: 1_795_158_947)
    }

    @Test func `one that fails because deny names its caller only warns, so that it keeps nobody from a denial`() throws
    {
        let denied = try run(
            #"{ name: "hers", caller: "jwt:login/mallory", claims: { scope: "upload" }, route: "qiniu.uptoken", parameters: { ext: "png" }, expect: "allow" }"#
        )
        #expect(denied.failures.isEmpty && denied.suspended.count == 1)
        let warning = try #require(denied.suspended.first?.description)
        #expect(
            warning.contains("policyTests[0]: \"hers\" does not count while authentication.deny names"), "\(warning)")
        let others = try run(
            #"{ caller: "jwt:login/mallory", route: "qiniu.uptoken", expect: "deny" }, { caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "no/x" }, expect: "allow" }"#
        )
        #expect(others.failures.map(\.path) == ["policyTests[1]"] && others.suspended.isEmpty)
    }

    @Test func `one that fails because its caller's keys have ended only warns`() throws {
        let test =
            #"{ caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/x" }, expect: "allow" }"#
        let ended = try InquiryFixture.configuration(testing: test, ending: "2026-01-01T00:00:00Z")
        let results = PolicyTestRunner.run(ended, at: 1_795_158_947)
        #expect(results.failures.isEmpty && results.suspended.count == 1)
        #expect(results.suspended.first?.reason.contains("every API key of its caller has ended") == true)
        #expect(PolicyTestRunner.run(ended, at: 1_700_000_000).suspended.isEmpty)
    }

    @Test(arguments: [("alow", "allow"), ("denny", "deny"), ("not_in_grants", "not_in_grant"), ("403", "")])
    func `an expectation that nothing can meet is a mistake`(_ word: String, _ meant: String) throws {
        let results = try run(#"{ caller: "apiKey:app", route: "qiniu.uptoken", expect: "\#(word)" }"#)
        let problem = try #require(results.failures.first)
        #expect(results.failures.count == 1 && problem.path == "policyTests[0].expect", "\(problem)")
        #expect(problem.reason.contains("did you mean \(meant)?") || meant.isEmpty, "\(problem)")
    }

    @Test func `tests that hold say nothing`() throws {
        let failures = try failures(
            """
            { caller: "jwt:login/anne", claims: { scope: "upload more" }, route: "qiniu.uptoken",
              parameters: { ext: "png", fsizeLimit: 10 }, expect: "allow",
              gives: { grant: "avatars", bucket: "media", key: "avatars/anne/me.png", limitedBy: "grant", lifetime: "10m" } },
            { caller: "jwt:login/anne", claims: { scope: ["upload"], exp: 1795159007 }, route: "qiniu.uptoken",
              grant: "avatars", parameters: { ext: "png" }, expect: "allow", gives: { limitedBy: "caller", lifetime: "60s" } },
            { caller: "jwt:login/anne", claims: { scope: "read" }, route: "qiniu.uptoken", parameters: { ext: "png" },
              expect: "not_in_grant" },
            { caller: "jwt:login/mallory", route: "qiniu.uptoken", expect: "forbidden" },
            { caller: "anonymous", route: "qiniu.uptoken", expect: "unauthenticated" },
            { caller: "anonymous", route: "nos.token", parameters: { object: "in/a" }, expect: "allow" },
            { caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/twins/a" }, expect: "ambiguous_grant" },
            { caller: "apiKey:app", route: "qiniu.uptoken", parameters: { kez: "a" }, expect: "unknown_parameter" },
            { caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: 7 }, expect: "invalid_parameter" },
            { caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "a" }, expect: "deny" },
            { caller: "apiKey:app", route: "oss.sign", at: "2026-11-20T07:15:47Z", expect: "allow", parameters: {
              contentToSign: "PUT\\n\\n\\nFri, 20 Nov 2026 07:15:47 GMT\\n/bucket-one/in/a" } },
            { caller: "apiKey:app", route: "oss.sign", at: "2026-11-20T08:15:47Z", expect: "deny", parameters: {
              contentToSign: "PUT\\n\\n\\nFri, 20 Nov 2026 07:15:47 GMT\\n/bucket-one/in/a" } },
            """)
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test(arguments: [
        (
            #"{ name: "mine", caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "x" }, expect: "allow" }"#,
            [
                "\"mine\" fails", "it must be allowed", "not_in_grant",
                "grants.photos: keyPrefix: the key does not begin",
                "grants.avatars: callers",
            ]
        ),
        (
            #"{ caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/x" }, expect: "deny" }"#,
            ["it must be refused, and grants.photos allows it"]
        ),
        (
            #"{ caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/x" }, expect: "forbidden" }"#,
            ["it must be refused, and grants.photos allows it"]
        ),
        (
            #"{ caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "x" }, expect: "forbidden" }"#,
            ["it must be refused as forbidden, and is as not_in_grant"]
        ),
        (
            #"{ caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/x" }, expect: "allow", gives: { key: "y" } }"#,
            ["key must be y, and is photos/x"]
        ),
        (
            #"{ caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/x" }, expect: "allow", gives: { limitedBy: "caller" } }"#,
            ["limitedBy must be caller, and is grant"]
        ),
        (
            #"{ caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/x" }, expect: "allow", gives: { lifetime: "2h" } }"#,
            ["lifetime must be 7200 s, and is 3600 s"]
        ),
        (
            #"{ caller: "jwt:login/anne", claims: { sub: "bob" }, route: "qiniu.uptoken", expect: "allow" }"#,
            ["unauthenticated", "must be the caller's own"]
        ),
    ])
    func `one that does not hold says why`(_ test: String, _ words: [String]) throws {
        let failures = try failures("{ caller: \"anonymous\", route: \"qiniu.uptoken\", expect: \"deny\" },\n" + test)
        let failure = try #require(failures.first)
        #expect(failures.count == 1 && failure.path == "policyTests[1]" && failure.position != nil, "\(failures)")
        for word in words { #expect(failure.reason.contains(word), "\(failure.reason)") }
    }

    @Test func `nothing of a test reaches a terminal as it is`() throws {
        let failures = try failures(
            #"{ name: "a\u009bb", caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/\u202ex" }, expect: "allow", gives: { key: "\u202ey" } }"#
        )
        let reason = try #require(failures.first?.reason)
        #expect(reason.contains(#"a\u{9b}b"#) && reason.contains(#"\u{202e}x"#), "\(reason)")
        #expect(!reason.unicodeScalars.contains { $0.value == 0x9B || $0.value == 0x202E })
    }
}
