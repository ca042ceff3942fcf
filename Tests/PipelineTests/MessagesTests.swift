import Crypto
import Foundation
import TestKeys
import Testing

@testable import TestService

@Suite("What refusals say over HTTP: R4, R7")
struct MessagesTests {
    private static let setup = Setup(
        name: "messages",
        credentials: """
            credentials: {
                "qiniu": { provider: "qiniu", accessKey: "\(Setup.qiniuAccessKey)", secretKey: { file: "secrets/qiniu" } },
              }
            """,
        rest: """
            authentication: {
                apiKeys: [\(APIKey.alice.entry)],
                jwt: [{ id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                  secret: { file: "secrets/tokens" } }],
                tickets: { secret: "\(Setup.ticketSecret)" },
              },
              grants: {
                "photos": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"], bucket: "demo-media",
                  keyPrefix: "photos/${caller.id}/",
                },
                "report": {
                  route: "qiniu.download-url", credential: "qiniu", callers: ["apiKey:alice"], domain: "d.example.com",
                  key: "reports/${caller.id}.pdf",
                },
                "scoped": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["jwt:intern"], bucket: "demo-media",
                  where: { "claims.plan": ["paid"] }, keyPrefix: "paid/",
                },
                "tenant": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["jwt:intern"], bucket: "demo-media",
                  keyPrefix: "tenants/${claims.tenant}/",
                },
              },
            """,
        files: ["secrets/tokens": String(decoding: Setup.tokenSecret.secret, as: UTF8.self) + "\n"])

    private static func bearer(_ more: String = "", expiresIn seconds: Int64 = 3600) -> String {
        "Authorization: Bearer \(Setup.token(.hs256, expiresIn: seconds, more: more))"
    }

    /// The line of the log that has an answer's id.
    private static func line(of answer: Answer, in service: Service) throws -> String {
        let id = try #require(answer.json["requestId"]?.string)
        return service.logged.split(separator: "\n").first { $0.contains(id) }.map(String.init) ?? ""
    }

    @Test(arguments: ["application/x-www-form-urlencoded", "text/plain", "text/plain;charset=UTF-8", ""])
    func `JSON that is not called so is told which header to send`(type: String) throws {
        let service = try Service.shared(Self.setup)
        let fields = [APIKey.alice.bearer] + (type.isEmpty ? [] : ["Content-Type: \(type)"])
        for body in [#"{"key":"photos/alice/a.jpg"}"#, " \n{"] {
            try service.ask("POST", "/qiniu/uptoken", fields, body: body)
                .expectProblem(415, "unsupported_media_type", "send it with the header Content-Type: application/json")
        }
        // Nobody is told before it is known who asks.
        try service.ask("POST", "/qiniu/uptoken", Array(fields.dropFirst()), body: "{}")
            .expectProblem(401, "unauthenticated")
    }

    @Test func `a path that is nearly a route's is told of that route`() throws {
        let service = try Service.shared(Self.setup)
        for (path, meant) in [
            ("/qiniu/uptokens", "/qiniu/uptoken"), ("/qiniu/uptoken/", "/qiniu/uptoken"),
            ("/distribute-token", "/distribute-token.json"), ("/grant", "/grants"), ("/ticket", "/tickets"),
        ] {
            try service.get(path)
                .expectProblem(404, "not_found", "there is nothing at this path; did you mean \(meant)?")
        }
        for path in ["/", "/favicon.ico", "/qiniu/uptoken" + String(repeating: "n", count: 80)] {
            #expect(try service.get(path).json["detail"] == "there is nothing at this path", "\(path)")
        }
    }

    @Test(arguments: ["Authorization: Bearer", "Authorization: bearer ", "X-API-Key:"])
    func `an empty credential is called empty`(field: String) throws {
        try Service.shared(Self.setup).get("/qiniu/uptoken", field)
            .expectProblem(401, "unauthenticated", "the credential is empty")
    }

    @Test func `a 401 names the kinds of credential that are taken, and no others`() throws {
        let told =
            "an API key (Authorization: Bearer KEY, or X-API-Key: KEY), a token (Authorization: Bearer TOKEN) or a ticket"
        for target in ["/qiniu/uptoken", "/grants"] {
            try Service.shared(Self.setup).get(target).expectProblem(401, "unauthenticated", told)
        }
        let closed = try Service.shared(.closed).get("/qiniu/uptoken")
        closed.expectProblem(401, "unauthenticated", "an API key")
        #expect(closed.json["detail"]?.string?.contains("TOKEN") == false)
    }

