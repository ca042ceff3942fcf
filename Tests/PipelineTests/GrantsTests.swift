import Foundation
import Testing

@testable import TestService

@Suite("What a caller may do, over HTTP")
struct GrantsTests {
    private static func names(_ answer: Answer) -> [String] {
        (answer.json["grants"]?.list ?? []).compactMap { $0["name"]?.string }
    }

    private static func grant(_ name: String, in answer: Answer) throws -> JSON {
        try #require(answer.json["grants"]?.list?.first { $0["name"] == .string(name) })
    }

    @Test func `each caller is told its own grants, rendered for it, and nobody else's`() throws {
        let service = try Service.shared(.closed)
        let alice = try service.get("/grants", APIKey.alice.bearer)
        alice.expectSuccess()
        #expect(Self.names(alice) == ["everybody", "alice"])
        #expect(
            try Self.grant("everybody", in: alice)
                == .object([
                    "name": "everybody", "route": "qiniu.uptoken", "path": "/qiniu/uptoken", "provider": "qiniu",
                    "bucket": "closed-media", "keyPrefix": "all/apiKey-alice/", "lifetime": 3600, "maxLifetime": 7200,
                ]))
        #expect(try Self.grant("alice", in: alice)["keyPrefix"] == "users/alice/")
        let bob = try service.get("/grants", APIKey.bob.bearer)
        #expect(Self.names(bob) == ["everybody", "stamped", "numbered"])
        // The server chooses these anew for each request.
        #expect(try Self.grant("numbered", in: bob)["key"] == .null)
        #expect(try Self.grant("stamped", in: bob)["key"] == .null)
        // Who has a name that another grant is for gets nothing of it.
        #expect(Self.names(try service.get("/grants", APIKey.dotted.bearer)) == ["everybody"])
        let signing = try Self.grant("signing", in: try service.get("/grants", APIKey.ending.bearer))
        #expect(signing["methods"] == .list(["GET", "PUT"]))
        #expect(signing["presign"] == 7200)
        #expect(signing["lifetime"] == nil)
    }

    @Test func `who may have nothing is told nothing`() throws {
        let service = try Service.shared(.closed)
        try service.get("/grants").expectProblem(401, "unauthenticated")
        try service.get("/grants", "X-API-Key: wrong").expectProblem(401, "unauthenticated")
        try service.get("/grants", APIKey.ended.bearer).expectProblem(401, "unauthenticated")
        try service.get("/grants", APIKey.denied.bearer).expectProblem(403, "forbidden")
        try service.get("/grants", APIKey.alice.bearer, "X-API-Key: \(APIKey.alice.key)")
            .expectProblem(401, "unauthenticated")
    }

    @Test func `anonymous callers are told what is public`() throws {
        let answer = try Service.shared(.open).get("/grants?_=1")
        answer.expectSuccess()
        #expect(
            Self.names(answer) == ["photos", "fixed", "tuned", "tunedfree", "twin", "files", "objects"])
        #expect(try Self.grant("fixed", in: answer)["key"] == "fixed/report.pdf")
        #expect(try Self.grant("photos", in: answer)["domain"] == "media.example.com")
        #expect(try Self.grant("tuned", in: answer)["choose"]?.list?.count == 4)
        let files = try Self.grant("files", in: answer)
        #expect(files["keyPrefix"] == nil && files["key"] == nil && files["bucket"] == "demo-files")
        let text = try #require(String(bytes: answer.body, encoding: .utf8))
        for hidden in [Setup.qiniuAccessKey, Setup.nosAccessKey, Setup.ossAccessKey, "10485760", "hers", "u1"] {
            #expect(!text.contains(hidden), "\(hidden)")
        }
    }

    @Test func `it is asked by GET and HEAD, without parameters`() throws {
        let service = try Service.shared(.open)
        #expect(try service.ask("HEAD", "/grants").status == 200)
        try service.get("/grants?grant=photos").expectProblem(400, "unknown_parameter")
        let post = try service.post("/grants", json: "{}")
        post.expectProblem(405, "method_not_allowed")
        #expect(post["Allow"] == "GET, HEAD, OPTIONS")
        try service.ask("GET", "/grants", ["Content-Type: text/plain"], body: "x")
            .expectProblem(400, "invalid_parameter")
        let options = try service.ask("OPTIONS", "/grants")
        #expect(options.status == 204 && options["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test func `R2: a foreign page is told nothing`() throws {
        let service = try Service.shared(.closed)
        try service.get("/grants", APIKey.alice.bearer, "Origin: https://evil.example").expectProblem(403, "forbidden")
        let answer = try service.get("/grants", APIKey.alice.bearer, "Origin: https://app.example.com")
        answer.expectSuccess()
        #expect(answer["Access-Control-Allow-Origin"] == "https://app.example.com")
    }

    @Test func `a client of STS learns its prefix and its region here`() throws {
        let service = try Service.shared(.sandbox)
        let own = try Self.grant("own", in: try service.get("/grants", APIKey.alice.bearer))
        #expect(own["keyPrefix"] == "users/alice/")
        #expect(own["bucket"] == "demo-bucket")
        #expect(own["actions"] == .list(["oss:PutObject"]))
        #expect(own["lifetime"] == 900)
    }
}
