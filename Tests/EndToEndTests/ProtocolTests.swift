import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("HTTP/1.1 as clients speak it", .waiting)
struct ProtocolTests {
    private static let token = "/qiniu/uptoken?key=photos/a.jpg"

    @Test("both transports serve", arguments: Transport.everywhere)
    func alive(_ transport: Transport) throws {
        let service = try Service.shared(.open, transport)
        let answer = try service.get("/livez")
        answer.expectSuccess()
        #expect(answer.json["status"] == "ok")
        #expect(try service.ask("HEAD", "/livez").status == 200)
    }

    @Test("a malformed request is 400, and the connection is closed", arguments: Transport.everywhere, Malformed.all)
    func malformed(_ transport: Transport, _ request: Malformed) throws {
        let client = try Service.shared(.open, transport).connect()
        // What follows must not be taken for a request.
        try client.send(request.text + "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let answer = try client.answer()
        answer.expectProblem(400, "malformed_request")
        #expect(answer.closes)
        client.finishSending()
        #expect(try client.isClosed(), "a second answer came")
    }

    @Test("bodies come with Content-Length or chunked, in one piece or byte by byte", arguments: Transport.everywhere)
    func bodies(_ transport: Transport) throws {
        let service = try Service.shared(.open, transport)
        let body = #"{"object": "a/b"}"#
        let chunked =
            service.text("POST", "/nos/token", ["Content-Type: application/json", "Transfer-Encoding: chunked"])
            + "5\r\n{\"obj\r\n00c;name=\"value\"\r\nect\": \"a/b\"}\r\n0\r\nX-Trailer: 1\r\n\r\n"
        let plain = service.text("POST", "/nos/token", ["Content-Type: application/json"], body: body)
        for request in [plain, chunked, chunked.replacing("chunked", with: "Chunked")] {
            let whole = try service.connect()
            try whole.send(request)
            #expect(try whole.answer().json["object"] == "a/b")
            let slow = try service.connect()
            for byte in request.utf8 { try slow.send([byte]) }
            #expect(try slow.answer().json["object"] == "a/b")
            // The connection is where it should be for the next request.
            try slow.send(request)
            #expect(try slow.answer().json["object"] == "a/b")
        }
    }

    @Test("Expect: 100-continue is answered before the body is sent", arguments: Transport.everywhere)
    func expectation(_ transport: Transport) throws {
        let service = try Service.shared(.open, transport)
        let body = #"{"object": "a"}"#
        let fields = ["Content-Type: application/json", "Expect: 100-continue"]
        let client = try service.connect()
        let request = service.text("POST", "/nos/token", fields, body: body)
        for _ in 0..<2 {
            try client.send(String(request.dropLast(body.count)))
            #expect(try client.answer().status == 100)
            try client.send(body)
            #expect(try client.answer().json["object"] == "a")
        }
        // A body that is there already needs no invitation.
        try client.send(request)
        #expect(try client.answer().status == 200)
        // And one that is too long gets none.
        let long = try service.connect()
        try long.send(service.text("POST", "/nos/token", fields + ["Content-Length: 999999"]))
        try long.answer().expectProblem(413, "body_too_large")
    }

    @Test("fifty requests in one go are answered in order", arguments: Transport.everywhere)
    func pipelining(_ transport: Transport) throws {
        let service = try Service.shared(.open, transport)
        let kinds: [(status: Int, method: String, target: String, fields: [String], body: String?)] = [
            (200, "GET", ProtocolTests.token, [], nil),
            (200, "POST", "/nos/token", ["Content-Type: application/json"], #"{"object": "a"}"#),
            (200, "HEAD", ProtocolTests.token, [], nil), (404, "GET", "/nothing", [], nil),
            (403, "GET", "/qiniu/uptoken?key=x/y", [], nil), (204, "OPTIONS", "/oss/sign", [], nil),
            (422, "POST", "/oss/sign", ["Content-Type: text/plain"], "no\nstring"), (405, "PUT", "/livez", [], "x"),
            (400, "GET", "/nos/token", [], nil), (401, "GET", ProtocolTests.token, ["X-API-Key: x"], nil),
        ]
        let requests = (0..<50).map { ($0, kinds[$0 * 7 % kinds.count]) }
        let text = requests.map { number, kind in
            service.text(kind.method, kind.target, kind.fields + ["X-Request-Id: n-\(number)"], body: kind.body)
        }.joined()
        let client = try service.connect()
        try client.send(text)
        for (number, kind) in requests {
            let answer = try client.answer(toHead: kind.method == "HEAD")
            #expect(answer["X-Request-Id"] == "n-\(number)")
            #expect(answer.status == kind.status)
        }
        // Nothing is left over, and the connection goes on.
        try client.send(service.text("GET", "/livez"))
        #expect(try client.answer().status == 200)
    }

    @Test("a client that reads late gets all its answers", arguments: Transport.everywhere)
    func lateReader(_ transport: Transport) throws {
        let service = try Service.shared(.open, transport)
        let client = try service.connect()
        // Some megabytes of answers, which no socket buffer holds.
        let request = service.text("GET", ProtocolTests.token)
        for _ in 0..<4 { try client.send(String(repeating: request, count: 500)) }
        for _ in 0..<2000 {
            let answer = try client.answer()
            try #require(answer.status == 200)
        }
    }

    @Test("connections stay open unless one side says close", arguments: Transport.everywhere)
    func persistence(_ transport: Transport) throws {
        let service = try Service.shared(.open, transport)
        let client = try service.connect()
        for _ in 0..<3 {
            try client.send(service.text("GET", "/livez"))
            let answer = try client.answer()
            #expect(answer.status == 200 && !answer.closes)
        }
        try client.send(service.text("GET", "/nothing"))
        #expect(try client.answer().closes == false, "an error of the application is no reason to close")
        try client.send(service.text("GET", "/livez", ["Connection: foo, Close"]))
        #expect(try client.answer().closes)
        #expect(try client.isClosed())
        // A client that has said all still gets its answer.
        let half = try service.connect()
        try half.send(service.text("GET", "/livez"))
        half.finishSending()
        #expect(try half.answer().status == 200)
        #expect(try half.isClosed())
    }

    @Test("HTTP/1.0 is answered and closed, or kept where the client asks for it", arguments: Transport.everywhere)
    func oldVersion(_ transport: Transport) throws {
        let service = try Service.shared(.open, transport)
        let closing = try service.connect()
        try closing.send("GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n")
        let answer = try closing.answer()
        #expect(answer.status == 200 && answer.closes)
        #expect(try closing.isClosed())
        let kept = try service.connect()
        for _ in 0..<2 {
            try kept.send("GET /livez HTTP/1.0\r\nHost: localhost\r\nConnection: Keep-Alive\r\n\r\n")
            #expect(try kept.answer()["Connection"] == "keep-alive")
        }
    }

    @Test("an absolute target and an empty line before the request are understood", arguments: Transport.everywhere)
    func tolerance(_ transport: Transport) throws {
        let service = try Service.shared(.open, transport)
        let client = try service.connect()
        for request in [
            "GET http://127.0.0.1:\(service.port)/livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            "\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /livez? HTTP/1.1\r\nhOST:localhost\t\r\nX-Empty:\r\n\r\n",
            "GET /livez?a=%ff&b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
        ] {
            try client.send(request)
            #expect(try client.answer().status == 200, "\(request)")
        }
    }
}

/// A request that two readers could understand differently, or none.
struct Malformed: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    var testDescription: String { name }

    init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }

