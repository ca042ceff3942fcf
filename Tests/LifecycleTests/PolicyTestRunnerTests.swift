import Bytes
import Testing

@testable import Configuration
@testable import Gateway
@testable import Lifecycle
@testable import TestSamples

/// Configurations that say what must come of them.
@Suite struct PolicyTestRunnerTests {
    private func failures(_ tests: String) throws -> [Problem] {
        PolicyTestRunner.failures(of: try InquiryFixture.configuration(testing: tests), at: 1_795_158_947)
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