    @Test func `a key outside the prefix is told the prefix, as /grants tells it`() throws {
        let service = try Service.shared(Self.setup)
        try service.get("/qiniu/uptoken?key=a.jpg", APIKey.alice.bearer)
            .expectProblem(403, "not_in_grant", "the grant's prefix: photos/alice/")
        try service.get("/qiniu/download-url?key=a.jpg", APIKey.alice.bearer)
            .expectProblem(403, "not_in_grant", ": reports/alice.pdf")
        // A ticket's holder has no list of grants.
        let ticket = try service.post("/tickets", json: #"{"grant":"photos"}"#, APIKey.alice.bearer).json["ticket"]?
            .string
        let answer = try service.get("/qiniu/uptoken?key=a.jpg&ticket=\(try #require(ticket))")
        answer.expectProblem(403, "not_in_grant", "keyPrefix")
        #expect(!answer.text.contains("photos/alice/"))
    }

    @Test func `a key outside several prefixes is told all of them, or none where they are many`() throws {
        func grants(_ count: Int) -> String {
            let common = #"route: "qiniu.uptoken", credential: "qiniu", callers: "apiKey:alice", bucket: "media""#
            return (1...count).map { #""g\#($0)": { \#(common), keyPrefix: "p\#($0)/" }"# }.joined(separator: ",\n")
        }
        for (count, ending) in [(2, ": p1/, p2/"), (8, ": p1/, p2/, p3/, p4/, p5/, p6/, p7/, p8/"), (9, "prefix")] {
            let setup = Setup(
                name: "prefixes \(count)",
                rest: "authentication: { apiKeys: [\(APIKey.alice.entry)] }, grants: { \(grants(count)) },")
            let answer = try Service.shared(setup).get("/qiniu/uptoken?key=a.jpg", APIKey.alice.bearer)
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["detail"]?.string?.hasSuffix(ending) == true, "\(answer.text)")
            let named = try Service.shared(setup).get("/qiniu/uptoken?key=a.jpg&grant=g1", APIKey.alice.bearer)
            #expect(named.json["detail"]?.string?.hasSuffix(": p1/") == true, "\(named.text)")
        }
    }

    @Test func `a claim that keeps a caller from a grant is named in the log, and not to the caller`() throws {
        try Service.run(Self.setup) { service in
            for (claims, told) in [
                ("", "grants.scoped: the token has no claim plan; grants.tenant: the token has no claim tenant"),
                ("\"plan\":7.5,\"tenant\":[1]", "the claim plan is a number"),
                (
                    "\"plan\":\"free\",\"tenant\":\"a/b\"",
                    "the claim tenant has the character /, and must be 1 to 128 of A-Z"
                ),
                ("\"plan\":\"free\",\"tenant\":\"a/b\"", "the claim plan is none of those"),
            ] {
                let answer = try service.get("/qiniu/uptoken?key=x", Self.bearer(claims))
                answer.expectProblem(403, "not_in_grant")
                for name in ["plan", "tenant", "scoped", "paid/"] {
                    #expect(!answer.text.contains(name), "\(answer.text)")
                }
                let line = try Self.line(of: answer, in: service)
                #expect(line.contains(told), "\(line)")
                #expect(!line.contains("free") && !line.contains("a/b"))
            }
        }
    }

    @Test func `a token that is refused is explained in the log, which the answer's requestId finds`() throws {
        try Service.run(Self.setup) { service in
            let other = Self.bearer().replacing("Bearer ", with: "Bearer x")
            for (credential, part) in [
                (Self.bearer(expiresIn: -100), "time"), (Self.bearer() + "AAAA", "signature"), (other, "form"),
                ("Authorization: Bearer \(Setup.token(.es256))", "issuer"),
            ] {
                let answer = try service.get("/qiniu/uptoken", credential)
                answer.expectProblem(401, "unauthenticated")
                let line = try Self.line(of: answer, in: service)
                #expect(line.contains("token refused") && line.contains("failed=\(part)"), "\(part): \(line)")
                #expect(!line.contains(credential.suffix(20)))
            }
        }
    }

    @Test func `whoever sends wrong tokens by the hundred has a few lines of the log a second`() throws {
        try Service.run(Self.setup) { service in
            for _ in 0..<40 { _ = try service.get("/qiniu/uptoken", Self.bearer() + "AAAA") }
            let lines = service.logged.split(separator: "\n").filter { $0.contains("token refused") }
            // The test may see more than one second begin.
            #expect((10...30).contains(lines.count), "\(lines.count)")
        }
    }

    private static let sessions = Setup(
        name: "sessions that fit", credentials: Setup.sandbox.credentials,
        rest: """
            authentication: {
                jwt: [{ id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                  secret: { file: "secrets/tokens" } }],
              },
              grants: {
                "own": {
                  route: "distribute-token", credential: "oss-sts", callers: ["jwt:intern"], bucket: "demo-bucket",
                  keyPrefix: "users/${sha256:claims.sub}/", actions: ["oss:PutObject"],
                },
              },
            """,
        files: ["secrets/tokens": String(decoding: Setup.tokenSecret.secret, as: UTF8.self) + "\n"])

    @Test func `R17: an ordinary token of 30 minutes gets a session, and one that is too short is told what would do`()
        throws
    {
        let service = try Service.shared(Self.sessions)
        let answer = try service.get("/distribute-token.json", Self.bearer(expiresIn: 1800))
        #expect(answer.status == 200 && answer["Countersign-Limited-By"] == "caller", "\(answer.text)")
        try service.get("/distribute-token.json?expires=3600", Self.bearer(expiresIn: 1800))
            .expectProblem(403, "credential_too_short", "ask for expires from 900 to 1", forSDK: true)
        let short = try service.get("/distribute-token.json", Self.bearer(expiresIn: 600))
        short.expectProblem(403, "credential_too_short", "the least that the vendor gives is expires=900", forSDK: true)
        #expect(short.json["detail"]?.string?.contains("outliveCaller: true") == true)
    }
}
