@testable import HTTP

/// A raw request, the section it is about, and what the parser makes of it under `RequestCase.limits`.
///
/// The text stands for bytes: each of its scalars is one byte, so that `\u{A0}` is the byte A0.
struct RequestCase: Sendable, CustomStringConvertible {
    enum Outcome: Sendable, Equatable {
        case accepted(Accepted)
        case refused(RequestError.Kind)
        case incomplete
    }

    struct Accepted: Sendable, Equatable {
        var method = Method.get
        var path = "/"
        var query = ""
        var authority = "h"
        var keepsAlive = true
        var body = ""
    }

    let section: String
    let raw: [UInt8]
    let outcome: Outcome

    var description: String { "\(section): \(String(decoding: raw.prefix(90), as: UTF8.self).debugDescription)" }

    /// Small, so that every request can be cut at every byte.
    static let limits: Limits = {
        var limits = Limits()
        limits.requestLine = 120
        limits.headers = 300
        limits.headerCount = 6
        limits.body = 40
        return limits
    }()

    static let all =
        requestLines + targets + lineBreaks + fields + hosts + lengths + codings + connections + expectations
        + sizes

    static let accepted = all.filter { if case .accepted = $0.outcome { true } else { false } }
}

func octets(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

private func ok(
    _ section: String, _ raw: String, _ method: Method = .get, path: String = "/", query: String = "",
    authority: String = "h", alive: Bool = true, body: String = ""
) -> RequestCase {
    let accepted = RequestCase.Accepted(
        method: method, path: path, query: query, authority: authority, keepsAlive: alive, body: body)
    return RequestCase(section: section, raw: octets(raw), outcome: .accepted(accepted))
}

private func no(_ section: String, _ raw: String, _ kind: RequestError.Kind = .malformed) -> RequestCase {
    RequestCase(section: section, raw: octets(raw), outcome: .refused(kind))
}

private func more(_ section: String, _ raw: String) -> RequestCase {
    RequestCase(section: section, raw: octets(raw), outcome: .incomplete)
}

private func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

extension RequestCase {
    private static let requestLines: [RequestCase] = [
        ok("9112 3", "GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        ok("9110 9.3.2", "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", .head),
        ok("9110 9.3.3", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", .post),
        ok("9110 9.3.7", "OPTIONS / HTTP/1.1\r\nHost: h\r\n\r\n", .options),
        ok("9110 9.1", "DELETE / HTTP/1.1\r\nHost: h\r\n\r\n", .delete),
        ok("9110 9.1 methods are case-sensitive", "get / HTTP/1.1\r\nHost: h\r\n\r\n", .other),
        ok("9110 5.6.2 any token", "!#$%&'*+-.^_`|~0Az / HTTP/1.1\r\nHost: h\r\n\r\n", .other),
        ok("9112 2.2 empty line before", "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 2.2 two empty lines before", "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 2.2 bare LF before", "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 2.2 bare CR before", "\rGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 space before the method", " GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 no token", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 NUL in the method", "GE\0T / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 raw byte in the method", "G\u{C9}T / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 two spaces before the target", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 two spaces after the target", "GET /  HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 tab for space", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 tab before the version", "GET /\tHTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 trailing space", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n"),
        no("9112 3 no target", "GET HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 empty target", "GET  HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3 one word", "GET\r\nHost: h\r\n\r\n"),
        no("1945 4.1 HTTP/0.9", "GET /\r\n\r\n"),
        no("9112 2.3 0.9 named", "GET / HTTP/0.9\r\nHost: h\r\n\r\n"),
        no("9112 2.3 1.2", "GET / HTTP/1.2\r\nHost: h\r\n\r\n"),
        no("9112 2.3 2.0", "GET / HTTP/2.0\r\nHost: h\r\n\r\n"),
        no("9113 3.4 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        no("9112 2.3 lower case", "GET / http/1.1\r\nHost: h\r\n\r\n"),
        no("9112 2.3 two digits", "GET / HTTP/1.10\r\nHost: h\r\n\r\n"),
        no("9112 2.3 one digit", "GET / HTTP/1\r\nHost: h\r\n\r\n"),
        no("9112 2.3 other protocol", "GET / ICAP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 2.3 version missing", "GET / \r\nHost: h\r\n\r\n"),
        no("8446 4.1.2 ClientHello", "\u{16}\u{03}\u{01}\u{00}\u{A5}\u{01}\u{00}\u{00}\u{A1}\u{03}\u{03}"),
        no("SOCKS5", "\u{05}\u{01}\u{00}"),
        no("PROXY v2", "\r\n\r\n\0\r\nQUIT\n"),
        no("a byte order mark", "\u{EF}\u{BB}\u{BF}GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        more("9112 2.2", ""),
        more("9112 2.2", "\r"),
        more("9112 2.2", "\r\n"),
        more("9112 3", "GET / HTTP/1.1"),
        more("9112 3", "GET / HTTP/1.1\r"),
        more("9112 3", "GET / HTTP/1.1\r\n"),
        more("9112 5", "GET / HTTP/1.1\r\nHost: h\r\n"),
        more("9112 5", "GET / HTTP/1.1\r\nHost: h\r\n\r"),
    ]

    private static let targets: [RequestCase] = [
        ok("9112 3.2.1", "GET /a/b.c HTTP/1.1\r\nHost: h\r\n\r\n", path: "/a/b.c"),
        ok("9112 3.2.1 query", "GET /a?b=c&d HTTP/1.1\r\nHost: h\r\n\r\n", path: "/a", query: "b=c&d"),
        ok("9112 3.2.1 empty query", "GET /a? HTTP/1.1\r\nHost: h\r\n\r\n", path: "/a"),
        ok("3986 3.4 ? in a query", "GET /a?b?c HTTP/1.1\r\nHost: h\r\n\r\n", path: "/a", query: "b?c"),
        ok("3986 3.3 path as sent", "GET //a/../%2e%2F HTTP/1.1\r\nHost: h\r\n\r\n", path: "//a/../%2e%2F"),
        ok("3986 3.3 sub-delims", "GET /!$&'()*+,;=:@-._~ HTTP/1.1\r\nHost: h\r\n\r\n", path: "/!$&'()*+,;=:@-._~"),
        ok(
            "9112 3.2.2 absolute", "GET http://o:81/p?q HTTP/1.1\r\nHost: h\r\n\r\n", path: "/p", query: "q",
            authority: "o:81"),
        ok("9112 3.2.2 https", "GET https://o/ HTTP/1.1\r\nHost: h\r\n\r\n", authority: "o"),
        ok("9112 3.2.2 absolute in 1.0", "GET http://o/ HTTP/1.0\r\n\r\n", authority: "o", alive: false),
        ok("9112 3.2.4 asterisk", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", .options, path: ""),
        no("9112 3.2.4 asterisk for GET", "GET * HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3.2.4 more than an asterisk", "OPTIONS *a HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3.2.3 authority", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3.2.3 CONNECT of a path", "CONNECT / HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3.2.1 no slash", "GET a HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3.2 fragment", "GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n"),
        ok("9110 4.2.3 absolute without a path", "GET http://o HTTP/1.1\r\nHost: h\r\n\r\n", path: "", authority: "o"),
        ok(
            "9110 4.2.3 absolute with a query only", "GET http://o?q HTTP/1.1\r\nHost: h\r\n\r\n", path: "", query: "q",
            authority: "o"),
        ok("3986 3.1 scheme in any case", "GET HtTp://o/ HTTP/1.1\r\nHost: h\r\n\r\n", authority: "o"),
        no("9110 4.2.1 absolute with a port too large", "GET http://o:65536/ HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2.1 % without digits", "GET /% HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2.1 % with one digit", "GET /%4 HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2.1 % with other letters", "GET /%4g HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3.2.2 without a host", "GET http:///a HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9110 4.2.4 userinfo", "GET http://u@o/ HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3.2.2 other scheme", "GET ftp://o/ HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 3.2.2 backslash", "GET http://o\\@h/ HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2 raw non-ASCII", "GET /\u{E4}\u{BD}\u{A0} HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2 raw byte FF", "GET /\u{FF} HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2 NUL", "GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2 DEL", "GET /\u{7F} HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2 quote", "GET /\" HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2 bracket", "GET /<a> HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2 backslash", "GET /a\\b HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2 brace in the query", "GET /?{a} HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("3986 2 raw byte in an absolute target", "GET http://o/\u{80} HTTP/1.1\r\nHost: h\r\n\r\n"),
    ]

    private static let lineBreaks: [RequestCase] = [
        no("9112 2.2 bare LF after the request line", "GET / HTTP/1.1\nHost: h\r\n\r\n"),
        no("9112 2.2 bare LF after a field", "GET / HTTP/1.1\r\nHost: h\n\r\n"),
        no("9112 2.2 bare LF at the end", "GET / HTTP/1.1\r\nHost: h\r\n\n"),
        no("9112 2.2 only LF", "GET / HTTP/1.1\nHost: h\n\n"),
        no("9112 2.2 CR in the target", "GET /\ra HTTP/1.1\r\nHost: h\r\n\r\n"),
        no("9112 2.2 CR for a line break", "GET / HTTP/1.1\rHost: h\r\n\r\n"),
        no("9112 2.2 CR in a value", "GET / HTTP/1.1\r\nHost: h\r\nA: b\rc: d\r\n\r\n"),
        no("9112 2.2 CR CR LF", "GET / HTTP/1.1\r\nHost: h\r\r\n\r\n"),
        no("9112 2.2 CR before the end", "GET / HTTP/1.1\r\nHost: h\r\n\r\r\n"),
    ]

    private static let fields: [RequestCase] = [
        ok("9112 5 white space around", "GET / HTTP/1.1\r\nHost: \t h \t\r\n\r\n"),
        ok("9112 5 no white space", "GET / HTTP/1.1\r\nHost:h\r\n\r\n"),
        ok("9110 5.1 names in any case", "GET / HTTP/1.1\r\nhOsT: h\r\n\r\n"),
        ok("9110 5.5 empty value", "GET / HTTP/1.1\r\nHost: h\r\nA:\r\n\r\n"),
        ok("9110 5.5 obs-text", "GET / HTTP/1.1\r\nHost: h\r\nA: \u{80}\u{FF}\r\n\r\n"),
        ok("9110 5.5 tab within", "GET / HTTP/1.1\r\nHost: h\r\nA: b\tc\r\n\r\n"),
        ok("9110 5.3 repeated unknown field", "GET / HTTP/1.1\r\nA: 1\r\nHost: h\r\nA: 2\r\n\r\n"),
        ok("9110 5.6.2 any token", "GET / HTTP/1.1\r\nHost: h\r\n!#$%&'*+-.^_`|~9: b\r\n\r\n"),
        no("9112 5.2 folding by space", "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n"),
        no("9112 5.2 folding by tab", "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tc\r\n\r\n"),
        no("9112 2.2 space after the request line", "GET / HTTP/1.1\r\n Host: h\r\n\r\n"),
        no("9112 5.1 space before the colon", "GET / HTTP/1.1\r\nHost : h\r\n\r\n"),
        no("9112 5.1 tab before the colon", "GET / HTTP/1.1\r\nHost\t: h\r\n\r\n"),
        no("9112 5.1 space in the name", "GET / HTTP/1.1\r\nHost: h\r\nA b: c\r\n\r\n"),
        no("9112 5 no colon", "GET / HTTP/1.1\r\nHost: h\r\nA\r\n\r\n"),
        no("9112 5 no name", "GET / HTTP/1.1\r\nHost: h\r\n: b\r\n\r\n"),
        no("9110 5.1 no token", "GET / HTTP/1.1\r\nHost: h\r\nA\"b: c\r\n\r\n"),
        no("9110 5.1 raw byte in a name", "GET / HTTP/1.1\r\nHost: h\r\nA\u{FF}: c\r\n\r\n"),
        no("9110 5.1 NUL in a name", "GET / HTTP/1.1\r\nHost: h\r\nA\0: c\r\n\r\n"),
        no("9110 5.5 NUL in a value", "GET / HTTP/1.1\r\nHost: h\r\nA: b\0c\r\n\r\n"),
        no("9110 5.5 NUL at the end of a value", "GET / HTTP/1.1\r\nHost: h\r\nA: b\0\r\n\r\n"),
        no("9110 5.5 SOH in a value", "GET / HTTP/1.1\r\nHost: h\r\nA: \u{01}\r\n\r\n"),
        no("9110 5.5 vertical tab in a value", "GET / HTTP/1.1\r\nHost: h\r\nA: b\u{0B}c\r\n\r\n"),
        no("9110 5.5 escape in a value", "GET / HTTP/1.1\r\nHost: h\r\nA: \u{1B}[2J\r\n\r\n"),
        no("9110 5.5 DEL in a value", "GET / HTTP/1.1\r\nHost: h\r\nA: b\u{7F}\r\n\r\n"),
    ]

    private static let hosts: [RequestCase] = [
        ok("9112 3.2 port", "GET / HTTP/1.1\r\nHost: a.b:8080\r\n\r\n", authority: "a.b:8080"),
        ok("9112 3.2 IPv6", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", authority: "[::1]:80"),
        ok("9112 3.2 none in 1.0", "GET / HTTP/1.0\r\n\r\n", authority: "", alive: false),
        ok("9112 3.2 in 1.0", "GET / HTTP/1.0\r\nHost: h\r\n\r\n", alive: false),
        no("9112 3.2 missing", "GET / HTTP/1.1\r\n\r\n"),
        no("9112 3.2.2 missing with an absolute target", "GET http://o/ HTTP/1.1\r\n\r\n"),
        no("9112 3.2 twice", "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n"),
        no("9112 3.2 two different", "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\nhost: i\r\n\r\n"),
        no("9112 3.2 twice in 1.0", "GET / HTTP/1.0\r\nHost: h\r\nHost: h\r\n\r\n"),
        no("9112 3.2 empty", "GET / HTTP/1.1\r\nHost: \r\n\r\n"),
        no("9112 3.2 space within", "GET / HTTP/1.1\r\nHost: h i\r\n\r\n"),
        no("9112 3.2 path", "GET / HTTP/1.1\r\nHost: h/i\r\n\r\n"),
        no("9112 3.2 userinfo", "GET / HTTP/1.1\r\nHost: u@h\r\n\r\n"),
        no("9112 3.2 raw byte", "GET / HTTP/1.1\r\nHost: h\u{E9}\r\n\r\n"),
        no("9112 3.2 query", "GET / HTTP/1.1\r\nHost: h?i\r\n\r\n"),
        no("9112 3.2 backslash", "GET / HTTP/1.1\r\nHost: h\\i\r\n\r\n"),
        ok("3986 3.2.3 empty port", "GET / HTTP/1.1\r\nHost: h:\r\n\r\n", authority: "h:"),
        no("9110 7.2 two ports", "GET / HTTP/1.1\r\nHost: h:1:2\r\n\r\n"),
        no("9110 7.2 port too large", "GET / HTTP/1.1\r\nHost: h:65536\r\n\r\n"),
        no("9110 7.2 port with a sign", "GET / HTTP/1.1\r\nHost: h:+1\r\n\r\n"),
        no("9110 7.2 port alone", "GET / HTTP/1.1\r\nHost: :1\r\n\r\n"),
        no("9110 7.2 bracket left open", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"),
        no("9110 7.2 IPv6 without brackets", "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n"),
        no("9110 7.2 no address in brackets", "GET / HTTP/1.1\r\nHost: [h]\r\n\r\n"),
        no("9110 7.2 letters behind the brackets", "GET / HTTP/1.1\r\nHost: [::1]h\r\n\r\n"),
        no("3986 2.1 % without digits in a name", "GET / HTTP/1.1\r\nHost: h%\r\n\r\n"),
    ]

    private static func post(_ fields: String, _ body: String = "", version: String = "1.1") -> String {
        "POST / HTTP/\(version)\r\nHost: h\r\n\(fields)\r\n\r\n\(body)"
    }

    private static let lengths: [RequestCase] = [
        ok("9112 6.3", post("Content-Length: 5", "hello"), .post, body: "hello"),
        ok("9110 8.6 zero", post("Content-Length: 0"), .post),
        ok("9110 8.6 leading zeros", post("Content-Length: 0002", "ab"), .post, body: "ab"),
        ok("9110 8.6 white space around", post("Content-Length:\t 2 ", "ab"), .post, body: "ab"),
        ok("9112 6.3 body of bytes", post("Content-Length: 4", "\0\r\n\u{FF}"), .post, body: "\0\r\n\u{FF}"),
        ok(
            "9112 6.3 body that looks like a request", post("Content-Length: 18", "GET / HTTP/1.1\r\n\r\n"), .post,
            body: "GET / HTTP/1.1\r\n\r\n"),
        ok("9110 9.3.1 content of a GET", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na", body: "a"),
        ok("1945 7.2 in 1.0", post("Content-Length: 2", "ab", version: "1.0"), .post, alive: false, body: "ab"),
        no("9110 8.6 plus", post("Content-Length: +5", "hello")),
        no("9110 8.6 minus", post("Content-Length: -0")),
        no("9110 8.6 negative", post("Content-Length: -1")),
        no("9110 8.6 hexadecimal", post("Content-Length: 0x5", "hello")),
        no("9110 8.6 list", post("Content-Length: 5,5", "hello")),
        no("9110 8.6 list of two", post("Content-Length: 5, 6", "hello")),
        no("9110 8.6 twice alike", post("Content-Length: 5\r\nContent-Length: 5", "hello")),
        no("9110 8.6 twice different", post("Content-Length: 5\r\nContent-Length: 6", "hello!")),
        no("9110 8.6 empty", post("Content-Length:")),
        no("9110 8.6 letters", post("Content-Length: five")),
        no("9110 8.6 fraction", post("Content-Length: 5.0", "hello")),
        no("9110 8.6 exponent", post("Content-Length: 1e1")),
        no("9110 8.6 underscore", post("Content-Length: 1_0")),
        no("9110 8.6 space within", post("Content-Length: 1 0")),
        no("9110 8.6 digits of another script", post("Content-Length: \u{D9}\u{A3}")),
        no("9110 8.6 no-break space", post("Content-Length: \u{A0}5", "hello")),
        no("9110 8.6 2^63", post("Content-Length: 9223372036854775808"), .bodyTooLarge),
        no("9110 8.6 2^64", post("Content-Length: 18446744073709551616"), .bodyTooLarge),
        no("9110 8.6 2^64 + 5", post("Content-Length: 18446744073709551621", "hello"), .bodyTooLarge),
        no("9110 8.6 fifty digits", post("Content-Length: \(String(repeating: "9", count: 50))"), .bodyTooLarge),
        no("9110 8.6 fifty digits and a letter", post("Content-Length: \(String(repeating: "9", count: 50))a")),
    ]

    private static let codings: [RequestCase] = [
        ok("9112 7.1", post("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"), .post, body: "hello"),
        ok("9112 7 in any case", post("transfer-encoding: CHUNKED", "0\r\n\r\n"), .post),
        ok(
            "9112 7.1 two chunks", post("Transfer-Encoding: chunked", "2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\n\r\n"), .post,
            body: "hello"),
        ok(
            "9112 7.1.2 trailer", post("Transfer-Encoding: chunked", "1\r\na\r\n0\r\nDigest: b\r\n\r\n"), .post,
            body: "a"),
        no("9112 6.1 with Content-Length", post("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n")),
        no("9112 6.1 after Content-Length", post("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        no("9112 6.1 in HTTP/1.0", post("Transfer-Encoding: chunked", "0\r\n\r\n", version: "1.0")),
        no("9112 6.1 twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        no("9112 6.1 two fields", post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        no("9112 6.1 chunked, chunked", post("Transfer-Encoding: chunked, chunked", "0\r\n\r\n")),
        no("9112 6.1 gzip, chunked", post("Transfer-Encoding: gzip, chunked", "0\r\n\r\n")),
        no("9112 6.1 chunked, gzip", post("Transfer-Encoding: chunked, gzip", "0\r\n\r\n")),
        no("9112 6.1 gzip", post("Transfer-Encoding: gzip")),
        no("9112 6.1 identity", post("Transfer-Encoding: identity")),
        no("9112 6.1 empty", post("Transfer-Encoding:")),
        no("9112 6.1 xchunked", post("Transfer-Encoding: xchunked", "0\r\n\r\n")),
        no("9112 6.1 chunkedx", post("Transfer-Encoding: chunkedx", "0\r\n\r\n")),
        no("9112 6.1 parameter", post("Transfer-Encoding: chunked;a=b", "0\r\n\r\n")),
        no("9112 6.1 list with an empty element", post("Transfer-Encoding: ,chunked", "0\r\n\r\n")),
        no("9112 6.1 quoted", post("Transfer-Encoding: \"chunked\"", "0\r\n\r\n")),
        no("9112 6.1 no-break space", post("Transfer-Encoding: \u{A0}chunked", "0\r\n\r\n")),
        no("9112 6.1 vertical tab", post("Transfer-Encoding: \u{0B}chunked", "0\r\n\r\n")),
        no("9112 6.1 folded", post("Transfer-Encoding:\r\n chunked", "0\r\n\r\n")),
        no("9112 6.1 space before the colon", post("Transfer-Encoding : chunked", "0\r\n\r\n")),
    ]

    private static let connections: [RequestCase] = [
        ok("9112 9.6 close", "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", alive: false),
        ok("9112 9.6 any case", "GET / HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n", alive: false),
        ok("9112 9.6 in a list", "GET / HTTP/1.1\r\nHost: h\r\nConnection: TE , close\r\n\r\n", alive: false),
        ok(
            "9112 9.3 close goes first", "GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, close\r\n\r\n",
            alive: false),
        ok("9112 9.3 keep-alive", "GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n"),
        ok("9112 9.3 other option", "GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\n\r\n"),
        ok("9112 9.3 not a token of it", "GET / HTTP/1.1\r\nHost: h\r\nConnection: closed, xclose\r\n\r\n"),
        ok("9112 9.3 empty", "GET / HTTP/1.1\r\nHost: h\r\nConnection: ,,\r\n\r\n"),
        ok("9112 9.3 keep-alive in 1.0", "GET / HTTP/1.0\r\nHost: h\r\nConnection: Keep-Alive\r\n\r\n"),
        ok("9112 9.3 other option in 1.0", "GET / HTTP/1.0\r\nHost: h\r\nConnection: TE\r\n\r\n", alive: false),
        // Only the first is kept, so the connection ends, as it may at any time.
        ok(
            "9110 7.6.1 two fields", "GET / HTTP/1.1\r\nHost: h\r\nConnection: TE\r\nConnection: close\r\n\r\n",
            alive: false),
        ok(
            "9110 7.6.1 two fields in 1.0",
            "GET / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\nConnection: TE\r\n\r\n", alive: false),
    ]

    private static let expectations: [RequestCase] = [
        ok("9110 10.1.1", post("Expect: 100-continue\r\nContent-Length: 2", "ab"), .post, body: "ab"),
        ok("9110 10.1.1 any case", post("Expect: 100-Continue\r\nContent-Length: 2", "ab"), .post, body: "ab"),
        ok("9110 10.1.1 without content", "GET / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n"),
        ok(
            "9110 10.1.1 in 1.0", post("Expect: 100-continue\r\nContent-Length: 2", "ab", version: "1.0"), .post,
            alive: false,
            body: "ab"),
        ok(
            "9110 10.1.1 chunked", post("Expect: 100-continue\r\nTransfer-Encoding: chunked", "1\r\na\r\n0\r\n\r\n"),
            .post,
            body: "a"),
        no("9110 10.1.1 other", post("Expect: 200-ok\r\nContent-Length: 2", "ab")),
        no("9110 10.1.1 more", post("Expect: 100-continue, x\r\nContent-Length: 2", "ab")),
        no("9110 10.1.1 parameter", post("Expect: 100-continue;a=b\r\nContent-Length: 2", "ab")),
        no("9110 10.1.1 twice", post("Expect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: 2", "ab")),
        no("9110 10.1.1 empty", post("Expect:\r\nContent-Length: 2", "ab")),
        no("9110 10.1.1 too large", post("Expect: 100-continue\r\nContent-Length: 41"), .bodyTooLarge),
    ]

    /// "GET / HTTP/1.1" is 14 bytes, "Host: h\r\n" nine, "a: \r\n" five.
    private static let sizes: [RequestCase] = [
        ok("9112 3 line at the limit", "GET /\(letters(106)) HTTP/1.1\r\nHost: h\r\n\r\n", path: "/\(letters(106))"),
        ok(
            "9112 3 line at the limit after an empty one", "\r\nGET /\(letters(106)) HTTP/1.1\r\nHost: h\r\n\r\n",
            path: "/\(letters(106))"),
        no("9112 3 line above the limit", "GET /\(letters(107)) HTTP/1.1\r\nHost: h\r\n\r\n", .uriTooLong),
        no("9112 3 method above the limit", "\(letters(121)) / HTTP/1.1\r\nHost: h\r\n\r\n", .uriTooLong),
        ok("6585 5 fields at the limit", "GET / HTTP/1.1\r\nHost: h\r\na: \(letters(286))\r\n\r\n"),
        no(
            "6585 5 fields above the limit", "GET / HTTP/1.1\r\nHost: h\r\na: \(letters(287))\r\n\r\n", .headersTooLarge
        ),
        no("6585 5 name above the limit", "GET / HTTP/1.1\r\nHost: h\r\n\(letters(300)): a\r\n\r\n", .headersTooLarge),
        ok("6585 5 count at the limit", "GET / HTTP/1.1\r\nHost: h\r\na:\r\na:\r\na:\r\na:\r\na:\r\n\r\n"),
        no(
            "6585 5 count above the limit", "GET / HTTP/1.1\r\nHost: h\r\na:\r\na:\r\na:\r\na:\r\na:\r\na:\r\n\r\n",
            .headersTooLarge),
        ok("9110 15.5.14 body at the limit", post("Content-Length: 40", letters(40)), .post, body: letters(40)),
        no("9110 15.5.14 body above the limit", post("Content-Length: 41", letters(41)), .bodyTooLarge),
        ok(
            "9110 15.5.14 chunked at the limit",
            post("Transfer-Encoding: chunked", "20\r\n\(letters(32))\r\n8\r\n\(letters(8))\r\n0\r\n\r\n"), .post,
            body: letters(40)),
    ]
}
