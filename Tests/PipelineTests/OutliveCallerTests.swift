import Crypto
import TestKeys
import Testing

@testable import TestService

/// A vendor takes a signed header for a time of its own. Whoever asks with a credential that ends before gets none, since it would
/// go on where the credential has ended.
@Suite("Signed headers and callers who end before them: R5, R17")
struct OutliveCallerTests {
    private static let setup = Setup(
        name: "outliving",
        credentials: """
            credentials: {
                "qiniu": { provider: "qiniu", accessKey: "\(Setup.qiniuAccessKey)", secretKey: { file: "secrets/qiniu" } },
                "nos": {
                  provider: "nos", accessKey: "\(Setup.nosAccessKey)", secretKey: "\(Setup.nosSecret)",
                  endpoint: "\(Setup.nosEndpoint)",
                },
                "oss": {
                  provider: "oss", accessKey: "\(Setup.ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" },
                  region: "cn-hangzhou",
                },
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
                \(grants("strict", "in/", "")) \(grants("loose", "out/", "outliveCaller: true,"))
                "url": {
                  route: "oss.presigned-url", credential: "oss", callers: ["jwt:intern"], bucket: "demo-bucket",
                  keyPrefix: "in/", methods: ["GET"],
                },
              },
            """,
        files: ["secrets/tokens": String(decoding: Setup.tokenSecret.secret, as: UTF8.self) + "\n"])

    private static func grants(_ name: String, _ prefix: String, _ more: String) -> String {
        [
            ("qiniu.authorization", "qiniu", "demo-media", ""),
            ("nos.authorization", "nos", "demo-files", "methods: ['GET'],"),
            ("oss.authorization", "oss", "demo-bucket", "methods: ['GET'],"),
            ("oss.sign", "oss", "demo-bucket", "methods: ['GET'], presign: '2h',"),
        ].map { route, credential, bucket, fields in
            """
            "\(name) \(route)": {
              route: "\(route)", credential: "\(credential)", callers: ["jwt:intern", "apiKey:alice"], bucket: "\(bucket)",
              keyPrefix: "\(prefix)", \(fields) \(more)
            },

            """
        }.joined()
    }

    /// What is asked for below a prefix, and for how many seconds its vendor takes it.
    private static func targets(_ prefix: String) -> [(target: String, seconds: ClosedRange<Int64>)] {
        let ahead = Signable(verb: "GET", type: "", date: httpDate(now + 58), resource: "/demo-bucket/\(prefix)a").text
        let form = SignableV4(method: "GET", key: "\(prefix)a", headers: []).form()
        return [
            ("/qiniu/authorization?operation=stat&key=\(prefix)a", 900...900),
            ("/qiniu/authorization?operation=list&prefix=\(prefix)a", 900...900),
            ("/nos/authorization?object=\(prefix)a", 900...900), ("/oss/authorization?key=\(prefix)a", 900...900),
            ("/oss/authorization?version=v1&key=\(prefix)a", 900...900),
            // The client's clock may be ahead.
            ("/oss/sign?content=\(percent(ahead))", 940...958), ("/oss/sign?\(form)", 880...900),
        ]
    }

    private static func bearer(expiresIn seconds: Int64) -> String {
        "Authorization: Bearer \(Setup.token(.hs256, expiresIn: seconds))"
    }

    @Test(arguments: Transport.everywhere)
    func `a token that is about to end gets no header that the vendor takes for 15 minutes`(_ transport: Transport)
        throws
    {
        let service = try Service.shared(Self.setup, transport)
        for (target, seconds) in Self.targets("in/") {
            for left in [20, 700] as [Int64] {
                let answer = try service.get(target, Self.bearer(expiresIn: left))
                answer.expectProblem(403, "credential_too_short", "let the grant say outliveCaller: true")
                let told = (answer.json["detail"]?.string ?? "").matches(of: #/(\d+) seconds/#)
                    .compactMap { Int64($0.output.1) }
                #expect(told.count == 2 && seconds.contains(told.first ?? 0), "\(target): \(told)")
                #expect((max(0, left - 20)...left).contains(told.last ?? -1), "\(target): \(told)")
            }
            // One that holds long enough gets it, and so does a key without an end.
            try service.get(target, Self.bearer(expiresIn: 3600)).expectSuccess()
            try service.get(target, APIKey.alice.bearer).expectSuccess()
        }
    }

    @Test func `a grant that says outliveCaller gives it, and says when it ends`() throws {
        let service = try Service.shared(Self.setup)
        for (target, seconds) in Self.targets("out/") {
            let answer = try service.get(target, Self.bearer(expiresIn: 60))
            answer.expectSuccess()
            #expect(seconds.contains(answer.json["expiresIn"]?.integer ?? 0), "\(target)")
        }
        // Of a URL the client chooses the end, so it never outlives the token.
        let url = Signable(verb: "GET", type: "", date: "\(now + 600)", resource: "/demo-bucket/out/a").text
        let answer = try service.get("/oss/sign?content=\(percent(url))", Self.bearer(expiresIn: 60))
        answer.expectProblem(403, "credential_too_short", "ask for an earlier end")
        let v4 = SignableV4.url.with { $0.key = "out/a" }.form()
        try service.get("/oss/sign?\(v4)", Self.bearer(expiresIn: 60)).expectProblem(403, "credential_too_short")
        try service.get("/oss/sign?\(v4)", Self.bearer(expiresIn: 400)).expectSuccess()
    }

    @Test func `what is made here and can be shortened is shortened`() throws {
        let service = try Service.shared(Self.setup)
        let answer = try service.get("/oss/presigned-url?key=in/a", Self.bearer(expiresIn: 60))
        answer.expectSuccess()
        #expect(answer.json["limitedBy"] == "caller")
        #expect((30...60).contains(answer.json["expiresIn"]?.integer ?? 0))
    }

    @Test func `a ticket is a credential that ends, too`() throws {
        let service = try Service.shared(Self.setup)
        for (grant, seconds, status) in [("strict", 600, 403), ("strict", 1800, 200), ("loose", 600, 200)] {
            let ticket = try service.post(
                "/tickets", json: "{\"grant\":\"\(grant) oss.authorization\",\"expires\":\(seconds)}",
                APIKey.alice.bearer)
            let name = try #require(ticket.json["ticket"]?.string)
            let key = grant == "strict" ? "in/a" : "out/a"
            #expect(try service.get("/oss/authorization?key=\(key)&ticket=\(name)").status == status)
        }
    }
}
