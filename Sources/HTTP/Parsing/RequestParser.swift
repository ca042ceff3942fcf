import Bytes

/// Reads a request's head (RFC 9112), strictly and with no lenient mode: anything that two readers could understand
/// differently is refused.
///
/// It keeps nothing between calls. When the head is not complete it says so, and is called again with more bytes of the same
/// head; `ServerConnection` calls it only when a line has been completed, so that a slow sender costs little.
package struct RequestParser: Sendable {
    private let limits: Limits

    package init(limits: Limits) { self.limits = limits }

    /// - Returns: the head that begins at the first byte, or nil when more bytes are needed.
    package func parse(_ bytes: Span<UInt8>) throws(RequestError) -> RequestHead? {
        var start = 0
        // One empty line before a request line is ignored, as RFC 9112 section 2.2 asks.
        if bytes.count > 0, bytes[0] == UInt8(ascii: "\r") {
            guard bytes.count > 1 else { return nil }
            guard bytes[1] == UInt8(ascii: "\n") else { throw .malformed("a carriage return must precede a line feed") }
            start = 2
        }
        if start < bytes.count, !ByteSet.token.contains(bytes[start]) {
            throw .malformed("a request begins with its method")
        }
        let longest = start + limits.requestLine
        guard let lineEnd = try endOfLine(in: bytes, from: start, until: longest, else: RequestParser.lineTooLong)
        else {
            return nil
        }
        var head = RequestHead()
        let hasAuthority = try read(requestLine: start..<lineEnd, of: bytes, into: &head)
        let fieldsStart = lineEnd + 2
        start = fieldsStart
        var count = 0
        while true {
            let last = fieldsStart + limits.headers
            guard let end = try endOfLine(in: bytes, from: start, until: last, else: RequestParser.headersTooLarge)
            else {
                return nil
            }
            if end == start { break }
            count += 1
            guard count <= limits.headerCount else {
                throw RequestError(.headersTooLarge, "the request has too many header fields")
            }
            try read(field: start..<end, of: bytes, into: &head)
            start = end + 2
        }
        head.fieldLines = fieldsStart..<start
        head.length = start + 2
        try conclude(&head, bytes, hasAuthority: hasAuthority)
        return head
    }

    private static let lineTooLong = RequestError(.uriTooLong, "the request line is too long")
    private static let headersTooLarge = RequestError(.headersTooLarge, "the header fields are too large")

    /// Where the CR of the next line break is, or nil when there is none yet.
    /// - Parameters:
    ///   - last: where it may be at the latest.
    ///   - error: thrown when it is not there by then, however the line ends: the end may be still on its way.
    private func endOfLine(
        in bytes: Span<UInt8>, from start: Int, until last: Int, else error: RequestError
    ) throws(RequestError) -> Int? {
        let feed = bytes.firstIndex(of: UInt8(ascii: "\n"), from: start)
        guard (feed ?? bytes.count) - 1 <= last else { throw error }
        guard let feed else { return nil }
        guard feed > start, bytes[feed - 1] == UInt8(ascii: "\r") else {
            throw .malformed("lines end in carriage return and line feed")
        }
        return feed - 1
    }

    /// - Returns: whether the target names its authority itself (absolute-form), which then goes before the Host field.
    private func read(
        requestLine line: Range<Int>, of bytes: Span<UInt8>, into head: inout RequestHead
    ) throws(RequestError) -> Bool {
        guard let methodEnd = bytes.firstIndex(of: UInt8(ascii: " "), from: line.lowerBound),
            methodEnd < line.upperBound
        else { throw .malformed("a request line is a method, a target and a version") }
        let method = bytes.extracting(line.lowerBound..<methodEnd)
        guard ByteSet.token.contains(all: method) else { throw .malformed("the method is not a token") }
        head.method = Method(method)
        // " HTTP/1.1" is nine bytes.
        let targetEnd = line.upperBound - 9
        guard targetEnd > methodEnd + 1 else { throw .malformed("a request line is a method, a target and a version") }
        let version = bytes.extracting(targetEnd..<line.upperBound)
        if version.equals(" HTTP/1.1") {
            head.isHTTP10 = false
        } else if version.equals(" HTTP/1.0") {
            head.isHTTP10 = true
            head.keepsAlive = false
        } else {
            throw .malformed("the version must be HTTP/1.1 or HTTP/1.0, one space after the target")
        }
        return try read(target: methodEnd + 1..<targetEnd, method, of: bytes, into: &head)
    }

    /// origin-form, absolute-form, or `*` for OPTIONS (RFC 9112 section 3.2).
    private func read(
        target: Range<Int>, _ method: Span<UInt8>, of bytes: Span<UInt8>, into head: inout RequestHead
    ) throws(RequestError) -> Bool {
        let text = bytes.extracting(target)
        if method.equals("CONNECT") { throw .malformed("this is no proxy, so there is nothing to CONNECT to") }
        if text.equals("*") {
            guard head.method == .options else { throw .malformed("the target * is for OPTIONS") }
            return false
        }
        guard text[0] != UInt8(ascii: "/") else {
            try split(path: target, of: bytes, into: &head)
            return false
        }
        let scheme = text.extracting(0..<(text.firstIndex(of: UInt8(ascii: ":")) ?? 0))
        guard scheme.equals(ignoringCase: "http") || scheme.equals(ignoringCase: "https"),
            text.extracting(scheme.count..<text.count).begins(with: "://")
        else { throw .malformed("the target must begin with / or be a URL of http or https") }
        let start = target.lowerBound + scheme.count + 3
        var end = start
        while end < target.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        guard Authority.isValid(bytes.extracting(start..<end)) else {
            throw .malformed("the target must name a host and optionally a port")
        }
        head.authority = start..<end
        // Without a path it is the server as a whole, as `*` is (RFC 9110 section 4.2.3).
        try split(path: end..<target.upperBound, of: bytes, into: &head)
        return true
    }

    private func split(
        path target: Range<Int>, of bytes: Span<UInt8>, into head: inout RequestHead
    ) throws(RequestError) {
        guard ByteSet.target.contains(all: bytes.extracting(target)) else {
            throw .malformed("the target has a character that must be percent-encoded")
        }
        var end = target.lowerBound
        while end < target.upperBound, bytes[end] != UInt8(ascii: "?") { end += 1 }
        guard PercentEncoding.isValid(bytes.extracting(target.lowerBound..<end)) else {
            throw .malformed("a % must be followed by two hexadecimal digits")
        }
        head.path = target.lowerBound..<end
        head.query = min(end + 1, target.upperBound)..<target.upperBound
    }

    private func read(
        field line: Range<Int>, of bytes: Span<UInt8>, into head: inout RequestHead
    ) throws(RequestError) {
        let field = try FieldLine.parse(line, of: bytes)
        if let name = FieldName.of(bytes.extracting(field.name)) { head.note(name, field.value) }
    }

    /// What the fields say about host, framing and connection, checked against one another.
    private func conclude(
        _ head: inout RequestHead, _ bytes: Span<UInt8>, hasAuthority: Bool
    ) throws(RequestError) {
        guard !head.isRepeated(.host) else { throw .malformed("there must be one Host field") }
        if let host = head.value(of: .host) {
            guard Authority.isValid(bytes.extracting(host)) else {
                throw .malformed("the Host field must be a host and optionally a port")
            }
            if !hasAuthority { head.authority = host }
        } else if !head.isHTTP10 {
            throw .malformed("an HTTP/1.1 request needs a Host field")
        }
        try concludeFraming(&head, bytes)
        if let connection = head.value(of: .connection) {
            let options = bytes.extracting(connection)
            // Of several fields only the first is known; to close is always allowed.
            if head.isRepeated(.connection) || ListField.contains("close", in: options) {
                head.keepsAlive = false
            } else if ListField.contains("keep-alive", in: options) {
                head.keepsAlive = true
            }
        }
        if let expect = head.value(of: .expect) {
            guard !head.isRepeated(.expect), bytes.extracting(expect).equals(ignoringCase: "100-continue") else {
                throw .malformed("the only expectation that is understood is 100-continue")
            }
            // An HTTP/1.0 client cannot receive a 100 (RFC 9110 section 10.1.1).
            head.expectsContinue = !head.isHTTP10
        }
    }

    /// RFC 9112 section 6: either one Content-Length of digits, or one Transfer-Encoding that is exactly `chunked`.
    private func concludeFraming(_ head: inout RequestHead, _ bytes: Span<UInt8>) throws(RequestError) {
        if let coding = head.value(of: .transferEncoding) {
            guard head.value(of: .contentLength) == nil else {
                throw .malformed("Transfer-Encoding and Content-Length exclude one another")
            }
            guard !head.isHTTP10, !head.isRepeated(.transferEncoding),
                bytes.extracting(coding).equals(ignoringCase: "chunked")
            else { throw .malformed("the only transfer coding that is understood is chunked, in HTTP/1.1") }
            head.isChunked = true
        } else if let length = head.value(of: .contentLength) {
            guard !head.isRepeated(.contentLength), let value = ContentLength.parse(bytes.extracting(length)) else {
                throw .malformed("Content-Length must be one decimal number")
            }
            guard value <= limits.body else { throw RequestError(.bodyTooLarge, "the body is too large") }
            head.contentLength = value
        }
    }
}
