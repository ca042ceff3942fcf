import Foundation
import Testing

@testable import TestService

@Suite("The page for operators", .timeLimit(.minutes(20)))
struct ConsoleTests {
    private static let operatorKey = APIKey(key: "key-of-who-looks-0123456789abc", id: "looker")

    private static let shown: Setup = {
        var setup = Setup(name: "console", rest: Setup.open.rest)
        setup.admin += ", console: true, auth: [\(operatorKey.entry)]"
        return setup
    }()

    private static let files = ["/console", "/console/console.css", "/console/console.js", "/console/icon.svg"]
    private static let data = ["/console/status", "/console/grants", "/console/asks"]

    @Test func `without admin.console nothing of it is there`() throws {
        let admin = try Service.shared(.open).admin
        for path in Self.files + Self.data { try admin.get(path).expectProblem(404, "not_found") }
        try admin.post("/console/inspect", json: #"{"text":"a"}"#).expectProblem(404, "not_found")
    }

    @Test func `its files are for everybody and tell nothing, and what it asks needs a key`() throws {
        let admin = try Service.shared(Self.shown).admin
        for path in Self.files {
            let answer = try admin.get(path)
            #expect(answer.status == 200, "\(path)")
            #expect(answer["Content-Security-Policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true)
            #expect(answer["X-Content-Type-Options"] == "nosniff")
        }
        for path in Self.data { try admin.get(path).expectProblem(401, "unauthenticated") }
        try admin.post("/console/inspect", json: #"{"text":"a"}"#).expectProblem(401, "unauthenticated")
        try admin.get("/console/status", APIKey.alice.bearer).expectProblem(401, "unauthenticated")
    }

    @Test func `no page but its own may ask, and no other host name`() throws {
        let admin = try Service.shared(Self.shown).admin
        let key = Self.operatorKey.bearer
        let own = "127.0.0.1:\(admin.port)"
        let body = #"{"text":"AK:sig:eyJzY29wZSI6ImEifQ=="}"#
        #expect(
            try admin.post("/console/inspect", json: body, key, "Host: \(own)", "Origin: http://\(own)").status != 403)
        for origin in ["http://evil.example", "http://127.0.0.1:1", "null", "http://localhost:\(admin.port)"] {
            try admin.post("/console/inspect", json: body, key, "Host: \(own)", "Origin: \(origin)")
                .expectProblem(403, "forbidden")
        }
        try admin.get("/console/status", key, "Sec-Fetch-Site: cross-site").expectProblem(403, "forbidden")
        try admin.get("/console", "Host: evil.example").expectProblem(421, "misdirected")
    }

    @Test func `it tells how the service is, and its grants in words`() throws {
        let admin = try Service.shared(Self.shown).admin
        let status = try admin.get("/console/status", Self.operatorKey.bearer)
        status.expectSuccess()
        let json = status.json
        #expect(json["configuration"]?["generation"] == 1 && json["audit"] == .null)
        #expect(json["requests"]?["times"]?.list?.count == (json["requests"]?["bounds"]?.list?.count ?? 0) + 1)
        let grants = try admin.get("/console/grants", Self.operatorKey.bearer)
        grants.expectSuccess()
        let first = try #require(grants.json["grants"]?.list?.first)
        #expect(first["words"]?.string?.contains(":") == true)
        #expect(first["enforcement"]?.list?.isEmpty == false)
        let none = try admin.get("/console/grants?search=no-such-grant-anywhere", Self.operatorKey.bearer).json
        #expect(none["grants"]?.list?.isEmpty == true && none["after"] == .null)
        for query in ["?after=x", "?other=1", "?search=%zz", "?search=\(String(repeating: "a", count: 201))"] {
            #expect(try admin.get("/console/grants" + query, Self.operatorKey.bearer).status == 400, "\(query)")
        }
        try admin.get("/console/asks", Self.operatorKey.bearer).expectProblem(404, "not_found", "no audit")
    }

    @Test func `it inspects what was issued, and says what would be right of anything else`() throws {
        let service = try Service.shared(Self.shown)
        let issued = try service.get("/qiniu/uptoken?key=hers/a", APIKey.alice.bearer).json
        let token = try #require(issued["uptoken"]?.string)
        let key = Self.operatorKey.bearer
        let told = try service.admin.post("/console/inspect", json: "{\"text\":\"\(token)\"}", key)
        told.expectSuccess()
        #expect(told.json["verdict"] == "genuine")
        for body in ["", "[]", "{}", #"{"text":1}"#, #"{"text":""}"#, #"{"text":"what is this"}"#] {
            try service.admin.post("/console/inspect", json: body, key).expectProblem(400, "invalid_parameter")
        }
        let long = String(repeating: "a", count: 300_000)
        #expect(try service.admin.post("/console/inspect", json: "{\"text\":\"\(long)\"}", key).status >= 400)
    }
}
