import Foundation
import Testing

@testable import TestService

@Suite("Rate limits over HTTP")
struct RateLimitTests {
    private static func setup(_ name: String, rateLimit: String = "", grants rates: String = "") -> Setup {
        Setup(
            name: name, server: "cors: { origins: [\"https://app.example.com\"] },",
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry), \(APIKey.aliceToo.entry)] },
                  rateLimit: { \(rateLimit) },
                  grants: {
                    "photos": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "photos/", \(rates)
                    },
                    "known": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"],
                      bucket: "demo-media", keyPrefix: "known/", \(rates)
                    },
                  },
                """)
    }

    private static func expectLimited(_ answer: Answer, limit: String, from location: SourceLocation = #_sourceLocation)
    {
        answer.expectProblem(429, "rate_limited")
        #expect(answer["Retry-After"].flatMap { Int($0) }.map { $0 >= 1 } == true, sourceLocation: location)
        #expect(answer["RateLimit-Limit"] == limit, sourceLocation: location)
        #expect(answer["RateLimit-Remaining"] == "0", sourceLocation: location)
        #expect(answer["RateLimit-Reset"].flatMap { Int($0) }.map { $0 >= 1 } == true, sourceLocation: location)
    }

    private static let photo = "/qiniu/uptoken?key=photos/a.jpg"
    private static let known = "/qiniu/uptoken?key=known/a.jpg"

    @Test func `an address has its share, whoever asks, before it is known who asks`() throws {
        try Service.run(Self.setup("address", rateLimit: #"perAddress: "3/d""#)) { service in
            try service.get(Self.photo).expectSuccess()
            // A wrong key counts, too: that is what the limit is for.
            try service.get(Self.photo, "Authorization: Bearer wrong").expectProblem(401, "unauthenticated")
            try service.get(Self.known, APIKey.alice.bearer).expectSuccess()
            for fields in [[], ["Authorization: Bearer wrong"], [APIKey.alice.bearer]] {
                Self.expectLimited(try service.ask("GET", Self.photo, fields), limit: "3")
            }
            Self.expectLimited(try service.post("/qiniu/uptoken", json: "{"), limit: "3")
            // Others are not concerned, and neither is whoever watches the service.
            let elsewhere = try service.connect(from: 0x7F00_0002)
            try elsewhere.send(service.text("GET", Self.photo))
            try elsewhere.answer().expectSuccess()
            try service.get("/livez").expectSuccess()
        }
    }

    @Test func `a broken request counts for its address, but not at the admin listener`() throws {
        func sendBroken(_ client: Client) throws {
            try client.send("nonsense\r\n\r\n")
            try client.answer().expectProblem(400, "malformed_request")
        }
        try Service.run(Self.setup("broken", rateLimit: #"perAddress: "3/d""#)) { service in
            for _ in 0..<5 { try sendBroken(service.admin.connect()) }
            for _ in 0..<2 { try service.get(Self.photo).expectSuccess() }
            try sendBroken(service.connect())
            Self.expectLimited(try service.get(Self.photo), limit: "3")
        }
    }

    @Test func `a caller has a share over all keys and grants, before it is read what is asked`() throws {
        try Service.run(Self.setup("caller", rateLimit: #"perAddress: null, perCaller: "2/d""#)) { service in
            try service.get(Self.known, APIKey.alice.bearer).expectSuccess()
            try service.get(Self.known + "&nonsense=1", APIKey.aliceToo.bearer).expectProblem(400, "unknown_parameter")
            Self.expectLimited(try service.get(Self.known, APIKey.alice.bearer), limit: "2")
            Self.expectLimited(try service.get("/qiniu/uptoken?nonsense=1", APIKey.aliceToo.bearer), limit: "2")
            try service.get(Self.known, APIKey.bob.bearer).expectSuccess()
            try service.get(Self.known, "Authorization: Bearer wrong").expectProblem(401, "unauthenticated")
            // Of those without a name, each address is one.
            for _ in 0..<2 { try service.get(Self.photo).expectSuccess() }
            Self.expectLimited(try service.get(Self.photo), limit: "2")
            let elsewhere = try service.connect(from: 0x7F00_0002)
            try elsewhere.send(service.text("GET", Self.photo))
            try elsewhere.answer().expectSuccess()
        }
    }

    @Test func `a grant has a share for each caller and one for all, and says what is left`() throws {
        let setup = Self.setup("grant", grants: #"rate: { perCaller: "2/d", perGrant: "3/d" },"#)
        try Service.run(setup) { service in
            let first = try service.get(Self.known, APIKey.alice.bearer)
            first.expectSuccess()
            #expect(first["RateLimit-Limit"] == "2")
            #expect(first["RateLimit-Remaining"] == "1")
            #expect(first["RateLimit-Reset"].flatMap { Int($0) }.map { 43_000...43_200 ~= $0 } == true)
            // What is refused costs nothing, and neither does HEAD, which gets nothing.
            try service.get("/qiniu/uptoken?key=other/a", APIKey.alice.bearer).expectProblem(403, "not_in_grant")
            #expect(try service.ask("HEAD", Self.known, [APIKey.alice.bearer])["RateLimit-Remaining"] == "1")
            try service.get(Self.known, APIKey.alice.bearer).expectSuccess()
            Self.expectLimited(try service.get(Self.known, APIKey.alice.bearer), limit: "2")
            #expect(try service.ask("HEAD", Self.known, [APIKey.alice.bearer]).status == 429)
            let third = try service.get(Self.known, APIKey.bob.bearer)
            #expect(third["RateLimit-Remaining"] == "0")
            #expect(third["RateLimit-Limit"] == "3", "the share of all is the one that is used up")
            Self.expectLimited(try service.get(Self.known, APIKey.bob.bearer), limit: "3")
            // Another grant has shares of its own.
            try service.get(Self.photo).expectSuccess()
        }
    }

    @Test func `a web page may read how much is left, and its preflight costs nothing`() throws {
        let setup = Self.setup(
            "pages", rateLimit: #"perAddress: "2/d", perCaller: "2/d""#, grants: #"rate: { perGrant: "9/d" },"#)
        try Service.run(setup) { service in
            let origin = "Origin: https://app.example.com"
            for _ in 0..<4 {
                let preflight = [origin, "Access-Control-Request-Method: GET"]
                #expect(try service.ask("OPTIONS", "/qiniu/uptoken", preflight).status == 204)
            }
            for _ in 0..<2 {
                let answer = try service.get(Self.photo, origin)
                answer.expectSuccess()
                #expect(answer["Access-Control-Expose-Headers"]?.contains("RateLimit-Remaining") == true)
            }
            let limited = try service.get(Self.photo, origin)
            Self.expectLimited(limited, limit: "2")
            #expect(limited["Access-Control-Allow-Origin"] == "https://app.example.com")
        }
    }

    @Test func `who has used up the share need not send a body`() throws {
        try Service.run(Self.setup("bodies", rateLimit: #"perAddress: "1/d""#)) { service in
            try service.get(Self.photo).expectSuccess()
            let client = try service.connect()
            try client.send(
                "POST /qiniu/uptoken HTTP/1.1\r\nHost: 127.0.0.1:\(service.port)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
            Self.expectLimited(try client.answer(), limit: "1")
        }
    }

    /// Heads that announce a body which never comes, each with how it is answered.
    private static func heldBack(_ service: Service) -> [(head: String, status: Int)] {
        let json = "Content-Type: application/json"
        let (two, wrong, alice) = ("Content-Length: 2", "Authorization: Bearer wrong", APIKey.alice.bearer)
        let forged = "Authorization: Bearer eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.AAAA"
        func head(_ method: String, _ target: String, _ fields: String...) -> String {
            service.text(method, target, fields)
        }
        return [
            (head("POST", "/qiniu/uptoken", wrong, json, two), 401),
            (head("POST", "/qiniu/uptoken", wrong, json, "Transfer-Encoding: chunked"), 401),
            (head("POST", "/qiniu/uptoken", forged, json, two), 401),
            (head("GET", photo, two), 400),
            (head("POST", "/qiniu/uptoken?ticket=x", json, two), 401),
            (head("POST", "/tickets", json, two), 401),
            (head("POST", "/grants", json, two), 405),
            (head("GET", "/grants", alice, two), 400),
            (head("POST", "/done", json, two), 401),
            (head("POST", "/qiniu/uptoken", alice, "Content-Type: text/html", two), 415),
            (head("POST", "/nothing", json, two), 404),
            (head("POST", "/qiniu/uptoken", "Host: evil.example", two), 421),
            ("POST /qiniu/uptoken HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400),
        ]
    }

    @Test(arguments: Transport.everywhere)
    func `a request whose body is announced and held back counts like any other`(_ transport: Transport) throws {
        var setup = Self.setup("held back", rateLimit: #"perAddress: "3/d""#)
        setup.rest = setup.rest.replacing(
            "authentication: {",
            with: "authentication: { tickets: { secret: \"\(Setup.ticketSecret)\" },")
        setup.rest = setup.rest.replacing(
            "grants: {",
            with: """
                grants: { "done": { route: "qiniu.callback", credential: "qiniu", reply: { ok: 1 },
                    publicURL: "https://app.example.com/done" },
                """)
        try Service.run(setup, transport) { service in
            // Each of an address of its own.
            for (number, (head, status)) in Self.heldBack(service).enumerated() {
                let source = 0x7F00_0100 + UInt32(number)
                for _ in 0..<3 {
                    let client = try service.connect(from: source)
                    try client.send(head)
                    #expect(try client.answer().status == status, "\(head)")
                }
                let client = try service.connect(from: source)
                try client.send(service.text("GET", Self.photo))
                Self.expectLimited(try client.answer(), limit: "3")
            }
        }
    }

    @Test(arguments: Transport.everywhere)
    func `a request whose body comes later counts once, for its address and for its caller`(_ transport: Transport)
        throws
    {
        let limits = #"perAddress: "3/d", perCaller: "3/d""#
        try Service.run(Self.setup("in two packets", rateLimit: limits), transport) { service in
            let body = #"{"key":"known/a.jpg"}"#
            let fields = ["Content-Type: application/json", APIKey.alice.bearer, "Expect: 100-continue"]
            let text = service.text("POST", "/qiniu/uptoken", fields, body: body)
            func ask() throws -> Answer {
                let client = try service.connect()
                try client.send(String(text.dropLast(body.utf8.count)))
                let answer = try client.answer()
                guard answer.status == 100 else { return answer }
                try client.send(body)
                return try client.answer()
            }
            for _ in 0..<3 { try ask().expectSuccess() }
            Self.expectLimited(try ask(), limit: "3")
        }
    }

    @Test(arguments: Transport.everywhere)
    func `strangers push no caller out of its share, and share none with one another`(_ transport: Transport) throws {
        let ids = (0..<30).map { "caller\($0)" }
        let keys = ids.map { APIKey(key: "key-of-\($0)-0123456789", id: $0) }
        var setup = Self.setup("strangers", rateLimit: #"perAddress: "9/d", perCaller: "2/d", identities: 64"#)
        setup.rest = setup.rest.replacing(
            "apiKeys: [", with: "apiKeys: [\(keys.map(\.entry).joined(separator: ", ")), ")
        try Service.run(setup, transport) { service in
            try service.get(Self.known, keys[0].bearer).expectSuccess()
            try service.get(Self.known, keys[0].bearer).expectSuccess()
            // As many as would fill every bucket six times over, each of an address of its own.
            for number in 0..<400 as Range<UInt32> {
                let client = try service.connect(from: 0x7F01_0001 + number)
                try client.send(service.text("GET", Self.photo))
                try client.answer().expectSuccess()
            }
            for (number, key) in keys.enumerated() {
                let client = try service.connect(from: 0x7F02_0001 + UInt32(number))
                try client.send(service.text("GET", Self.known, [key.bearer]))
                let answer = try client.answer()
                if number == 0 { Self.expectLimited(answer, limit: "2") } else { answer.expectSuccess() }
            }
        }
    }

    @Test func `callbacks count for their address, forged ones too`() throws {
        var setup = Self.setup("callbacks", rateLimit: #"perAddress: "5/d", perCaller: "1/d""#)
        setup.rest = setup.rest.replacing(
            "grants: {",
            with: """
                grants: { "done": { route: "qiniu.callback", credential: "qiniu", reply: { ok: 1 },
                    publicURL: "https://app.example.com/done" },
                """)
        try Service.run(setup) { service in
            for method in ["GET", "PUT"] {
                try service.ask(method, "/done").expectProblem(405, "method_not_allowed")
            }
            for _ in 0..<3 { try service.post("/done", json: "{}").expectProblem(401, "unauthenticated") }
            Self.expectLimited(try service.post("/done", json: "{}"), limit: "5")
            let client = try service.connect()
            try client.send(service.text("POST", "/done", ["Content-Length: 100000"]))
            Self.expectLimited(try client.answer(), limit: "5")
            Self.expectLimited(try service.get(Self.photo), limit: "5")
        }
    }
}
