import Bytes

/// The answer of an upstream, read piece by piece (RFC 9112): its status, its fields, its whole content.
///
/// What the service asks for is small, so everything is kept until it is complete, within a limit. Redirects are answers like
/// any other; nobody follows them.
package struct ResponseReader: ~Copyable {
    /// What is wrong with an answer; never anything of its content.
    package struct Fault: Error, Equatable {
        package let reason: StaticString

        package static func == (a: Fault, b: Fault) -> Bool { a.reason.description == b.reason.description }
    }

    package private(set) var status = 0
    /// Names in lower case, in the order they came.
    package private(set) var fields: [(name: [UInt8], value: [UInt8])] = []
    package private(set) var body: [UInt8] = []
    /// Whether the connection may be used for another request.
    package private(set) var keepsAlive = true

    private enum Framing { case head, length(Int), chunked(ChunkDecoder), untilClose, done }

    private let limit: Int
    private var pending: [UInt8] = []
    private var framing = Framing.head
    private let isHead: Bool

    /// - Parameters:
    ///   - limit: the most bytes of head and content together.
    ///   - isHead: whether the request was a HEAD, whose answer has no content whatever its fields say.
    package init(limit: Int, isHead: Bool = false) {
        self.limit = limit
        self.isHead = isHead
    }

    package var isComplete: Bool { if case .done = framing { true } else { false } }

    /// The first value of a field; `name` in lower case.
    package func field(_ name: StaticString) -> [UInt8]? { fields.first { $0.name.span.equals(name) }?.value }

    /// Takes bytes that have come.
    package mutating func receive(_ bytes: Span<UInt8>) throws(Fault) {
        guard bytes.count <= limit - pending.count - body.count else { throw Fault(reason: "the answer is too large") }
        bytes.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
        while case .head = framing {
            guard try readHead() else { return }
        }
        switch framing {
        case .head, .done: break
        case .length(let length):
            guard pending.count >= length else { return }
            body = Array(pending[..<length])
            // Whatever follows was not asked for.
            keepsAlive = keepsAlive && pending.count == length
            framing = .done
        case .chunked(var decoder):
            framing = .done
            let used = try decode(&decoder)
            pending.removeFirst(used)
            body = decoder.content
            if decoder.isDone { keepsAlive = keepsAlive && pending.isEmpty } else { framing = .chunked(decoder) }
        case .untilClose:
            body += pending
            pending = []
        }
    }

    /// The peer has closed its side: the end of an answer that has no other, and the loss of any other.
    package mutating func close() throws(Fault) {
        switch framing {
        case .untilClose: framing = .done
        case .done: break
        case .head, .length, .chunked: throw Fault(reason: "the answer ended too early")
        }
    }

    private func decode(_ decoder: inout ChunkDecoder) throws(Fault) -> Int {
        var limits = Limits()
        limits.body = limit
        do throws(RequestError) {
            return try decoder.advance(over: pending.span, limits: limits)
        } catch {
            throw Fault(reason: error.reason)
        }
    }

    /// - Returns: whether a head was there; an interim one (1xx) is skipped, and another must follow.
    private mutating func readHead() throws(Fault) -> Bool {
        guard let end = ResponseReader.endOfHead(pending.span) else {
            if pending.count > 32 * 1024 { throw Fault(reason: "the answer's head is too large") }
            return false
        }
        var lines = ResponseReader.lines(pending[..<(end - 2)])
        guard !lines.isEmpty else { throw Fault(reason: "the answer is not HTTP/1.1") }
        status = try ResponseReader.status(lines.removeFirst(), of: pending.span)
        let isHTTP10 = pending.starts(with: "HTTP/1.0".utf8)
        fields = []
        for line in lines {
            let field: FieldLine
            do throws(RequestError) { field = try FieldLine.parse(line, of: pending.span) } catch {
                throw Fault(reason: error.reason)
            }
            fields.append((pending[field.name].map(\.lowercasedASCII), Array(pending[field.value])))
        }
        pending.removeFirst(end)
        if (100..<200).contains(status) {
            guard status != 101 else { throw Fault(reason: "the upstream changed the protocol") }
            return true
        }
        framing = try bodyFraming()
        let connection = field("connection") ?? []
        let isKept = isHTTP10 ? ListField.contains("keep-alive", in: connection.span) : true
        keepsAlive = isKept && !ListField.contains("close", in: connection.span)
        if case .untilClose = framing { keepsAlive = false }
        return true
    }

    /// RFC 9112 section 6.3.
    private func bodyFraming() throws(Fault) -> Framing {
        if isHead || status == 204 || status == 304 { return .length(0) }
        let lengths = fields.filter { $0.name.span.equals("content-length") }
        if let coding = field("transfer-encoding") {
            guard lengths.isEmpty, coding.span.equals(ignoringCase: "chunked") else {
                throw Fault(reason: "the answer's framing is ambiguous")
            }
            return .chunked(ChunkDecoder())
        }
        guard let first = lengths.first else { return .untilClose }
        guard lengths.count == 1, let length = ContentLength.parse(first.value.span) else {
            throw Fault(reason: "the answer's framing is ambiguous")
        }
        guard length <= limit else { throw Fault(reason: "the answer is too large") }
        return .length(length)
    }

    /// How many bytes the head has with its empty line.
    private static func endOfHead(_ bytes: Span<UInt8>) -> Int? {
        var index = 3
        while let feed = bytes.firstIndex(of: UInt8(ascii: "\n"), from: index) {
            if bytes.extracting(feed - 3...feed).equals("\r\n\r\n") { return feed + 1 }
            index = feed + 1
        }
        return nil
    }

    /// Where the lines are, without their line breaks.
    private static func lines(_ head: ArraySlice<UInt8>) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = head.startIndex
        while start + 1 < head.endIndex, let feed = head[start...].firstIndex(of: UInt8(ascii: "\n")) {
            // A bare line feed leaves its line without a carriage return, which then fails as a control character or here.
            let end = feed > start && head[feed - 1] == UInt8(ascii: "\r") ? feed - 1 : feed + 1
            lines.append(start..<min(end, head.endIndex))
            start = feed + 1
        }
        return lines
    }

    /// `HTTP/1.x SP 3DIGIT SP [reason]`
    private static func status(_ line: Range<Int>, of bytes: Span<UInt8>) throws(Fault) -> Int {
        let text = bytes.extracting(line)
        let isLine =
            text.count >= 12 && (text.begins(with: "HTTP/1.1 ") || text.begins(with: "HTTP/1.0 "))
            && (text.count == 12 || text[12] == UInt8(ascii: " "))
        guard isLine, let status = ContentLength.parse(text.extracting(9..<12)), (100..<600).contains(status) else {
            throw Fault(reason: "the answer is not HTTP/1.1")
        }
        return status
    }
}
