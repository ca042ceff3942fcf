import Foundation
import Testing

@testable import TestService

/// What is refused when only the head of a request has come.
@Suite("Bodies that are not waited for")
struct EarlyRefusalTests {
    @Test func `nobody makes the service hold a body that it will refuse`() throws {
        let service = try Service.shared(.open)
        let key = "Authorization: Bearer wrong"
        for (method, target, fields, status) in [
            ("POST", "/nothing", [], 404), ("PUT", "/nos/token", [], 405), ("POST", "/livez", [], 405),
            ("GET", "/livez", [], 400),
            ("GET", "/nos/token", [], 400), ("OPTIONS", "/nos/token", [], 400), ("POST", "/nos/token", [key], 401),
            ("POST", "/nos/token", ["Content-Type: image/png"], 415),
        ] as [(String, String, [String], Int)] {
            let client = try service.connect()
            try client.send(service.text(method, target, fields + ["Content-Length: 200000"]))
            let answer = try client.answer()
            #expect(answer.status == status, "\(method) \(target) \(fields)")
            #expect(answer.closes)
        }
    }

    @Test func `a debug log tells of requests by id and known path, and shows nothing else of them`() throws {
        var setup = Setup(name: "debug", rest: "grants: {},")
        setup.logLevel = "debug"
        let service = try Service(setup)
        #expect(try service.get("/livez?secret-of-a-query", "X-Request-Id: known-1").status == 200)
        #expect(try service.get("/secret-of-a-path", "X-Request-Id: known-2").status == 404)
        let log = service.logged
        #expect(log.contains("requestId=known-1 path=/livez status=200 code=ok"))
        #expect(log.contains("requestId=known-2 path=- status=404 code=not_found"))
        #expect(!log.contains("secret-of"))
    }
}