    private static func get(_ name: String, _ fields: String, line: String = "GET /livez HTTP/1.1") -> Malformed {
        Malformed(name, "\(line)\r\n\(fields)\r\n")
    }

    private static func post(_ name: String, _ fields: String, _ body: String = "") -> Malformed {
        Malformed(name, "POST /nos/token HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\(body)")
    }

    private static let host = "Host: localhost\r\n"

    static let all = [
        get("no Host", ""), get("two Hosts", host + host), get("an empty Host", "Host:\r\n"),
        get("a Host with a path", "Host: localhost/x\r\n"), get("a Host with a space", "Host: local host\r\n"),
        get("a Host with a user", "Host: a@localhost\r\n"),
        get("a Host that is a list", "Host: localhost, localhost\r\n"),
        get("HTTP/2.0", host, line: "GET /livez HTTP/2.0"), get("HTTP/1.2", host, line: "GET /livez HTTP/1.2"),
        get("http/1.1", host, line: "GET /livez http/1.1"), get("HTTP/0.9", "", line: "GET /livez"),
        get("two spaces", host, line: "GET  /livez HTTP/1.1"), get("a tab", host, line: "GET\t/livez HTTP/1.1"),
        get("a space at the end", host, line: "GET /livez HTTP/1.1 "), get("no method", host, line: " /livez HTTP/1.1"),
        get("a method that is no token", host, line: "G@T /livez HTTP/1.1"),
        get("a target without a slash", host, line: "GET livez HTTP/1.1"),
        get("a star for GET", host, line: "GET * HTTP/1.1"),
        get("CONNECT", host, line: "CONNECT localhost:443 HTTP/1.1"),
        get("another scheme", host, line: "GET ftp://localhost/livez HTTP/1.1"),
        get("a fragment", host, line: "GET /livez#x HTTP/1.1"),
        get("a raw quote", host, line: "GET /livez?\"x\" HTTP/1.1"),
        get("raw UTF-8", host, line: "GET /livez?ä HTTP/1.1"), get("a backslash", host, line: "GET /\\livez HTTP/1.1"),
        get("a NUL in the target", host, line: "GET /livez\0 HTTP/1.1"),
        Malformed("bare line feeds", "GET /livez HTTP/1.1\nHost: localhost\n\n"),
        Malformed("a bare line feed in the fields", "GET /livez HTTP/1.1\r\nHost: localhost\nX: 1\r\n\r\n"),
        Malformed("a line feed first", "\nGET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        get("a bare CR in a value", host + "X: a\rb\r\n"), get("a NUL in a value", host + "X: a\0b\r\n"),
        get("a space before the colon", "Host : localhost\r\n"), get("a folded line", host + "X: a\r\n b\r\n"),
        get("a first line that is folded", " X: a\r\n" + host), get("no colon", host + "hello\r\n"),
        get("no name", host + ": a\r\n"), get("a name with a space", host + "X Y: a\r\n"),
        get("another expectation", host + "Expect: 200-ok\r\n"),
        post("length and chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
        post("two lengths", "Content-Length: 2\r\nContent-Length: 2\r\n", "{}"),
        post("a list of lengths", "Content-Length: 2, 2\r\n", "{}"),
        post("a signed length", "Content-Length: +2\r\n", "{}"),
        post("a negative length", "Content-Length: -2\r\n"),
        post("a hexadecimal length", "Content-Length: 0x2\r\n", "{}"),
        post("an empty length", "Content-Length:\r\n"), post("a length with a space", "Content-Length: 1 2\r\n"),
        post("another coding", "Transfer-Encoding: gzip\r\n"),
        post("two codings", "Transfer-Encoding: gzip, chunked\r\n"),
        post("chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
        post("xchunked", "Transfer-Encoding: xchunked\r\n"), post("identity", "Transfer-Encoding: identity\r\n"),
        post("a chunk size of no digits", "Transfer-Encoding: chunked\r\n", "x\r\n"),
        post("a chunk size with 0x", "Transfer-Encoding: chunked\r\n", "0x2\r\n{}\r\n0\r\n\r\n"),
        post("a signed chunk size", "Transfer-Encoding: chunked\r\n", "+2\r\n{}\r\n0\r\n\r\n"),
        post("an endless chunk size", "Transfer-Encoding: chunked\r\n", "00000000000000002\r\n{}\r\n0\r\n\r\n"),
        post("a chunk that is too short", "Transfer-Encoding: chunked\r\n", "5\r\n{}\r\n0\r\n\r\n"),
        post("a chunk with a bare line feed", "Transfer-Encoding: chunked\r\n", "2\n{}\n0\n\n"),
        post("a bad trailer", "Transfer-Encoding: chunked\r\n", "0\r\nno trailer\r\n\r\n"),
        Malformed(
            "chunked in HTTP/1.0",
            "POST /nos/token HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ]
}
