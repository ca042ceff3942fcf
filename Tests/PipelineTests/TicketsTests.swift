import Crypto
import Foundation
import TestKeys
import Testing

@testable import TestService

@Suite("URL tickets over HTTP: R3, R8, R11, R12")
struct TicketsTests {
    private static func setup(_ name: String, deny: String = "", secret: String = Setup.ticketSecret) -> Setup {
        Setup(
            name: name, server: "cors: { origins: [\"https://app.example.com\"] },",
            credentials: """
                credentials: {
                    "qiniu": { provider: "qiniu", accessKey: "\(Setup.qiniuAccessKey)", secretKey: { file: "secrets/qiniu" } },
                    "oss": { provider: "oss", accessKey: "\(Setup.ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" } },
                  }
                """,
            rest: """
                authentication: {
                    apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry), \(APIKey.ending.entry)],
                    jwt: [{ id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                      secret: { file: "secrets/tokens" } }],
                    tickets: { secret: "\(secret)", maxLifetime: "30m" }, deny: [\(deny)],
                  },
                  grants: {
                    "photos": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice", "apiKey:ending"],
                      bucket: "demo-media", keyPrefix: "photos/", lifetime: "10m", maxLifetime: "1h",
                    },
                    "others": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"],
                      bucket: "demo-media", keyPrefix: "others/",
                    },
                    "bobs": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:bob"],
                      bucket: "demo-media", keyPrefix: "bobs/",
                    },
                    "tenant": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["jwt:intern"], bucket: "demo-media",
                      where: { "claims.scope": ["upload"] }, keyPrefix: "tenants/${claims.tenant}/",
                    },
                    "everybody": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"],
                      bucket: "demo-media", keyPrefix: "all/",
                    },
                    "public": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "public/",
                    },
                    "links": {
                      route: "qiniu.download-url", credential: "qiniu", callers: ["apiKey:alice"],
                      domain: "media.example.com", keyPrefix: "photos/", query: ["v=1"],
                    },
                    "signing": {
                      route: "oss.sign", credential: "oss", callers: ["apiKey:alice"],
                      bucket: "demo-bucket", keyPrefix: "demo/", methods: ["GET", "PUT"], presign: "5m",
                    },
                  },
                """,
            files: ["secrets/tokens": String(decoding: Setup.tokenSecret.secret, as: UTF8.self) + "\n"])
    }

    private static let tickets = setup("tickets")

    private static func mint(
        _ service: Service, _ body: String, _ credential: String = APIKey.alice.bearer
    ) throws -> String {
        let answer = try service.post("/tickets", json: body, credential)
        answer.expectSuccess()
        return try #require(answer.json["ticket"]?.string)
    }

