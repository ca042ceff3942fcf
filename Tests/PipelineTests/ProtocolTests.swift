import Foundation
import Testing

@testable import TestService

@Suite("HTTP/1.1 as clients speak it")
struct ProtocolTests {
    private static let token = "/qiniu/uptoken?key=photos/a.jpg"

    @Test func `every kind of answer has the fields that every answer has, and tells its length`() throws {
        let service = try Service.shared(.open)
        let answers = [
            (200, try service.get("/livez")), (200, try service.get(ProtocolTests.token)),
            (204, try service.ask("OPTIONS", "/nos/token")), (204, try service.ask("OPTIONS", "*")),
            (400, try service.raw(Array("hello\r\n\r\n".utf8))), (401, try service.get("/nos/token", "X-API-Key: x")),
            (403, try service.get("/qiniu/uptoken?key=x")), (404, try service.get("/")),
            (405, try service.ask("DELETE", "/nos/token")),
            (413, try service.ask("POST", "/nos/token", ["Content-Length: 999999"])),
            (414, try service.get("/" + String(repeating: "a", count: 9000))),
            (415, try service.post("/nos/token", "image/png", "x")), (421, try service.get("/", "Host: example.com")),
            (422, try service.post("/oss/sign", "text/plain", "x")),
            (431, try service.get("/", "X: " + String(repeating: "a", count: 40_000))),
        ]
        for (status, answer) in answers {
            #expect(answer.status == status)
            answer.expectAlwaysFields()
            #expect(!answer.has("Transfer-Encoding") && !answer.has("Server"))
            #expect(answer.has("Content-Length") == (status != 204))
            if status >= 400 {
                answer.expectProblem(status, try #require(answer.json["code"]?.string))
            }
        }
    }

    @Test func `a well-formed X-Request-Id is echoed, any other is replaced by one of the service's own`() throws {
        let service = try Service.shared(.open)
        for identifier in ["a", "Z9._-", String(repeating: "x", count: 64), "0190-7f3e"] {
            #expect(try service.get("/livez", "X-Request-Id: \(identifier)")["X-Request-Id"] == identifier)
            let refusal = try service.get("/nothing", "x-request-id: \(identifier)")
            #expect(refusal.json["requestId"] == .string(identifier))
        }
        var own: Set<String> = []
        for field in [
            "X-Request-Id: a b", "X-Request-Id: " + String(repeating: "x", count: 65), "X-Request-Id:",
            "X-Request-Id: ä",
            "X-Request-Id: a\"b", "X-Request-Id: a\r\nX-Request-Id: b", "X-Other: a",
        ] {
            let identifier = try #require(try service.get("/livez", field)["X-Request-Id"])
            #expect(identifier.wholeMatch(of: #/[0-9a-f]{16}-[0-9]+/#) != nil, "\(identifier)")
            own.insert(identifier)
        }
        #expect(own.count == 7, "no two requests have the same")
    }

    @Test("another path is 404, another method 405 with Allow")
    func paths() throws {
        let service = try Service.shared(.open)
        for path in [
            "/", "/qiniu", "/qiniu/uptoken/", "/QINIU/uptoken", "/qiniu//uptoken", "/qiniu/%75ptoken", "/metrics",
        ] {
            try service.get(path).expectProblem(404, "not_found")
        }
        for method in ["PUT", "DELETE", "PATCH", "TRACE", "get", "PROPFIND"] {
            let answer = try service.ask(method, ProtocolTests.token)
            answer.expectProblem(405, "method_not_allowed")
            #expect(answer["Allow"] == "GET, HEAD, POST, OPTIONS")
        }
        let answer = try service.ask("POST", "/livez")
        answer.expectProblem(405, "method_not_allowed")
        #expect(answer["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test("OPTIONS tells the methods and issues nothing")
    func options() throws {
        let service = try Service.shared(.open)
        for target in [ProtocolTests.token, "/nos/token", "/oss/sign", "*"] {
            let answer = try service.ask("OPTIONS", target)
            #expect(answer.status == 204)
            #expect(answer["Allow"] == "GET, HEAD, POST, OPTIONS")
            #expect(answer.body.isEmpty && !answer.has("Content-Type"))
        }
        #expect(try service.ask("OPTIONS", "/livez")["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test("a body of another type is 415")
    func types() throws {
        let service = try Service.shared(.open)
        let body = #"{"object": "a"}"#
        for type in [
            "image/png", "multipart/form-data; boundary=x", "application/xml", "text/json", "application/jsonx",
            "application/json; charset=latin1", "text/plain", "json", ";",
        ] {
            try service.post("/nos/token", type, body).expectProblem(415, "unsupported_media_type")
        }
        try service.ask("POST", "/nos/token", [], body: body).expectProblem(415, "unsupported_media_type")
        try service.ask(
            "POST", "/nos/token", ["Content-Type: application/json", "Content-Type: text/plain"], body: body
        )
        .expectProblem(415, "unsupported_media_type")
        for type in ["application/json", "APPLICATION/JSON;charset=utf-8", "application/json; charset=\"UTF-8\""] {
            try service.post("/nos/token", type, body).expectSuccess()
        }
    }
}
