import Testing

@testable import HTTP

/// A chunked body, the section it is about, and what becomes of it when at most ten bytes are allowed.
struct ChunkedCase: Sendable, CustomStringConvertible {
    enum Outcome: Sendable, Equatable {
        case content(String, rest: Int)
        case refused(RequestError.Kind)
        case incomplete
    }

    let section: String
    let raw: [UInt8]
    let outcome: Outcome

    var description: String { "\(section): \(String(decoding: raw.prefix(60), as: UTF8.self).debugDescription)" }

    private static func ok(_ section: String, _ raw: String, _ content: String, rest: Int = 0) -> ChunkedCase {
        ChunkedCase(section: section, raw: octets(raw), outcome: .content(content, rest: rest))
    }

    private static func no(_ section: String, _ raw: String, _ kind: RequestError.Kind = .malformed) -> ChunkedCase {
        ChunkedCase(section: section, raw: octets(raw), outcome: .refused(kind))
    }

    private static func more(_ section: String, _ raw: String) -> ChunkedCase {
        ChunkedCase(section: section, raw: octets(raw), outcome: .incomplete)
    }

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    static let all: [ChunkedCase] = [
        ok("7.1 nothing", "0\r\n\r\n", ""),
        ok("7.1 one", "5\r\nhello\r\n0\r\n\r\n", "hello"),
        ok("7.1 several", "1\r\nh\r\n3\r\nell\r\n1\r\no\r\n0\r\n\r\n", "hello"),
        ok("7.1 both cases", "a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ok("7.1 upper case", "A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ok("7.1 leading zeros", "00000002\r\nhi\r\n00\r\n\r\n", "hi"),
        ok("7.1 line breaks in the data", "4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
        ok("7.1 what follows is not taken", "1\r\na\r\n0\r\n\r\nGET /", "a", rest: 5),
        ok("7.1.1 extension", "2;a=b;c=\"d e\"\r\nhi\r\n0;z\r\n\r\n", "hi"),
        ok("7.1.1 white space around its signs", "2 ; a\t= \"b\"\t;c\r\nhi\r\n0\t;z\r\n\r\n", "hi"),
        ok("7.1.1 quoted", "2;a=\"\\\";\t=\"\r\nhi\r\n0;a=\"\"\r\n\r\n", "hi"),
        no("7.1.1 no name", "1;\r\na\r\n0\r\n\r\n"),
        no("7.1.1 two semicolons", "1;;a\r\na\r\n0\r\n\r\n"),
        no("7.1.1 a semicolon at the end", "1;a;\r\na\r\n0\r\n\r\n"),
        no("7.1.1 no value", "1;a=\r\na\r\n0\r\n\r\n"),
        no("7.1.1 a value without a name", "1;=a\r\na\r\n0\r\n\r\n"),
        no("7.1.1 no token", "1;a@\r\na\r\n0\r\n\r\n"),
        no("7.1.1 a quote left open", "1;a=\"b\r\na\r\n0\r\n\r\n"),
        no("7.1.1 an escape left open", "1;a=\"b\\\r\na\r\n0\r\n\r\n"),
        no("7.1.1 a letter behind the quotes", "1;a=\"b\"c\r\na\r\n0\r\n\r\n"),
        no("7.1.1 white space at the end", "1;a \r\na\r\n0\r\n\r\n"),
        ok("7.1.1 extension at the limit", "2;\(letters(253))\r\nhi\r\n0\r\n\r\n", "hi"),
        ok("7.1.2 trailers", "1\r\na\r\n0\r\nA: b\r\nC:\r\nD:\te\t\r\n\r\n", "a"),
        ok("7.1.2 trailer of obs-text", "0\r\nA: \u{FF}\r\n\r\n", ""),
        no("7.1 no size", "\r\n\r\n"),
        no("7.1 plus", "+1\r\na\r\n0\r\n\r\n"),
        no("7.1 minus", "-1\r\na\r\n0\r\n\r\n"),
        no("7.1 minus zero", "-0\r\n\r\n"),
        no("7.1 0x", "0x1\r\na\r\n0\r\n\r\n"),
        no("7.1 underscore", "1_0\r\n0123456789abcdef\r\n0\r\n\r\n"),
        no("7.1 space before", " 1\r\na\r\n0\r\n\r\n"),
        no("7.1 space after", "1 \r\na\r\n0\r\n\r\n"),
        no("7.1 letter", "g\r\n"),
        no("7.1 comma", "1,1\r\na\r\n"),
        no("7.1 digit of another script", "\u{D9}\u{A1}\r\na\r\n"),
        no("7.1 nine digits", "000000001\r\na\r\n0\r\n\r\n"),
        no("7.1 2^32", "100000000\r\n"),
        no("7.1 2^64 + 1", "10000000000000001\r\na\r\n0\r\n\r\n"),
        no("7.1 largest", "FFFFFFFF\r\n", .bodyTooLarge),
        no("7.1 NUL", "1\0\r\na\r\n0\r\n\r\n"),
        no("7.1 bare LF after the size", "1\na\r\n0\r\n\r\n"),
        no("7.1 bare LF after the data", "1\r\na\n0\r\n\r\n"),
        no("7.1 bare LF after the last chunk", "0\n\r\n"),
        no("7.1 bare LF at the end", "0\r\n\n"),
        no("7.1 CR in the size line", "1\r;a\r\na\r\n0\r\n\r\n"),
        no("7.1 two CR", "1\r\r\na\r\n0\r\n\r\n"),
        no("7.1 no line break after the data", "1\r\naa\r\n0\r\n\r\n"),
        no("7.1 data shorter than said", "3\r\na\r\n0\r\n\r\n"),
        no("7.1 CR and a letter after the data", "1\r\na\rb0\r\n\r\n"),
        no("7.1.1 extension without ;", "1 a=b\r\na\r\n0\r\n\r\n"),
        no("7.1.1 control character", "1;a=\u{01}\r\na\r\n0\r\n\r\n"),
        no("7.1.1 DEL", "1;a=\u{7F}\r\na\r\n0\r\n\r\n"),
        no("7.1.1 extension above the limit", "2;\(letters(254))\r\nhi\r\n0\r\n\r\n"),
        no("7.1.1 no end in sight", "2;\(letters(255))"),
        no("7.1.2 trailer without a colon", "0\r\nA\r\n\r\n"),
        no("7.1.2 trailer without a name", "0\r\n: a\r\n\r\n"),
        no("7.1.2 space before the colon", "0\r\nA : b\r\n\r\n"),
        no("7.1.2 folded trailer", "0\r\nA: b\r\n c\r\n\r\n"),
        no("7.1.2 trailer with NUL", "0\r\nA: b\0\r\n\r\n"),
        no("7.1.2 trailer with CR", "0\r\nA: b\rc\r\n\r\n"),
        no("7.1.2 a request for a trailer", "0\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("7.1.2 trailer above the limit", "0\r\nA: \(letters(253))\r\n\r\n"),
        no("body above the limit at once", "b\r\n01234567890\r\n0\r\n\r\n", .bodyTooLarge),
        no("body above the limit in the end", "a\r\n0123456789\r\n1\r\na\r\n0\r\n\r\n", .bodyTooLarge),
        more("7.1", ""),
        more("7.1", "1"),
        more("7.1", "1\r"),
        more("7.1", "1\r\n"),
        more("7.1", "1\r\na"),
        more("7.1", "1\r\na\r"),
        more("7.1", "0\r\n"),
        more("7.1", "0\r\n\r"),
        more("7.1.2", "0\r\nA: b\r\n"),
    ]
}

@Suite struct ChunkDecoderTests {
    private let limits: Limits = {
        var limits = Limits()
        limits.body = 10
        return limits
    }()

    /// Gives the decoder one piece after the other, with what it did not take of those before.
    private func outcome(_ pieces: [ArraySlice<UInt8>]) -> ChunkedCase.Outcome {
        var decoder = ChunkDecoder()
        var held: [UInt8] = []
        do throws(RequestError) {
            for piece in pieces {
                held += piece
                held.removeFirst(try decoder.advance(over: held.span, limits: limits))
            }
        } catch {
            return .refused(error.kind)
        }
        return decoder.isDone ? .content(latin(decoder.content), rest: held.count) : .incomplete
    }

    @Test(arguments: ChunkedCase.all)
    func `decodes as it should, whole, cut anywhere and byte by byte`(body: ChunkedCase) {
        let raw = body.raw
        #expect(outcome([raw[...]]) == body.outcome)
        #expect(outcome(raw.indices.map { raw[$0...$0] }) == body.outcome)
        for cut in raw.indices { #expect(outcome([raw[..<cut], raw[cut...]]) == body.outcome, "cut at \(cut)") }
    }

    @Test func `framing has a limit of its own`() {
        // 4096 + 6 * 10 bytes of it are allowed; a line of 8 and its data leave 255 each in the end.
        let line = octets("1;\(String(repeating: "a", count: 252))\r\na\r\n")
        #expect(
            outcome([(Array(repeating: line, count: 8).joined() + octets("0\r\n\r\n"))[...]])
                == .content("aaaaaaaa", rest: 0))
        let trailer = octets("A: \(String(repeating: "a", count: 251))\r\n")
        let fits = octets("0\r\n") + Array(repeating: trailer, count: 16).joined()
        #expect(outcome([fits[...]]) == .incomplete)
        #expect(outcome([(fits + trailer)[...]]) == .refused(.malformed))
    }
}
