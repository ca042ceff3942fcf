import Crypto
import Foundation
import TestKeys
import TestPeers
import Testing

@testable import TestService

/// When a grant may be used, from where, and for which claims, over HTTP.
@Suite("When, from where and for whom a grant holds", .timeLimit(.minutes(20)))
struct AvailabilityTests {
    private static func setup(_ name: String, _ grants: String, defaults: String = "") -> Setup {
        Setup(
            name: name, server: "trustedProxies: \"127.0.0.1\",",
            rest: """
                authentication: {
                    apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)],
                    jwt: [{ id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                      secret: { file: "secrets/tokens" } }],
                    tickets: { secret: "\(Setup.ticketSecret)", maxLifetime: "30m" },
                  },
                  defaults: { \(defaults) },
                  grants: { \(grants) },
                """,
            files: ["secrets/tokens": String(decoding: Setup.tokenSecret.secret, as: UTF8.self) + "\n"])
    }

    private static func grant(_ name: String, _ rest: String, callers: String = "\"apiKey:alice\"") -> String {
        "\"\(name)\": { route: \"qiniu.uptoken\", credential: \"qiniu\", callers: \(callers), bucket: \"demo-media\","
            + " keyPrefix: \"\(name)/\", \(rest) },"
    }

    private static let office = "X-Forwarded-For: 10.1.2.3"
    private static let street = "X-Forwarded-For: 198.51.100.7"

    private static func expect(_ answer: Answer, refusedBy clause: String, _ text: String) {
        answer.expectProblem(403, "not_in_grant", text)
        #expect(answer.json["clause"] == .string(clause))
    }

    // MARK: Addresses

    @Test func `a grant for some addresses is for the client that the proxy names, and not for the proxy`() throws {
        let service = try Service.shared(
            Self.setup("office", Self.grant("office", "addresses: [\"10.0.0.0/8\", \"2001:db8::/32\"]")))
        let target = "/qiniu/uptoken?key=office/a"
        for address in ["10.1.2.3", "2001:db8::9", "203.0.113.1, 10.9.9.9"] {
            try service.get(target, APIKey.alice.bearer, "X-Forwarded-For: \(address)").expectSuccess()
        }
        let refusal = "addresses: the caller's address is not one of the grant's"
        for fields in [[Self.street], ["X-Forwarded-For: 10.1.2.3, 198.51.100.7"], []] {
            Self.expect(
                try service.ask("GET", target, [APIKey.alice.bearer] + fields), refusedBy: "addresses", refusal)
        }
        #expect(try service.get("/grants", APIKey.alice.bearer, Self.office).json["grants"]?.list?.count == 1)
        #expect(try service.get("/grants", APIKey.alice.bearer, Self.street).json["grants"]?.list?.isEmpty == true)
    }

