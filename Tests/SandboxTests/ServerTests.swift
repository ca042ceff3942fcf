import Foundation
import HTTP
import TestPeers
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// The sandbox behind HTTP: what the parser finds is what is verified.
@Suite(.timeLimit(.minutes(20))) struct ServerTests {
    /// The bytes of a request as a client sends them.
    private func wire(_ request: SandboxRequest, isChunked: Bool = false) -> [UInt8] {
        var text = "\(request.method.text) \(request.target.text) HTTP/1.1\r\n"
        for field in request.fields { text += "\(field.name.text):  \(field.value.text)\t\r\n" }
        if isChunked {
            return Array("\(text)Transfer-Encoding: chunked\r\n\r\n".utf8)
                + request.body.flatMap { Array("1\r\n".utf8) + [$0, 13, 10] } + Array("0\r\n\r\n".utf8)
        }
        return Array("\(text)Content-Length: \(request.body.count)\r\n\r\n".utf8) + request.body
    }

    private func exchange(_ bytes: [UInt8], at now: Int64 = Fixture.now) -> String {
        let answer = SocketPair.exchange(bytes) { descriptor in
            var connection = SandboxConnection(descriptor)
            connection.serve(Fixture.sandbox) { Instant(unixSeconds: now, monotonic: 0) }
        }
        return answer.text
    }

    @Test(arguments: Call.Scheme.allCases)
    func `a request over HTTP is answered`(scheme: Call.Scheme) throws {
        for isForm in [false, true] {
            for isChunked in [false, true] {
                let request = try Call(scheme) { $0.isForm = isForm }.request()
                let answer = exchange(wire(request, isChunked: isChunked))
                #expect(answer.hasPrefix("HTTP/1.1 200 \r\n"), "\(answer)")
                #expect(answer.contains("Content-Type: application/json"))
                #expect(answer.contains(#""AccessKeyId":"STS.SANDBOX"#))
            }
        }
    }

    @Test(arguments: Call.Scheme.allCases)
    func `the longest call that the vendor documents is no line too long`(scheme: Call.Scheme) throws {
        let head = #"{"Version":"1","Statement":[{"Effect":"Allow","Action":"oss:GetObject","Resource":["#
        let tail = #""acs:oss:*:*:b/*"]}]}"#
        let policy =
            head + String(repeating: #""acs:oss:*:*:b/*","#, count: (2048 - (head + tail).utf8.count) / 18) + tail
        #expect((2030...2048).contains(policy.utf8.count))
        let request = try Call(scheme) {
            $0.parameters += [("Policy", policy), ("ExternalId", String(repeating: ":", count: 1224))]
        }.request()
        #expect(request.target.count > 8 * 1024)
        let answer = exchange(wire(request))
        #expect(answer.hasPrefix("HTTP/1.1 200 \r\n"), "\(answer)")
    }

    @Test func `a refusal over HTTP has its status`() throws {
        let answer = exchange(wire(try Call { $0.keyID = "x" }.request()))
        #expect(answer.hasPrefix("HTTP/1.1 404 \r\n"))
        #expect(answer.contains(#""Code":"InvalidAccessKeyId.NotFound""#))
    }

    @Test func `what is no request is refused`() {
        let answer = exchange(Array("GET / HTTP/9\r\n\r\n".utf8))
        #expect(answer.hasPrefix("HTTP/1.1 400 \r\n"))
        #expect(answer.contains("a request line is a method, a target and a version"))
    }

    @Test func `what no vendor recognises is told how vendors are told apart`() {
        let answer = exchange(Array("GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
        #expect(answer.hasPrefix("HTTP/1.1 404 \r\n"))
        #expect(answer.contains("up.qiniu.localhost"))
    }

    @Test func `a client that waits for leave to send gets it, and one that is refused does not`() {
        let call = "POST / HTTP/1.1\r\nHost: sts.localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        #expect(exchange(Array(call.utf8)) == "HTTP/1.1 100 Continue\r\n\r\n")
        let other = "POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        #expect(exchange(Array(other.utf8)).hasPrefix("HTTP/1.1 404 \r\n"))
    }

    @Test func `requests of one connection are answered in turn, whatever content was left unread`() {
        let one = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcde"
        let answers = exchange(Array((one + one + "GET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").utf8))
        #expect(answers.components(separatedBy: "HTTP/1.1 404 ").count == 4)
        #expect(answers.components(separatedBy: "Connection: keep-alive").count == 3)
    }

    @Test func `a form whose boundary is cut in any place is read`() throws {
        let head = "--B\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nt\r\n"
        let file =
            "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a \\\"b.txt\"\r\nContent-Type: text/plain\r\n\r\n"
        let form = Array((head + file + "x\r\n--Bx\r\ny\r\n--B--\r\n").utf8)
        let request = SandboxRequest(
            Array("POST".utf8), target: Array("/".utf8),
            fields: [NameValue("Content-Type", "multipart/form-data; boundary=\"B\"")])
        for split in form.indices {
            var pieces = [Array(form[..<split]), Array(form[split...])].filter { !$0.isEmpty }
            let body = BodyReader(length: nil) { () throws(BodyReader.Fault) in
                pieces.isEmpty ? nil : pieces.removeFirst()
            }
            let reader = try #require(MultipartForm(request, body))
            #expect(try reader.next() == MultipartForm.Part(name: Array("token".utf8)))
            #expect(try reader.readAll(atMost: 10).text == "t")
            let part = try #require(try reader.next())
            #expect(part.filename?.text == "a \"b.txt" && part.mediaType?.text == "text/plain")
            #expect(try reader.readAll(atMost: 100).text == "x\r\n--Bx\r\ny")
            #expect(try reader.next() == nil)
        }
    }

    @Test func `field lines are split into names and values`() {
        let lines = Array("Host: h\r\nX-A:b:c\r\nX-Empty:\r\nx-a: \t d \r\n".utf8)
        let fields = SandboxRequest([], target: [], fields: SandboxRequest.fields(lines.span)).fields
        #expect(fields.map(\.name.text) == ["Host", "X-A", "X-Empty", "x-a"])
        #expect(fields.map(\.value.text) == ["h", "b:c", "", "d"])
        let empty: [UInt8] = []
        let none = SandboxRequest.fields(empty.span)
        #expect(none.isEmpty)
    }

    @Test(arguments: ["0.0.0.0:0", "192.0.2.1:0", "[::]:0"])
    func `it listens on loopback only`(text: String) throws {
        let address = try #require(HostPort(text))
        #expect(throws: LoopbackSocket.Failure.self) { try SandboxServer(Fixture.sandbox, on: address) }
    }

    /// Skipped in a bare `swift test`; scripts/test names a Python that has the vendor's packages, and accepts no skipped test.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"] != nil))
    func `the vendor's SDKs get credentials from it, and its refusals`() throws {
        let python = try #require(ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"])
        let server = try SandboxServer(Fixture.sandbox, on: try #require(HostPort("127.0.0.1:0")))
        let thread = Thread { server.run() }
        thread.start()
        defer { server.stop() }
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Python/sandbox_sts.py")
        let said = try Shell.run([
            python, script.path, "\(server.address)", Fixture.keyID, Fixture.secret, Fixture.role,
        ])
        let text = String(decoding: said, as: UTF8.self)
        #expect(text.contains("all SDK checks passed"), "\(text)")
    }
}
