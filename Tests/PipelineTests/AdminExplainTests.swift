import Foundation
import Testing

@testable import TestService

@Suite("POST /explain at the admin listener")
struct AdminExplainTests {
    private static let operatorKey = APIKey(key: "key-of-who-explains-0123456789", id: "explainer")

    private static let keyed: Setup = {
        var setup = Setup(name: "keyed explain", rest: Setup.open.rest)
        setup.admin += ", auth: [\(operatorKey.entry)]"
        return setup
    }()

    private static func body(_ caller: String = "apiKey:alice", _ key: String = "hers/a", _ more: String = "") -> String
    {
        #"{"caller":"\#(caller)","route":"qiniu.uptoken","parameters":{"key":"\#(key)"}\#(more)}"#
    }

    @Test func `its answer is the public listener's`() throws {
        let service = try Service.shared(.open)
        for (caller, field) in [("apiKey:alice", APIKey.alice.bearer), ("apiKey:bob", APIKey.bob.bearer)] {
            for key in ["photos/a", "hers/a", "photos/twin/a", "fixed/report.pdf", "private/a", "a/../b"] {
                let explained = try service.admin.post("/explain", json: AdminExplainTests.body(caller, key)).json
                let answer = try service.get("/qiniu/uptoken?key=\(percent(key))", field)
                #expect(explained["verdict"] == (answer.status == 200 ? "allow" : "deny"), "\(caller) \(key)")
                #expect(explained["refusal"]?["code"] == answer.json["code"], "\(caller) \(key)")
                #expect(explained["permitted"]?["grant"] == answer.json["grant"], "\(caller) \(key)")
            }
        }
    }

    @Test func `only who has a key of admin.auth is answered, where there is one, and no page`() throws {
        let admin = try Service.shared(AdminExplainTests.keyed).admin
        try admin.post("/explain", json: AdminExplainTests.body()).expectProblem(401, "unauthenticated")
        for wrong in ["Authorization: Bearer wrong", APIKey.alice.bearer] {
            try admin.post("/explain", json: AdminExplainTests.body(), wrong).expectProblem(401, "unauthenticated")
        }
        let key = AdminExplainTests.operatorKey.bearer
        try admin.post("/explain", json: AdminExplainTests.body(), key).expectSuccess()
        try admin.post("/explain", json: AdminExplainTests.body(), key, "Origin: null").expectProblem(403, "forbidden")
        // Nobody's body is waited for who may not ask.
        let client = try admin.connect()
        try client.send(
            "POST /explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{"
        )
        try client.answer().expectProblem(401, "unauthenticated")
    }

    @Test func `it takes JSON of a bounded size by POST, and says what would be right`() throws {
        let service = try Service.shared(.open)
        let admin = service.admin
        for method in ["GET", "PUT", "HEAD"] {
            let answer = try admin.ask(method, "/explain")
            #expect(answer.status == 405 && answer["Allow"] == "POST, OPTIONS", "\(method)")
        }
        let options = try admin.ask("OPTIONS", "/explain")
        #expect(options.status == 204 && options["Allow"] == "POST, OPTIONS")
        let form = try admin.post("/explain", "application/x-www-form-urlencoded", "caller=anonymous")
        form.expectProblem(415, "unsupported_media_type", "application/json")
        try admin.post("/explain", json: "").expectProblem(400, "invalid_parameter")
        try admin.post("/explain", json: #"{"caller":"x","route":"nos.token"}"#).expectProblem(
            400, "invalid_parameter", "apiKey:ID")
        try admin.post("/explain", json: AdminExplainTests.body("anonymous", "a", #","secret":"x""#)).expectProblem(
            400, "unknown_parameter", "caller, claims, route")
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        try admin.post("/explain", json: AdminExplainTests.body("anonymous", "a", ",\"claims\":{\"a\":\(deep)}"))
            .expectProblem(400, "invalid_parameter")
        let long = String(repeating: "a", count: 300_000)
        #expect(try admin.post("/explain", json: AdminExplainTests.body("anonymous", long)).status == 413)
        try service.post("/explain", json: AdminExplainTests.body()).expectProblem(404, "not_found")
    }
}
