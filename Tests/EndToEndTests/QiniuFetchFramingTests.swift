import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// Answers whose frame is wrong, as they go over the wire.
struct FramedAnswer: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// Whether the connection is closed behind it.
    var closes = true
    /// Whether it is an answer all the same.
    var isGood = false

    init(_ name: String, _ text: String, closes: Bool = true, isGood: Bool = false) {
        self.name = name
        bytes = Array(text.utf8)
        self.closes = closes
        self.isGood = isGood
    }

    var testDescription: String { name }

    /// Something inside the prefix, which nobody is to be told in a frame that is wrong.
    private static let body = #"{"items":[{"key":"photos/smuggled"}]}"#
    private static let length = "Content-Length: \(body.utf8.count)\r\n"

    private static func head(_ fields: String, _ body: String = body, line: String = "HTTP/1.1 200 OK") -> String {
        "\(line)\r\n\(fields)\r\n\(body)"
    }

    private static func chunked(_ chunks: String) -> String { head("Transfer-Encoding: chunked\r\n", chunks) }

    private static let chunk = String(body.utf8.count, radix: 16) + "\r\n" + body + "\r\n"

    static let all: [FramedAnswer] = [
        FramedAnswer("nothing", ""), FramedAnswer("half a status line", "HTTP/1.1 20"),
        FramedAnswer("no HTTP", "hotel\r\n\r\n"), FramedAnswer("HTTP/2", head(length, line: "HTTP/2 200 OK")),
        FramedAnswer("HTTP/1.2", head(length, line: "HTTP/1.10 200 OK")),
        FramedAnswer("a status of two digits", head(length, line: "HTTP/1.1 20 OK")),
        FramedAnswer("a status of four digits", head(length, line: "HTTP/1.1 2000 OK")),
        FramedAnswer("a status below zero", head(length, line: "HTTP/1.1 -20 OK")),
        FramedAnswer("a status of letters", head(length, line: "HTTP/1.1 2xx OK")),
        FramedAnswer("101", head("Upgrade: x\r\nConnection: upgrade\r\n", line: "HTTP/1.1 101 Switching")),
        FramedAnswer(
            "100,000 interim answers", String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 100_000) + head(length)
        ),
        FramedAnswer("no line break behind the head", "HTTP/1.1 200 OK\r\n\(length)"),
        FramedAnswer("a field without a colon", head("hotel\r\n" + length)),
        FramedAnswer("a space before the colon", head("Content-Length : \(body.utf8.count)\r\n")),
        FramedAnswer("a folded field", head("X-A: b\r\n c\r\n" + length)),
        FramedAnswer("NUL in a field", head("X-A: b\0c\r\n" + length)),
        FramedAnswer("line feeds alone", "HTTP/1.1 200 OK\nContent-Length: \(body.utf8.count)\n\n\(body)"),
        FramedAnswer("10,000 fields", head(String(repeating: "X-A: b\r\n", count: 10_000) + length)),
        FramedAnswer("a field of 1 MB", head("X-A: \(String(repeating: "b", count: 1 << 20))\r\n" + length)),
        FramedAnswer("a length with a sign", head("Content-Length: +\(body.utf8.count)\r\n")),
        FramedAnswer("a length below zero", head("Content-Length: -1\r\n")),
        FramedAnswer("a length in hex", head("Content-Length: 0x25\r\n")),
        FramedAnswer("a length beyond Int64", head("Content-Length: 9223372036854775808\r\n")),
        FramedAnswer("a length beyond everything", head("Content-Length: \(String(repeating: "9", count: 40))\r\n")),
        FramedAnswer("an empty length", head("Content-Length:\r\n")),
        FramedAnswer("two lengths", head(length + "Content-Length: 2\r\n")),
        FramedAnswer("a list of lengths", head("Content-Length: \(body.utf8.count), 2\r\n")),
        FramedAnswer("a length and chunks", head(length + "Transfer-Encoding: chunked\r\n", chunk + "0\r\n\r\n")),
        FramedAnswer("more said than sent", head("Content-Length: 4000\r\n")),
        FramedAnswer("more sent than said", head("Content-Length: 9\r\n")),
        FramedAnswer("gzip claimed of chunks", head("Transfer-Encoding: gzip, chunked\r\n", chunk + "0\r\n\r\n")),
        FramedAnswer("chunked twice", head("Transfer-Encoding: chunked, chunked\r\n", chunk + "0\r\n\r\n")),
        FramedAnswer("another coding", head("Transfer-Encoding: xchunked\r\n", chunk + "0\r\n\r\n")),
        FramedAnswer("a chunk of no digits", chunked("zz\r\n\(body)\r\n0\r\n\r\n")),
        FramedAnswer("a chunk without a size", chunked("\r\n\(body)\r\n0\r\n\r\n")),
        FramedAnswer("a chunk with a sign", chunked("+\(chunk)0\r\n\r\n")),
        FramedAnswer("a chunk below zero", chunked("-1\r\n\(body)\r\n0\r\n\r\n")),
        FramedAnswer("a chunk in 0x", chunked("0x\(chunk)0\r\n\r\n")),
        FramedAnswer("a chunk beyond Int64", chunked("FFFFFFFFFFFFFFFFF\r\n\(body)\r\n0\r\n\r\n")),
        FramedAnswer("a chunk that is shorter than it says", chunked("ff\r\n\(body)\r\n0\r\n\r\n")),
        FramedAnswer("a chunk that is longer than it says", chunked("2\r\n\(body)\r\n0\r\n\r\n")),
        FramedAnswer("a chunk's end by a line feed alone", chunked(chunk.replacing("\r\n", with: "\n") + "0\r\n\r\n")),
        FramedAnswer("no last chunk", chunked(chunk)),
        FramedAnswer("no end behind the last chunk", chunked(chunk + "0\r\n")),
        FramedAnswer(
            "an endless extension", chunked("2;" + String(repeating: "x", count: 1 << 20) + "\r\n{}\r\n0\r\n\r\n")),
        FramedAnswer(
            "gzip claimed, and sent", head("Content-Encoding: gzip\r\nContent-Length: 4\r\n", "\u{1F}\u{0B}\u{08}\0")),
        // The same connection must not serve a second answer that nobody has asked for.
        FramedAnswer(
            "a second answer behind the first", head("Content-Length: 12\r\n", #"{"items":[]}"#) + head(length),
            closes: false,
            isGood: true),
        FramedAnswer(
            "a second answer behind the last chunk", chunked("c\r\n{\"items\":[]}\r\n0\r\n\r\n") + head(length),
            closes: false,
            isGood: true),
    ]
}