    private static func url(_ setup: Setup, _ fields: String...) throws -> String {
        let fields = [APIKey.alice.bearer] + fields
        let answer = try Service.shared(setup).ask(
            "POST", "/tickets", fields + ["Content-Type: application/json"], body: #"{"grant":"photos"}"#)
        answer.expectSuccess()
        return try #require(answer.json["url"]?.string)
    }

    @Test func `behind a trusted proxy that does TLS the URL says https`() throws {
        var setup = Self.setup("tickets behind a proxy")
        setup.server += #" trustedProxies: ["127.0.0.1"],"#
        for field in ["X-Forwarded-Proto: https", "Forwarded: for=192.0.2.7;proto=https"] {
            #expect(try Self.url(setup, field).hasPrefix("https://127.0.0.1"))
            #expect(try Self.url(Self.tickets, field).hasPrefix("http://127.0.0.1"), "a stranger's word is not taken")
        }
        #expect(try Self.url(setup, "X-Forwarded-Proto: http").hasPrefix("http://127.0.0.1"))
        #expect(try Self.url(setup).hasPrefix("http://127.0.0.1"))
    }

    @Test func `server.publicURL is what URLs begin with, whatever the request says`() throws {
        var setup = Self.setup("tickets of a public URL")
        setup.server += #" publicURL: "https://t.example.com/gate/", trustedProxies: ["127.0.0.1"],"#
        for field in ["X-Forwarded-Proto: http", "Forwarded: proto=http;host=evil.example", "Accept: */*"] {
            let url = try Self.url(setup, field)
            #expect(url.hasPrefix("https://t.example.com/gate/qiniu/uptoken?ticket="), "\(url)")
        }
    }

    @Test func `a bare GET with the ticket's URL gets what its minter would, again and again, and ends when it does`()
        throws
    {
        let service = try Service.shared(Self.tickets)
        let answer = try service.post(
            "/tickets", json: #"{"grant":"photos","expires":120,"key":"photos/a.jpg"}"#, APIKey.alice.bearer)
        answer.expectSuccess()
        let url = try #require(answer.json["url"]?.string)
        let ticket = try #require(answer.json["ticket"]?.string)
        let start = "http://127.0.0.1:\(service.port)/qiniu/uptoken?ticket="
        #expect(url == start + ticket)
        #expect((now + 100...now + 121).map { JSON.string(iso8601($0)) }.contains(answer.json["expiresAt"] ?? .null))
        #expect(answer.json["grant"] == "photos" && answer.json["id"]?.string?.count == 36)
        for _ in 0..<3 {
            let token = try service.get(String(url.dropFirst("http://127.0.0.1:\(service.port)".count)))
            token.expectSuccess()
            #expect(token.json["key"] == "photos/a.jpg" && token.json["grant"] == "photos")
            // The grant would give ten minutes; the ticket ends before that (R5).
            #expect(token.json["limitedBy"] == "caller")
            #expect(token.json["expiresIn"]?.integer.map { 1...120 ~= $0 } == true)
        }
        // By POST, too, in the query alone.
        try service.post("/qiniu/uptoken?ticket=\(ticket)", json: "{}").expectSuccess()
        try service.post("/qiniu/uptoken", json: "{\"ticket\":\"\(ticket)\"}").expectProblem(400, "unknown_parameter")
    }

    @Test func `its URL has the name that the service was asked by, without which there is none`() throws {
        var setup = Self.setup("tickets by any name")
        setup.server += "hosts: [\"*\"],"
        let service = try Service(setup)
        defer { service.stop() }
        let body = #"{"grant":"photos"}"#
        func post(_ version: String, _ fields: String...) throws -> Answer {
            let lines =
                fields + [APIKey.alice.bearer, "Content-Type: application/json", "Content-Length: \(body.utf8.count)"]
            let client = try service.connect()
            try client.send("POST /tickets HTTP/\(version)\r\n" + lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
            return try client.answer()
        }
        try post("1.0").expectProblem(400, "malformed_request", "Host")
        for version in ["1.0", "1.1"] {
            let url = try post(version, "Host: tokens.example.com").json["url"]?.string
            #expect(url?.hasPrefix("http://tokens.example.com/qiniu/uptoken?ticket=") == true)
        }
    }

    @Test func `what is fixed may be said again, but not otherwise; the rest is the client's, inside the grant`() throws
    {
        let service = try Service.shared(Self.tickets)
        let fixed = try Self.mint(service, #"{"grant":"photos","key":"photos/a.jpg"}"#)
        let open = try Self.mint(service, #"{"grant":"photos"}"#)
        try service.get("/qiniu/uptoken?key=photos/a.jpg&ticket=\(fixed)").expectSuccess()
        for query in ["key=photos/b.jpg", "key=photos/"] {
            let answer = try service.get("/qiniu/uptoken?\(query)&ticket=\(fixed)")
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == "ticket")
        }
        // R7: what is wrong with the request comes first.
        try service.get("/qiniu/uptoken?key=&ticket=\(fixed)").expectProblem(400, "invalid_parameter")
        try service.get("/qiniu/uptoken?ticket=").expectProblem(401, "unauthenticated")
        try service.get("/qiniu/uptoken?key=photos/b.jpg&expires=5&ticket=\(open)").expectSuccess()
        try service.get("/qiniu/uptoken?key=others/b.jpg&ticket=\(open)").expectProblem(403, "not_in_grant")
        try service.get("/qiniu/uptoken?nonsense=1&ticket=\(open)").expectProblem(400, "unknown_parameter")
        let string = "GET\n\n\n\(now + 200)\n/demo-bucket/demo/a.jpg"
        let signing = try Self.mint(service, #"{"grant":"signing"}"#)
        try service.post("/oss/sign?ticket=\(signing)", "text/plain", string).expectSuccess()
    }

    @Test func `it is good for its route and its grant alone`() throws {
        let service = try Service.shared(Self.tickets)
        let ticket = try Self.mint(service, #"{"grant":"photos"}"#)
        for target in [
            "/qiniu/uptoken?grant=others&", "/qiniu/uptoken?key=others/a&", "/qiniu/uptoken?key=public/a&",
            "/qiniu/uptoken?key=all/a&", "/qiniu/uptoken?grant=bobs&", "/qiniu/uptoken?grant=nothing&",
            "/qiniu/download-url?key=photos/a&",
            "/oss/sign?contentToSign=\(percent("GET\n\n\n\(now + 60)\n/demo-bucket/demo/a"))&",
            "/grants?",
        ] {
            try service.get("\(target)ticket=\(ticket)").expectProblem(403, "not_in_grant")
        }
        try service.post("/tickets?ticket=\(ticket)", json: #"{"grant":"photos"}"#).expectProblem(403, "forbidden")
    }

    @Test func `R8: a ticket that is wrong, doubled, or beside another credential is 401, and never anonymous`() throws
    {
        let service = try Service.shared(Self.tickets)
        let ticket = try Self.mint(service, #"{"grant":"photos"}"#)
        let other = try Service.run(Self.setup("other tickets", secret: Setup.makeSecret())) {
            try Self.mint($0, #"{"grant":"photos"}"#)
        }
        let good = "/qiniu/uptoken?key=photos/a&ticket=\(ticket)"
        for target in [
            "/qiniu/uptoken?key=public/a&ticket=", "/qiniu/uptoken?key=public/a&ticket=x", good + "A", good + "%41",
            String(good.dropLast()), good + "&ticket=\(ticket)", good + "&ticket=", good + "=",
            "/qiniu/uptoken?key=public/a&ticket=\(other)",
            "/qiniu/uptoken?ticket=\(String(repeating: "A", count: 4100))",
        ] {
            let answer = try service.get(target)
            answer.expectProblem(401, "unauthenticated")
            #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
            #expect(!answer.text.contains(ticket.prefix(24)))
        }
        for field in [APIKey.alice.bearer, "X-API-Key: \(APIKey.alice.key)", "Authorization: Basic x"] {
            try service.get(good, field).expectProblem(401, "unauthenticated")
        }
        try service.get("/qiniu/uptoken?key=public/a&%74icket=x").expectProblem(400, "unknown_parameter")
        for target in ["/qiniu/uptoken?%74icket=x", "/qiniu/uptoken?key=photos/a", "/tickets?grant=photos"] {
            try service.post(target, json: #"{"grant":"photos"}"#, APIKey.alice.bearer)
                .expectProblem(400, "unknown_parameter")
        }
        // Where there are no tickets, too.
        try Service.shared(.open).get("/qiniu/uptoken?key=photos/a&ticket=\(ticket)")
            .expectProblem(401, "unauthenticated")
    }

    @Test func `R11: one mints for oneself, for a grant of one's own, and not beyond one's own end`()
        throws
    {
        let service = try Service.shared(Self.tickets)
        try service.post("/tickets", json: #"{"grant":"photos"}"#).expectProblem(401, "unauthenticated")
        // Of the one that is somebody else's, the one that is for anybody and the one that is not there, all is told alike.
        var answers: [String] = []
        for grant in ["bobs", "public", "everybody", "nothing", "tenant"] {
            let answer = try service.post("/tickets", json: "{\"grant\":\"\(grant)\"}", APIKey.alice.bearer)
            answer.expectProblem(403, "not_in_grant")
            answers.append(answer.json["detail"]?.string ?? "")
        }
        #expect(Set(answers).count == 1)
        let ending = try service.post("/tickets", json: #"{"grant":"photos"}"#, APIKey.ending.bearer)
        ending.expectSuccess()
        #expect(ending.json["expiresAt"] == .string(iso8601(APIKey.ending.notAfter ?? 0)))
        for (body, code, name) in [
            ("{}", "missing_parameter", "grant"), (#"{"grant":"photos","expires":0}"#, "invalid_parameter", "expires"),
            (#"{"grant":"photos","expires":1801}"#, "invalid_parameter", "1800"),
            (#"{"grant":"photos","expires":"x"}"#, "invalid_parameter", "expires"),
            (#"{"grant":"photos","uses":1}"#, "unknown_parameter", "can be used any number of times until it ends"),
            (#"{"grant":"photos","nonsense":"x"}"#, "unknown_parameter", ""),
            (#"{"grant":"photos","key":"../x"}"#, "invalid_parameter", "key"),
        ] {
            try service.post("/tickets", json: body, APIKey.alice.bearer).expectProblem(400, code, name)
        }
        let got = try service.get("/tickets", APIKey.alice.bearer)
        got.expectProblem(405, "method_not_allowed")
        #expect(got["Allow"] == "POST, OPTIONS")
        try service.post("/tickets", json: #"{"grant":"photos"}"#, APIKey.alice.bearer, "Origin: https://evil.example")
            .expectProblem(403, "forbidden")
        try Service.shared(.open).post("/tickets", json: "{}", APIKey.alice.bearer)
            .expectProblem(404, "not_found")
    }

    @Test func `a ticket carries the claims that its minter's token had`() throws {
        let service = try Service.shared(Self.tickets)
        let token = Setup.token(.hs256, sub: "42", more: #""tenant":"t1","scope":"upload read""#)
        let ticket = try Self.mint(service, #"{"grant":"tenant"}"#, "Authorization: Bearer \(token)")
        let answer = try service.get("/qiniu/uptoken?ticket=\(ticket)")
        answer.expectSuccess()
        #expect(answer.json["keyPrefix"] == "tenants/t1/")
        try service.get("/qiniu/uptoken?key=tenants/t2/a&ticket=\(ticket)").expectProblem(403, "not_in_grant")
        let weak = Setup.token(.hs256, sub: "42", more: #""tenant":"t1","scope":"read""#)
        try service.post("/tickets", json: #"{"grant":"tenant"}"#, "Authorization: Bearer \(weak)")
            .expectProblem(403, "not_in_grant")
    }

    @Test(arguments: Transport.everywhere)
    func `R19: a ticket ends at the reload that removes or ends the API key that made it, whatever keys its maker has`(
        _ transport: Transport
    ) throws {
        func setup(_ keys: String...) -> Setup {
            var setup = Self.tickets
            setup.rest = setup.rest.replacing(APIKey.alice.entry, with: keys.joined(separator: ", "))
            return setup
        }
        let both = setup(APIKey.alice.entry, APIKey.aliceToo.entry)
        try Service.run(both, transport) { service in
            let ticket = try Self.mint(service, #"{"grant":"photos","key":"photos/a.jpg"}"#)
            let url = "/qiniu/uptoken?ticket=\(ticket)"
            try service.get(url).expectSuccess()
            let ended = APIKey(key: APIKey.alice.key, id: "alice", notAfter: now - 1)
            let others = [setup(APIKey.aliceToo.entry), setup(ended.entry, APIKey.aliceToo.entry)]
            for (number, other) in others.enumerated() {
                try service.reload(other, transport, generation: 2 * number + 2)
                try service.get(url).expectProblem(401, "unauthenticated", "is no longer valid")
                try service.reload(both, transport, generation: 2 * number + 3)
                try service.get(url).expectSuccess()
            }
        }
    }

    @Test(arguments: Transport.everywhere)
    func `R19: a ticket ends at the reload that changes its issuer's secret, audience or name`(_ transport: Transport)
        throws
    {
        try Service.run(Self.tickets, transport) { service in
            let token = Setup.token(.hs256, sub: "42", more: #""tenant":"t1","scope":"upload read""#)
            let ticket = try Self.mint(service, #"{"grant":"tenant"}"#, "Authorization: Bearer \(token)")
            let url = "/qiniu/uptoken?ticket=\(ticket)"
            try service.get(url).expectSuccess()
            for (number, (text, other)) in [
                ("secret: { file: \"secrets/tokens\" }", "secret: \"\(Setup.makeSecret())\""),
                ("audience: \"uploads\"", "audience: \"others\""), ("issuer: \"intern\"", "issuer: \"extern\""),
            ].enumerated() {
                var setup = Self.tickets
                setup.rest = setup.rest.replacing(text, with: other)
                #expect(setup.rest != Self.tickets.rest)
                try service.reload(setup, transport, generation: 2 * number + 2)
                try service.get(url).expectProblem(401, "unauthenticated")
                try service.reload(Self.tickets, transport, generation: 2 * number + 3)
                try service.get(url).expectSuccess()
            }
        }
    }

    @Test func `R12: tickets are denied by their id, and with their principal`() throws {
        let service = try Service.shared(Self.tickets)
        let answer = try service.post("/tickets", json: #"{"grant":"photos"}"#, APIKey.alice.bearer)
        let ticket = try #require(answer.json["ticket"]?.string)
        let id = try #require(answer.json["id"]?.string)
        for denied in ["\"ticket:\(id)\"", "\"apiKey:alice\""] {
            try Service.run(Self.setup("denying", deny: denied)) { service in
                try service.get("/qiniu/uptoken?ticket=\(ticket)").expectProblem(403, "forbidden")
            }
        }
        // The same ticket holds at another service of the same secret.
        try Service.run(Self.setup("another", deny: "\"ticket:other\"")) { service in
            try service.get("/qiniu/uptoken?ticket=\(ticket)").expectSuccess()
        }
    }
}
