import Bytes
import TestTraits
import Testing

@testable import HTTP

/// An answer, the section it is about, and what becomes of it when at most ten bytes of content are allowed.
struct ResponseCase: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        case complete(Int, String, keepsAlive: Bool)
        case fault(ResponseReader.Fault.Kind)
        case incomplete
    }

    let section: String
    let raw: [UInt8]
    let outcome: Outcome
    let isClosed: Bool
    let isHead: Bool

    var testDescription: String { "\(section): \(String(decoding: raw.prefix(60), as: UTF8.self).debugDescription)" }

    private init(_ section: String, _ raw: String, _ outcome: Outcome, isClosed: Bool = false, isHead: Bool = false) {
        self.section = section
        self.raw = octets(raw)
        self.outcome = outcome
        self.isClosed = isClosed
        self.isHead = isHead
    }

    private static func ok(
        _ section: String, _ raw: String, _ body: String, status: Int = 200, keepsAlive: Bool = true,
        isClosed: Bool = false, isHead: Bool = false
    ) -> ResponseCase {
        ResponseCase(
            section, raw, .complete(status, body, keepsAlive: keepsAlive), isClosed: isClosed, isHead: isHead)
    }

    private static func no(
        _ section: String, _ raw: String, _ kind: ResponseReader.Fault.Kind = .malformed, isClosed: Bool = false
    ) -> ResponseCase { ResponseCase(section, raw, .fault(kind), isClosed: isClosed) }

    private static func more(_ section: String, _ raw: String) -> ResponseCase {
        ResponseCase(section, raw, .incomplete)
    }

    private static let head = "HTTP/1.1 200 OK\r\n"

    static let all: [ResponseCase] = [
        ok("6.3 length", "\(head)Content-Length: 2\r\n\r\nhi", "hi"),
        ok("6.3 length at the limit", "\(head)Content-Length: 10\r\n\r\n0123456789", "0123456789"),
        ok("6.3 length nought", "\(head)Content-Length: 0\r\n\r\n", ""),
        ok("6.3 any case, white space", "\(head)CONTENT-lENGTH: \t 2 \t\r\n\r\nhi", "hi"),
        ok("6.3 more than the length", "\(head)Content-Length: 2\r\n\r\nhi!", "hi", keepsAlive: false),
        ok("6.3 more than nought", "\(head)Content-Length: 0\r\n\r\nx", "", keepsAlive: false),
        ok("6.3 chunked", "\(head)Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "hi"),
        ok("6.3 chunked, any case", "\(head)transfer-encoding: CHUNKED\r\n\r\n0\r\n\r\n", ""),
        ok(
            "6.3 chunked, in pieces",
            "\(head)Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1;a\r\ni\r\n0\r\nA: b\r\n\r\n", "hi"),
        ok("6.3 more than chunked", "\(head)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nx", "", keepsAlive: false),
        ok("6.3 until close", "\(head)\r\nhi", "hi", keepsAlive: false, isClosed: true),
        ok("6.3 nothing until close", "\(head)\r\n", "", keepsAlive: false, isClosed: true),
        ok("6.3 HEAD", "\(head)Content-Length: 2000\r\n\r\n", "", isHead: true),
        ok("6.3 HEAD, chunked", "\(head)Transfer-Encoding: chunked\r\n\r\n", "", isHead: true),
        ok("6.3 204", "HTTP/1.1 204 No Content\r\n\r\n", "", status: 204),
        ok("6.3 304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 2000\r\n\r\n", "", status: 304),
        ok("6.3 204 with content", "HTTP/1.1 204 N\r\n\r\nhi", "", status: 204, keepsAlive: false),
        ok("9.3 close", "\(head)Connection: close\r\nContent-Length: 0\r\n\r\n", "", keepsAlive: false),
        ok("9.3 close among others", "\(head)Connection: a, Close\r\nContent-Length: 0\r\n\r\n", "", keepsAlive: false),
        ok(
            "9.3 close in the second field", "\(head)Connection: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            "", keepsAlive: false),
        ok("9.3 keep-alive", "\(head)Connection: keep-alive\r\nContent-Length: 0\r\n\r\n", ""),
        ok("9.3 HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi", keepsAlive: false),
        ok("9.3 HTTP/1.0 keep-alive", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", ""),
        ok("9.3 HTTP/1.0 until close", "HTTP/1.0 200 OK\r\n\r\nhi", "hi", keepsAlive: false, isClosed: true),
        ok("4 no reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", ""),
        ok("4 no space after the status", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", ""),
        ok("4 reason of other scripts", "HTTP/1.1 200 \u{E4}\r\nContent-Length: 0\r\n\r\n", ""),
        ok("15.4 redirect", "HTTP/1.1 302 Found\r\nLocation: http://x/\r\nContent-Length: 0\r\n\r\n", "", status: 302),
        ok("4 a vendor's own", "HTTP/1.1 612 None\r\nContent-Length: 2\r\n\r\nno", "no", status: 612),
        ok("15.6 error", "HTTP/1.1 599 X\r\nContent-Length: 2\r\n\r\nno", "no", status: 599),
        ok("15.2 interim", "HTTP/1.1 100 Continue\r\n\r\n\(head)Content-Length: 2\r\n\r\nhi", "hi"),
        ok(
            "15.2 interim with fields",
            "HTTP/1.1 103 E\r\nLink: a\r\nContent-Length: 9\r\n\r\nHTTP/1.1 102 P\r\n\r\n\(head)Content-Length: 0\r\n\r\n",
            ""),
        ok("5 empty value, obs-text", "\(head)A:\r\nB: \u{FF}\r\nContent-Length: 0\r\n\r\n", ""),
        no("15.2.2 protocol change", "HTTP/1.1 101 S\r\nUpgrade: h2c\r\n\r\n"),
        no("2.2 bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\n\n"),
        no("2.2 bare LF after a field", "\(head)Content-Length: 0\n\r\n"),
        no("2.2 bare LF for the empty line", "\(head)Content-Length: 0\r\n\n"),
        no("2.2 empty line first", "\r\n\(head)Content-Length: 0\r\n\r\n"),
        no("2.2 LF first", "\n"),
        no("4 HTTP/2", "HTTP/2 200\r\n\r\n"),
        no("4 HTTP/1.2", "HTTP/1.2 200 OK\r\n\r\n"),
        no("4 HTTP/0.9", "<html>\r\n\r\n"),
        no("4 lower case", "http/1.1 200 OK\r\n\r\n"),
        no("4 status of two digits", "HTTP/1.1 20 OK\r\n\r\n"),
        no("4 status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"),
        no("4 status 099", "HTTP/1.1 099 OK\r\n\r\n"),
        no("4 status with a sign", "HTTP/1.1 +20 OK\r\n\r\n"),
        no("4 two spaces", "HTTP/1.1  200 OK\r\n\r\n"),
        no("4 CR in the reason", "HTTP/1.1 200 O\rK\r\n\r\n"),
        no("4 NUL in the reason", "HTTP/1.1 200 O\0K\r\n\r\n"),
        no("5 no colon", "\(head)A\r\n\r\n"),
        no("5 no name", "\(head): a\r\n\r\n"),
        no("5.1 space before the colon", "\(head)Content-Length : 0\r\n\r\n"),
        no("5.2 folded", "\(head)A: b\r\n c\r\nContent-Length: 0\r\n\r\n"),
        no("5.5 NUL", "\(head)A: \0\r\n\r\n"),
        no("5.5 CR", "\(head)A: b\rc\r\n\r\n"),
        no("6.3 both framings", "\(head)Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"),
        no("6.3 two lengths", "\(head)Content-Length: 2\r\nContent-Length: 3\r\n\r\n"),
        no("6.3 two equal lengths", "\(head)Content-Length: 2\r\nContent-Length: 2\r\n\r\n"),
        no("6.3 a list of lengths", "\(head)Content-Length: 2, 2\r\n\r\n"),
        no("6.3 signed length", "\(head)Content-Length: +2\r\n\r\n"),
        no("6.3 negative length", "\(head)Content-Length: -1\r\n\r\n"),
        no("6.3 empty length", "\(head)Content-Length:\r\n\r\n"),
        no("6.3 hexadecimal length", "\(head)Content-Length: 0x2\r\n\r\n"),
        no("6.1 two codings", "\(head)Transfer-Encoding: gzip, chunked\r\n\r\n"),
        no("6.1 two coding fields", "\(head)Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n"),
        no("6.1 another coding", "\(head)Transfer-Encoding: identity\r\n\r\n"),
        no("6.1 chunked in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        no("7.1 bad chunk", "\(head)Transfer-Encoding: chunked\r\n\r\nx" + "\r\n"),
        no("7.1 bare LF in chunks", "\(head)Transfer-Encoding: chunked\r\n\r\n0\n\n"),
        no("too large by length", "\(head)Content-Length: 11\r\n\r\n", .tooLarge),
        no("too large by 2^70", "\(head)Content-Length: 1180591620717411303424\r\n\r\n", .tooLarge),
        no("too large by chunk", "\(head)Transfer-Encoding: chunked\r\n\r\nb\r\n", .tooLarge),
        no("too large by chunks", "\(head)Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n1\r\n", .tooLarge),
        no("too large until close", "\(head)\r\n01234567890", .tooLarge),
        no("ended in the status line", "HTTP/1.1 2", .endedEarly, isClosed: true),
        no("ended in the fields", "\(head)A: b\r\n", .endedEarly, isClosed: true),
        no("ended after an interim answer", "HTTP/1.1 100 Continue\r\n\r\n", .endedEarly, isClosed: true),
        no("ended in the content", "\(head)Content-Length: 3\r\n\r\nhi", .endedEarly, isClosed: true),
        no("ended in a chunk", "\(head)Transfer-Encoding: chunked\r\n\r\n3\r\nhi", .endedEarly, isClosed: true),
        no(
            "ended before the last chunk", "\(head)Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", .endedEarly,
            isClosed: true),
        no(
            "ended in the trailers", "\(head)Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n", .endedEarly,
            isClosed: true),
        no("ended before it began", "", .endedEarly, isClosed: true),
        more("4", "HTTP/1.1 200 OK\r"),
        more("5", "\(head)Content-Length: 0\r\n\r"),
        more("6.3", "\(head)Content-Length: 3\r\n\r\nhi"),
        more("6.3", "\(head)\r\nhi"),
        more("7.1", "\(head)Transfer-Encoding: chunked\r\n\r\n0\r\n\r"),
        more("15.2", "HTTP/1.1 100 Continue\r\n\r\n"),
    ]
}

@Suite struct ResponseReaderTests {
    private func outcome(
        _ pieces: [ArraySlice<UInt8>], isClosed: Bool = false, isHead: Bool = false, limit: Int = 10
    ) -> ResponseCase.Outcome {
        var reader = ResponseReader(limit: limit, isHead: isHead)
        do throws(ResponseReader.Fault) {
            for piece in pieces { try reader.receive(piece.span) }
            if isClosed { try reader.close() }
        } catch {
            return .fault(error.kind)
        }
        guard reader.isComplete else { return .incomplete }
        return .complete(reader.status, latin(reader.body), keepsAlive: reader.keepsAlive)
    }

    @Test(arguments: ResponseCase.all)
    func `reads as it should, whole, cut anywhere and byte by byte`(answer: ResponseCase) {
        let raw = answer.raw
        func read(_ pieces: [ArraySlice<UInt8>]) -> ResponseCase.Outcome {
            outcome(pieces, isClosed: answer.isClosed, isHead: answer.isHead)
        }
        #expect(read([raw[...]]) == answer.outcome)
        #expect(read(raw.indices.map { raw[$0...$0] }) == answer.outcome)
        for cut in raw.indices { #expect(read([raw[..<cut], raw[cut...]]) == answer.outcome, "cut at \(cut)") }
    }

    @Test func `gives the fields in order, names in lower case`() throws {
        let raw = octets("HTTP/1.1 200 OK\r\nX-A: 1\r\nx-b:  two \r\nX-a: 3\r\nContent-Length: 0\r\n\r\n")
        var reader = ResponseReader(limit: 0)
        try reader.receive(raw.span)
        let names = reader.fields.map { latin($0.name) }
        let (first, second, missing) = (reader.field("x-a"), reader.field("x-b"), reader.field("x-c"))
        #expect(names == ["x-a", "x-b", "x-a", "content-length"])
        #expect(first.map(latin) == "1")
        #expect(second.map(latin) == "two")
        #expect(missing == nil)
    }

    @Test func `the fields of an interim answer are not the answer's`() throws {
        let raw = octets("HTTP/1.1 103 E\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        var reader = ResponseReader(limit: 0)
        try reader.receive(raw.span)
        let names = reader.fields.map { latin($0.name) }
        #expect(names == ["content-length"])
    }

    @Test func `a head has its limit, however it comes`() {
        let start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: "
        func head(_ count: Int) -> [UInt8] {
            octets(start + String(repeating: "a", count: count - start.utf8.count - 4) + "\r\n\r\n")
        }
        let fits = head(ResponseReader.headLimit)
        let tooLarge = head(ResponseReader.headLimit + 1)
        for size in [1, 1000, 100_000] {
            func pieces(_ raw: [UInt8]) -> [ArraySlice<UInt8>] {
                stride(from: 0, to: raw.count, by: size).map { raw[$0..<min($0 + size, raw.count)] }
            }
            #expect(outcome(pieces(fits)) == .complete(200, "", keepsAlive: true))
            #expect(outcome(pieces(tooLarge)) == .fault(.tooLarge))
            #expect(outcome(pieces(Array(tooLarge.dropLast()))) == .fault(.tooLarge))
        }
    }

    @Test func `interim answers have the same limit together, and fields are counted`() {
        let interim = octets("HTTP/1.1 100 Continue\r\n\r\n")
        #expect(outcome(Array(repeating: interim[...], count: 1000)) == .incomplete)
        #expect(outcome(Array(repeating: interim[...], count: 2000)) == .fault(.tooLarge))
        func fields(_ count: Int) -> [UInt8] {
            octets("HTTP/1.1 204 N\r\n" + String(repeating: "A: b\r\n", count: count) + "\r\n")
        }
        #expect(outcome([fields(128)[...]]) == .complete(204, "", keepsAlive: true))
        #expect(outcome([fields(129)[...]]) == .fault(.tooLarge))
    }

    @Test func `what comes after the answer spoils the connection and nothing else`() throws {
        let raw = octets("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        let more = octets("HTTP/1.1 500 ")
        var reader = ResponseReader(limit: 10)
        try reader.receive(raw.span)
        let before = reader.keepsAlive
        try reader.receive(more.span)
        try reader.close()
        let (after, body, status) = (reader.keepsAlive, latin(reader.body), reader.status)
        #expect(before)
        #expect(!after)
        #expect(body == "hi")
        #expect(status == 200)
    }

    @Test(arguments: [Int.min, -1, 0, Int.max])
    func `any limit is a limit`(limit: Int) {
        let raw = octets("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
        let expected = limit > 0 ? ResponseCase.Outcome.complete(200, "a", keepsAlive: true) : .fault(.tooLarge)
        #expect(outcome([raw[...]], limit: limit) == expected)
    }

    @Test func `ten million bytes come through as they were`() throws {
        let count = 10_000_000
        let body = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            for index in 0..<count { room[index] = UInt8(truncatingIfNeeded: index &* 31 >> 3) }
            filled = count
        }
        for head in ["Content-Length: \(count)\r\n\r\n", "\r\n"] {
            var reader = ResponseReader(limit: count)
            let start = octets("HTTP/1.1 200 OK\r\n" + head)
            try reader.receive(start.span)
            for at in stride(from: 0, to: count, by: 65_536) {
                try reader.receive(body[at..<min(at + 65_536, count)].span)
            }
            try reader.close()
            let isSame = reader.body == body
            #expect(isSame)
        }
    }

    @Test func `100,000 mutations never trap, and cutting never changes the outcome`() {
        var random = SplitMix64(seed: 20)
        let seeds = ResponseCase.all.filter { !$0.raw.isEmpty }
        let spice = octets("\r\n:0 9af;,HTTP\0\u{FF}")
        for round in 0..<100_000 {
            let seed = seeds[Int(random.next() % UInt64(seeds.count))]
            var raw = seed.raw
            for _ in 0...Int(random.next() % 4) {
                let at = Int(random.next() % UInt64(raw.count + 1))
                let byte =
                    random.next() % 4 == 0
                    ? UInt8(truncatingIfNeeded: random.next()) : spice[Int(random.next() % UInt64(spice.count))]
                switch random.next() % 4 {
                case 0: raw.insert(byte, at: at)
                case 1 where at < raw.count: raw.remove(at: at)
                case 2 where at < raw.count: raw[at] = byte
                default: raw.insert(contentsOf: raw[..<at].suffix(Int(random.next() % 20)), at: at)
                }
            }
            let whole = outcome([raw[...]], isClosed: true, isHead: seed.isHead)
            let cut = Int(random.next() % UInt64(raw.count + 1))
            let parts = outcome([raw[..<cut], raw[cut...]], isClosed: true, isHead: seed.isHead)
            guard whole == parts else {
                Issue.record("round \(round), cut at \(cut): \(latin(raw).debugDescription): \(whole) or \(parts)")
                return
            }
        }
    }
}