@Suite("Kodo's answers under attack, over the wire", .waiting)
struct QiniuFetchFramingTests {
    /// Says whether the hostile answer has been given for the first time; the connections' threads share it.
    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        func set() { lock.withLock { value = true } }
        var isSet: Bool { lock.withLock { value } }
    }

    /// Each answer is for a grant of its own with a host of its own, and so with a breaker of its own.
    @Test func `an answer in a frame that is wrong is refused, and the next good one is told`() throws {
        let cases = FramedAnswer.all
        let isBack = Flag()
        let kodos = try cases.map { framed in
            try FakeKodo { connection, _, _ in
                guard !isBack.isSet else { return false }
                try connection.write(framed.bytes)
                if framed.closes { connection.close() }
                return true
            }
        }
        var setup = Setup.fetches("framing", "http://127.0.0.1:1", limits: "patience: '3s'")
        let grants = kodos.enumerated().map { index, kodo in
            """
            "case-\(index)": {
              route: "qiniu.files", credential: "qiniu", callers: ["anonymous"], public: true, bucket: "demo-media",
              keyPrefix: "photos/", hosts: { rsf: ["\(kodo.url)"] },
            },

            """
        }
        setup.rest.replace("grants: {", with: "grants: { \(grants.joined())", maxReplacements: 1)
        try Service.run(setup, .epoll) { service in
            let clients = try cases.indices.map { index in
                let client = try service.connect()
                try client.send(service.text("GET", "/qiniu/files?grant=case-\(index)"))
                return client
            }
            for (framed, client) in zip(cases, clients) {
                let answer = try client.answer()
                #expect(
                    !answer.text.contains("smuggled") && !answer.text.contains("hotel"), "\(framed): \(answer.text)")
                if framed.isGood {
                    #expect(answer.status == 200 && answer.text == "{\"items\":[]}\n", "\(framed): \(answer.text)")
                } else {
                    #expect([502, 503].contains(answer.status), "\(framed): \(answer.status) \(answer.text)")
                    let code = answer.status == 502 ? "upstream_failed" : "upstream_unavailable"
                    #expect(answer.json["code"] == .string(code), "\(framed)")
                }
            }
            isBack.set()
            for (index, framed) in cases.enumerated() {
                let answer = try service.get("/qiniu/files?grant=case-\(index)")
                #expect(answer.status == 200, "\(framed): \(answer.text)")
                let keys = (answer.json["items"]?.list ?? []).compactMap { $0["key"]?.string }
                #expect(keys == FakeKodo.keys.filter { $0.hasPrefix("photos/") }, "\(framed): \(answer.text)")
            }
        }
    }
}
