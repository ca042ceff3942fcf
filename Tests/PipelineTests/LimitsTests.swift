import Foundation
import Testing

@testable import TestService

@Suite("server.limits: every key takes effect")
struct LimitsTests {
    @Test func `requestLine: a line of so many bytes is read, one more is 414`() throws {
        let service = try Service.shared(Setup.small)
        let frame = "GET /livez?_= HTTP/1.1".utf8.count
        let longest = "/livez?_=" + String(repeating: "a", count: 256 - frame)
        #expect(try service.get(longest).status == 200)
        let answer = try service.get(longest + "a")
        answer.expectProblem(414, "uri_too_long")
        #expect(answer.closes)
        // Nobody waits for the end of a line that has none.
        let endless = try service.connect()
        try endless.send("GET /" + String(repeating: "a", count: 300))
        try endless.answer().expectProblem(414, "uri_too_long")
    }

    @Test func `headers: more bytes of fields are 431`() throws {
        let service = try Service.shared(Setup.small)
        #expect(try service.get("/livez", "X: " + String(repeating: "a", count: 960)).status == 200)
        let answer = try service.get("/livez", "X: " + String(repeating: "a", count: 1030))
        answer.expectProblem(431, "headers_too_large")
        #expect(answer.closes)
        try service.get(
            "/livez", "X: " + String(repeating: "a", count: 500), "Y: " + String(repeating: "a", count: 600)
        )
        .expectProblem(431, "headers_too_large")
        let endless = try service.connect()
        try endless.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "a", count: 5000))
        try endless.answer().expectProblem(431, "headers_too_large")
    }

    @Test func `headerCount: so many fields are read, one more is 431`() throws {
        let service = try Service.shared(Setup.small)
        let nine = (1...9).map { "X-\($0): a" }
        #expect(try service.ask("GET", "/livez", nine).status == 200)
        try service.ask("GET", "/livez", nine + ["X-10: a"]).expectProblem(431, "headers_too_large")
    }

    @Test func `body: so many bytes are read, one more is 413, told or chunked`() throws {
        let service = try Service.shared(Setup.small)
        let frame = #"{"object": "a", "_": ""}"#.utf8.count
        let longest = #"{"object": "a", "_": ""# + String(repeating: "b", count: 512 - frame) + "\"}"
        try service.post("/nos/token", json: longest).expectSuccess()
        let answer = try service.post("/nos/token", json: longest + " ")
        answer.expectProblem(413, "body_too_large")
        #expect(answer.closes)
        func chunked(_ body: String) -> String {
            let fields = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
            let (first, second) = (body.prefix(300), body.dropFirst(300))
            let chunks = [first, second].map { "\(String($0.count, radix: 16))\r\n\($0)\r\n" }.joined()
            return service.text("POST", "/nos/token", fields) + chunks + "0\r\n\r\n"
        }
        try service.raw(Array(chunked(longest).utf8)).expectSuccess()
        try service.raw(Array(chunked(longest + " ").utf8)).expectProblem(413, "body_too_large")
        // It is refused before it is sent, however long it says it is.
        for length in ["513", "9223372036854775807", "99999999999999999999999"] {
            try service.ask("POST", "/nos/token", ["Content-Length: \(length)"]).expectProblem(413, "body_too_large")
        }
    }

    @Test func `jsonDepth: deeper JSON is 400 and says how deep it may be`() throws {
        let service = try Service.shared(Setup.small)
        // As deep as it may be: it is read, and then refused for what it is.
        try service.post("/nos/token", json: #"{"object": ["a"]}"#).expectProblem(400, "invalid_parameter", "one value")
        try service.post("/nos/token", json: #"{"object": [["a"]]}"#).expectProblem(400, "invalid_parameter", "2 deep")
        let open = try Service.shared(.open)
        try open.post("/nos/token", json: String(repeating: "[", count: 33)).expectProblem(
            400, "invalid_parameter", "32 deep")
        try open.post("/nos/token", json: String(repeating: "[", count: 200_000))
            .expectProblem(400, "invalid_parameter", "32 deep")
    }
}
