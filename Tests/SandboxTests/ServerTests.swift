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
        var text = "\(request.method == .get ? "GET" : "POST") \(request.target.text) HTTP/1.1\r\n"
        for field in request.fields { text += "\(field.name.text):  \(field.value.text)\t\r\n" }
        if isChunked {
            return Array("\(text)Transfer-Encoding: chunked\r\n\r\n".utf8)
                + request.body.flatMap { Array("1\r\n".utf8) + [$0, 13, 10] } + Array("0\r\n\r\n".utf8)
        }
        return Array("\(text)Content-Length: \(request.body.count)\r\n\r\n".utf8) + request.body
    }

    private func exchange(_ bytes: [UInt8], at now: Int64 = Fixture.now) -> String {
        var context = ServerConnection.Context(handler: SandboxHandler(Fixture.settings))
        context.instant = Instant(unixSeconds: now, monotonic: 0)
        context.date = HTTPDate.write(now)
        var connection = ServerConnection(limits: SandboxServer.limits, at: context.instant)
        _ = connection.receive(bytes.span, in: &context)
        return context.out.array.text
    }

    @Test(arguments: Call.Scheme.allCases)
    func `a request over HTTP is answered`(scheme: Call.Scheme) throws {
        for isForm in [false, true] {
            for isChunked in [false, true] {
                let request = try Call(scheme) { $0.isForm = isForm }.request()
                let answer = exchange(wire(request, isChunked: isChunked))
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
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
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
    }

    @Test func `a refusal over HTTP has its status`() throws {
        let answer = exchange(wire(try Call { $0.keyID = "x" }.request()))
        #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(answer.contains(#""Code":"InvalidAccessKeyId.NotFound""#))
    }

    @Test func `what is no request is refused in the same form`() {
        let answer = exchange(Array("GET / HTTP/9\r\n\r\n".utf8))
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(answer.contains(#""Code":"InvalidRequest""#))
    }

    @Test func `field lines are split into names and values`() {
        let lines = Array("Host: h\r\nX-A:b:c\r\nX-Empty:\r\nx-a: \t d \r\n".utf8)
        let fields = SandboxRequest(.get, target: [], fields: SandboxRequest.fields(lines.span)).fields
        #expect(fields.map(\.name.text) == ["Host", "X-A", "X-Empty", "x-a"])
        #expect(fields.map(\.value.text) == ["h", "b:c", "", "d"])
        let empty: [UInt8] = []
        let none = SandboxRequest.fields(empty.span)
        #expect(none.isEmpty)
    }

    @Test(arguments: ["0.0.0.0:0", "192.0.2.1:0", "[::]:0"])
    func `it listens on loopback only`(text: String) throws {
        let address = try #require(HostPort(text))
        #expect(throws: SandboxServer.Failure.self) { try SandboxServer(Fixture.settings, on: address) }
    }

    /// Skipped in a bare `swift test`; scripts/test names a Python that has the vendor's packages, and accepts no skipped test.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"] != nil))
    func `the vendor's SDKs get credentials from it, and its refusals`() throws {
        let python = try #require(ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"])
        let server = try SandboxServer(Fixture.settings, on: try #require(HostPort("127.0.0.1:0")))
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
