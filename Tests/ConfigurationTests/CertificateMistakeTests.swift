import Access
import Bytes
import Testing

@testable import Configuration

/// Callers who are known by their certificates.
@Suite(.timeLimit(.minutes(20)))
struct CertificateMistakeTests {
    private static let text = #"""
        {
          version: 1,
          server: { tls: {
            certificates: [{ names: "localhost", certificateFile: "tls.pem", keyFile: "tls.key" }],
            clientCAFile: "authority.pem",
          } },
          credentials: { "kodo": { provider: "qiniu", accessKey: "AK", secretKey: { env: "QINIU_SECRET_KEY" } } },
          authentication: {
            certificates: [
              { id: "backend", san: ["dns:backend.example.com", "uri:spiffe://example.com/backend"] },
              { id: "batch", san: "email:batch@example.com" },
            ],
            deny: ["certificate:batch"],
          },
          grants: {
            "own": {
              route: "qiniu.uptoken", credential: "kodo", callers: ["certificate:backend"], bucket: "media",
              keyPrefix: "users/${caller.id}/",
            },
          },
        }
        """#

    private static func mistake(_ old: String, _ new: String, _ path: String, _ word: String) -> Mistake {
        Mistake(old, new, path, word, in: text)
    }

    private static func name(_ name: String, _ word: String) -> Mistake {
        mistake(
            "\"email:batch@example.com\"", "‸\"\(name)\"", "authentication.certificates[1].san", word)
    }

    @Test func `what the mistakes are made in is right`() throws {
        let configuration = try Sample.load(Self.text)
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.authenticator.hasCertificates)
    }

    @Test(
        "refuses certificates that nobody could have, or two (R9)",
        arguments: [
            mistake("id: \"batch\", san", "san", "authentication.certificates[1]", "needs id").at("{ san")
                .without("deny: [\"certificate:batch\"],"),
            mistake("id: \"batch\"", "‸id: \"a/b\"", "authentication.certificates[1].id", "1 to 128 of")
                .without("deny: [\"certificate:batch\"],"),
            mistake("id: \"batch\"", "‸id: \"backend\"", "authentication.certificates[1].id", "another entry's id")
                .without("deny: [\"certificate:batch\"],"),
            mistake(", san: \"email:batch@example.com\"", "", "authentication.certificates[1]", "needs san")
                .at("{ id: \"batch\""),
            mistake(
                "san: \"email:batch@example.com\"", "‸san: []", "authentication.certificates[1].san", "at least one"),
            mistake(
                "\"email:batch@example.com\"", "[\"email:a@b\", ‸\"dns:backend.example.com\"]",
                "authentication.certificates[1].san[1]", "named already"),
            mistake(
                "\"uri:spiffe://example.com/backend\"", "‸\"dns:backend.example.com\"",
                "authentication.certificates[0].san[1]", "in the list already"),
        ])
    func entries(mistake: Mistake) throws { try mistake.check() }

    @Test(arguments: [
        "batch.example.com", "dns:", "dns:*.example.com", "dns:https://a", "dns:a.example.com ", "dns:192.0.2.1",
        "DNS:a.example.com", "ip:192.0.2.1", "uri:", "uri:backend", "uri:spiffe://example.com/*", "email:", "email:ops",
        "email:*@example.com", "cn:backend",
    ])
    func `refuses names that no certificate has, and stars`(name: String) throws {
        try Mistake(
            "san: \"email:batch@example.com\"", "san: [‸\"\(name)\"]", "authentication.certificates[1].san[0]",
            "as the certificate has it", in: Self.text
        ).check()
    }

    @Test(
        "refuses names of certificates that there are not (R12)",
        arguments: [
            mistake("\"certificate:batch\"]", "‸\"certificate:bach\"]", "authentication.deny[0]", "certificate:batch?"),
            mistake("\"certificate:batch\"]", "‸\"certificate:\"]", "authentication.deny[0]", "\"certificate:ID\""),
            mistake("\"certificate:batch\"]", "‸\"apiKey:batch\"]", "authentication.deny[0]", "names no API key"),
            mistake(
                "\"certificate:backend\"]", "‸\"certificate:back\"]", "grants.own.callers[0]", "names no certificate"),
            mistake(
                "\"certificate:backend\"]", "\"certificate:backend\", \"certificate:batch\"]", "grants.own.keyPrefix",
                "(R9)"
            )
            .at("keyPrefix: \"users"),
            mistake(
                "keyPrefix: \"users/${caller.id}/\"", "‸keyPrefix: \"users/${claims.sub}/\"", "grants.own.keyPrefix",
                "only callers jwt:ID"),
        ])
    func names(mistake: Mistake) throws { try mistake.check() }

    @Test func `R9: certificates need authorities who vouch for them`() throws {
        try Self.mistake(
            "clientCAFile: \"authority.pem\",", "", "authentication.certificates", "needs server.tls.clientCAFile"
        )
        .at("certificates: [\n      { id").check()
    }

    @Test func `authorities without certificates of callers are warned of`() throws {
        let tls = """
            tls: { certificates: [{ names: "localhost", certificateFile: "tls.pem", keyFile: "tls.key" }], \
            clientCAFile: "authority.pem" }
            """
        let text = try #require(Sample.text.replacingOnce("plaintext: false", with: tls))
        #expect(try Sample.load(text).warnings.contains { $0.hasPrefix("server.tls.clientCAFile: ") })
    }
}