    @Test func `a ticket may be made anywhere, and is used from the grant's addresses alone`() throws {
        let service = try Service.shared(
            Self.setup("office-tickets", Self.grant("office", "addresses: \"10.0.0.0/8\"")))
        let made = try service.post("/tickets", json: #"{"grant":"office"}"#, APIKey.alice.bearer, Self.street)
        made.expectSuccess()
        let target = "/qiniu/uptoken?ticket=\(try #require(made.json["ticket"]?.string))"
        try service.get(target, Self.office).expectSuccess()
        Self.expect(try service.get(target, Self.street), refusedBy: "addresses", "the caller's address")
    }

    // MARK: Times

    @Test func `what a grant gives ends with it, and afterwards it gives nothing, nor by its tickets`() throws {
        let end = now + 300
        let setup = Self.setup(
            "campaign",
            Self.grant("campaign", "notAfter: \"\(iso8601(end))\", lifetime: \"10m\", description: \"Spring, 春\"")
                + Self.grant("next", "notBefore: \"\(iso8601(end))\""))
        try Service.run(setup) { service in
            let token = try service.get("/qiniu/uptoken?key=campaign/a", APIKey.alice.bearer)
            token.expectSuccess()
            #expect(token.json["expiresAt"] == .string(iso8601(end)) && token.json["limitedBy"] == "grant")
            let listed = try service.get("/grants", APIKey.alice.bearer).json["grants"]?.list ?? []
            #expect(listed.map { $0["name"] } == ["campaign"])
            #expect(listed.first?["notAfter"] == .string(iso8601(end)) && listed.first?["description"] == "Spring, 春")
            let early = try service.get("/qiniu/uptoken?key=next/a", APIKey.alice.bearer)
            Self.expect(early, refusedBy: "keyPrefix", "keyPrefix")
            Self.expect(
                try service.get("/qiniu/uptoken?grant=next", APIKey.alice.bearer), refusedBy: "notBefore",
                "the grant has not begun yet")
            Self.expect(
                try service.post("/tickets", json: #"{"grant":"next"}"#, APIKey.alice.bearer), refusedBy: "notBefore",
                "has not begun yet")
            let made = try service.post(
                "/tickets", json: #"{"grant":"campaign","expires":1800}"#, APIKey.alice.bearer)
            #expect(made.json["expiresAt"] == .string(iso8601(end)))
            service.pass(milliseconds: 301_000)
            Self.expect(
                try service.get("/qiniu/uptoken?grant=campaign", APIKey.alice.bearer), refusedBy: "notAfter",
                "the grant has ended")
            try service.get("/qiniu/uptoken?ticket=\(made.json["ticket"]?.string ?? "")")
                .expectProblem(401, "unauthenticated", "the ticket has ended")
            try service.get("/qiniu/uptoken?key=next/a", APIKey.alice.bearer).expectSuccess()
        }
    }

    @Test func `a listed grant has the members that the reference says, and no others`() throws {
        let grants =
            Self.grant("dated", "notAfter: \"2099-01-01T00:00:00Z\", description: \"Spring\"")
            + "keyed: { route: 'qiniu.uptoken', credential: 'qiniu', callers: 'apiKey:alice', bucket: 'b', key: 'k/a.jpg' },"
        let service = try Service.shared(Self.setup("members", grants))
        let listed = try service.get("/grants", APIKey.alice.bearer).json["grants"]?.list ?? []
        let document = try service.admin.get("/openapi.json").json
        let answer = document["paths"]?["/grants"]?["get"]?["responses"]?["200"]?["content"]?["application/json"]
        let described = answer?["schema"]?["properties"]?["grants"]?["items"]?["properties"]
        #expect(listed.reduce(into: Set()) { $0.formUnion($1.names) } == described?.names, "\(listed)")
    }

    @Test func `a grant that is switched off gives nothing, and is not listed`() throws {
        let service = try Service.shared(Self.setup("off", Self.grant("off", "enabled: false")))
        Self.expect(
            try service.get("/qiniu/uptoken", APIKey.alice.bearer), refusedBy: "enabled", "the grant is switched off")
        Self.expect(
            try service.post("/tickets", json: #"{"grant":"off"}"#, APIKey.alice.bearer), refusedBy: "enabled", "off")
        #expect(try service.get("/grants", APIKey.alice.bearer).json["grants"]?.list?.isEmpty == true)
    }

    @Test func `a session of STS ends before its grant, is remembered, and is refused when it would not`() throws {
        var setup = Setup.sandbox
        let end = now + 3000
        setup.rest = setup.rest.replacing("\"own\": {", with: "\"own\": { notAfter: \"\(iso8601(end))\",")
            .replacing("lifetime: \"15m\"", with: "lifetime: \"1h\"")
        let own = setup
        try Service.run(
            Setup(name: "sts-end", server: own.server, credentials: own.credentials, rest: own.rest)
        ) { service in
            let target = "/distribute-token.json?grant=own"
            let first = try service.get(target, APIKey.alice.bearer)
            first.expectSuccess()
            #expect(first["Countersign-Limited-By"] == "grant")
            let ends = try #require(first.json["Expiration"]?.string)
            #expect(ends <= iso8601(end) && ends <= iso8601(now + 2701) && ends >= iso8601(now + 2690))
            service.pass(milliseconds: 60_000)
            #expect(try service.get(target, APIKey.alice.bearer).json["Expiration"] == .string(ends))
            service.pass(milliseconds: 1_900_000)
            let last = try service.get(target, APIKey.alice.bearer)
            last.expectSuccess()
            #expect(last.json["Expiration"]?.string ?? "z" <= iso8601(end))
            service.pass(milliseconds: 200_000)
            try service.get(target, APIKey.alice.bearer).expectProblem(
                403, "not_in_grant", "the grant ends before the shortest that the vendor issues would", forSDK: true)
        }
    }

    @Test func `who waits for a session gets nothing when the grant has ended meanwhile`() throws {
        let vendor = try SessionVendor(pause: 5000)
        defer { vendor.stop() }
        var setup = Setup.signing("waiting-for-the-end", at: vendor.port)
        setup.rest = setup.rest.replacing("\"links\": {", with: "\"links\": { notAfter: \"\(iso8601(now + 3))\",")
        try Service.run(setup) { service in
            let answer = try service.get("/oss/presigned-url?grant=links&key=in/a&method=GET")
            answer.expectProblem(503, "upstream_unavailable", "the grant or the caller's credential ended")
        }
    }

    // MARK: Explanations

    @Test func `explain judges the address and the moment that it is told, and shows what the grant is for`() throws {
        let service = try Service.shared(
            Self.setup(
                "explained",
                Self.grant(
                    "office",
                    "addresses: \"10.0.0.0/8\", notAfter: \"2027-01-01T00:00:00Z\", description: \"Scanner\"")))
        func explain(_ more: String) throws -> JSON {
            try service.admin.post(
                "/explain",
                json: #"{"caller":"apiKey:alice","route":"qiniu.uptoken","parameters":{"key":"office/a"},\#(more)}"#
            ).json
        }
        let inside = try explain(#""address":"10.1.1.1","at":"2026-12-31T23:59:00Z""#)
        #expect(inside["verdict"] == "allow" && inside["permitted"]?["expiresAt"] == "2027-01-01T00:00:00Z")
        #expect(inside["grants"]?.list?.first?["description"] == "Scanner")
        let outside = try explain(#""address":"198.51.100.7","at":"2026-12-31T23:59:00Z""#)
        #expect(outside["refusal"]?["detail"]?.string?.contains("the caller's address") == true)
        let nowhere = try explain(#""at":"2026-12-31T23:59:00Z""#)
        #expect(nowhere["verdict"] == "deny")
        let late = try explain(#""address":"10.1.1.1","at":"2027-01-01T00:00:00Z""#)
        #expect(late["refusal"]?["detail"]?.string?.contains("the grant has ended") == true)
        try service.admin.post(
            "/explain", json: #"{"caller":"anonymous","route":"qiniu.uptoken","address":"office"}"#
        ).expectProblem(400, "invalid_parameter", "address must be an address such as")
    }

    @Test func `a policy test is asked from the address that it says`() throws {
        func setup(_ expectation: String) -> Setup {
            var setup = Self.setup("tested", Self.grant("office", "addresses: \"10.0.0.0/8\""))
            setup.rest += """
                policyTests: [
                  { caller: "apiKey:alice", route: "qiniu.uptoken", address: "10.0.0.1", expect: "allow" },
                  { caller: "apiKey:alice", route: "qiniu.uptoken", address: "192.0.2.1", expect: "\(expectation)" },
                  { caller: "apiKey:alice", route: "qiniu.uptoken", expect: "not_in_grant" },
                ],
                """
            return setup
        }
        try Service.run(setup("deny")) { _ in }
        #expect(throws: (any Error).self) { try Service.run(setup("allow")) { _ in } }
    }

    // MARK: Callbacks

    @Test func `a callback of a grant that is off is told what a forged one is`() throws {
        let service = try Service.shared(
            Self.setup(
                "callback-off",
                "\"done\": { route: \"qiniu.callback\", credential: \"qiniu\", enabled: false, reply: {},"
                    + " publicURL: \"https://app.example.com/done\" },"))
        let answer = try service.post("/done", "application/x-www-form-urlencoded", "a=b", "Authorization: QBox a:b")
        answer.expectProblem(401, "unauthenticated", "the vendor's signature of this callback does not hold")
    }

    // MARK: Claims

    @Test func `where compares numbers, booleans and lists, for tokens and for their tickets`() throws {
        let setup = Self.setup(
            "claims",
            Self.grant(
                "staff",
                "where: { \"claims.role\": [\"editor\", \"admin\"], \"claims.level\": [3, 4], \"claims.staff\": true }",
                callers: "\"jwt:intern\""))
        let service = try Service.shared(setup)
        func bearer(_ claims: String) -> String { "Authorization: Bearer \(Setup.token(.hs256, more: claims))" }
        let good = bearer(#""role":"admin","level":3,"staff":true"#)
        try service.get("/qiniu/uptoken?key=staff/a", good).expectSuccess()
        try service.get("/qiniu/uptoken", bearer(#""role":["x","editor"],"level":[4],"staff":true"#)).expectSuccess()
        for claims in [
            #""role":"guest","level":3,"staff":true"#, #""role":"admin","level":"3","staff":true"#,
            #""role":"admin","level":3.0,"staff":true"#, #""role":"admin","level":5,"staff":true"#,
            #""role":"admin","level":3,"staff":1"#, #""role":"admin","staff":"true","level":3"#,
            #""role":"admin","level":3"#, #""role":"admin","level":3,"staff":false"#,
        ] {
            try service.get("/qiniu/uptoken", bearer(claims)).expectProblem(403, "not_in_grant")
        }
        let made = try service.post("/tickets", json: #"{"grant":"staff"}"#, good)
        made.expectSuccess()
        try service.get("/qiniu/uptoken?ticket=\(made.json["ticket"]?.string ?? "")").expectSuccess()
    }

    // MARK: Defaults

    @Test func `grants are served by their defaults, and another default ends what was parked for the old one`() throws
    {
        let short = "\"a\": { route: \"qiniu.uptoken\", keyPrefix: \"a/\" },"
        func setup(_ lifetime: String) -> Setup {
            Self.setup(
                "defaults", short,
                defaults: "grants: { callers: \"apiKey:alice\", lifetime: \"\(lifetime)\" },"
                    + " routes: { \"qiniu.uptoken\": { credential: \"qiniu\", bucket: \"demo-media\" } }")
        }
        try Service.run(setup("5m")) { service in
            let first = try service.get("/qiniu/uptoken?key=a/b", APIKey.alice.bearer)
            first.expectSuccess()
            #expect(first.json["expiresIn"] == 300)
            try service.reload(inProcess: setup("6m"))
            #expect(try service.get("/qiniu/uptoken?key=a/b", APIKey.alice.bearer).json["expiresIn"] == 360)
        }
    }
}
