import Bytes

/// The answer of an upstream, read piece by piece (RFC 9112): its status, its fields, its whole content.
///
/// What the service asks for is small, so everything is kept until it is complete, within a limit. It is as strict as
/// `RequestParser`: what two readers could understand differently is a fault. Redirects are answers like any other; nobody
/// follows them. What comes of an answer does not depend on how it was cut into pieces.
package struct ResponseReader: ~Copyable {
    /// What is wrong with an answer; never anything of its content.
    package struct Fault: Error, Equatable {
        package enum Kind: Sendable { case malformed, tooLarge, endedEarly }

        package let kind: Kind
        package let reason: StaticString

        static func malformed(_ reason: StaticString) -> Fault { Fault(kind: .malformed, reason: reason) }
        static let tooLarge = Fault(kind: .tooLarge, reason: "the answer is too large")

        package static func == (a: Fault, b: Fault) -> Bool {
            a.kind == b.kind && a.reason.description == b.reason.description
        }
    }

    package private(set) var status = 0
    /// Names in lower case, in the order they came.
    package private(set) var fields: [(name: [UInt8], value: [UInt8])] = []
    package private(set) var body: [UInt8] = []
    /// Whether the connection may be used for another request, once the answer is complete.
    package private(set) var keepsAlive = true

    private enum Framing { case head, length(Int), chunked, untilClose, done }

    /// All heads of an answer together, interim ones too, in bytes.
    static let headLimit = 32 * 1024
    static let fieldLimit = 128
    /// No answer is worth more memory, whatever limit was asked for; so no sum of sizes overflows.
    private static let largest = 1 << 30

    private let limits: Limits
    private let isHead: Bool
    private var framing = Framing.head
    /// What has come of the head, or of a chunked body and could not be decoded.
    private var pending: [UInt8] = []
    /// How much of `pending` has been looked through for the end of the head, and where the line begins that it is in.
    private var scanned = 0
    private var lineStart = 0
    private var lines: [Range<Int>] = []
    private var headBytes = 0
    private var decoder = ChunkDecoder()

    /// - Parameters:
    ///   - limit: the most bytes of content.
    ///   - isHead: whether the request was a HEAD, whose answer has no content whatever its fields say.
    package init(limit: Int, isHead: Bool = false) {
        var limits = Limits()
        limits.body = max(0, min(limit, ResponseReader.largest))
        self.limits = limits
        self.isHead = isHead
    }

    package var isComplete: Bool { if case .done = framing { true } else { false } }

    /// The first value of a field; `name` in lower case.
    package func field(_ name: StaticString) -> [UInt8]? { fields.first { $0.name.span.equals(name) }?.value }

    /// Takes bytes that have come. After a fault the answer is lost, and so is its connection.
    package mutating func receive(_ bytes: Span<UInt8>) throws(Fault) {
        guard !bytes.isEmpty else { return }
        guard case .head = framing else { return try receive(content: bytes) }
        pending.append(contentsOf: bytes)
        while case .head = framing {
            guard try findHead() else { return }
            try readHead()
        }
        let rest = pending
        pending = []
        try receive(content: rest.span)
    }

    /// The peer has closed its side: the end of an answer that has no other, and the loss of any other.
    package mutating func close() throws(Fault) {
        switch framing {
        case .untilClose: framing = .done
        case .done: break
        case .head, .length, .chunked: throw Fault(kind: .endedEarly, reason: "the answer ended too early")
        }
    }

    // MARK: Content

    private mutating func receive(content bytes: Span<UInt8>) throws(Fault) {
        switch framing {
        case .head: break
        case .length(let length):
            let taken = min(bytes.count, length - body.count)
            append(bytes.extracting(0..<taken))
            if body.count == length { finish(leaving: bytes.count - taken) }
        case .chunked:
            var held: [UInt8] = []
            swap(&held, &pending)
            held.append(contentsOf: bytes)
            let used: Int
            do throws(RequestError) { used = try decoder.advance(over: held.span, limits: limits) } catch {
                throw error.kind == .bodyTooLarge ? .tooLarge : .malformed(error.reason)
            }
            guard decoder.isDone else {
                held.removeFirst(used)
                pending = held
                return
            }
            body = decoder.content
            decoder = ChunkDecoder()
            finish(leaving: held.count - used)
        case .untilClose:
            guard bytes.count <= limits.body - body.count else { throw .tooLarge }
            append(bytes)
        case .done:
            if !bytes.isEmpty { keepsAlive = false }
        }
    }

    /// Whatever follows was not asked for, and nobody can tell what it would answer.
    private mutating func finish(leaving rest: Int) {
        framing = .done
        pending = []
        if rest > 0 { keepsAlive = false }
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        body.append(contentsOf: bytes)
    }

    // MARK: Head

    /// Looks for the empty line, and for the lines before it.
    /// - Returns: whether it is there, so that `pending` begins with a head of which `scanned` is the end.
    private mutating func findHead() throws(Fault) -> Bool {
        while let feed = pending.span.firstIndex(of: UInt8(ascii: "\n"), from: scanned) {
            guard headBytes + feed < ResponseReader.headLimit else { break }
            guard feed > lineStart, pending[feed - 1] == UInt8(ascii: "\r") else {
                throw .malformed("lines end in carriage return and line feed")
            }
            scanned = feed + 1
            guard feed - 1 > lineStart else { return true }
            lines.append(lineStart..<feed - 1)
            lineStart = feed + 1
            guard lines.count <= ResponseReader.fieldLimit + 1 else {
                throw Fault(kind: .tooLarge, reason: "the answer has too many header fields")
            }
        }
        guard headBytes + pending.count < ResponseReader.headLimit else {
            throw Fault(kind: .tooLarge, reason: "the answer's head is too large")
        }
        scanned = pending.count
        return false
    }

    /// Reads the head that `findHead` found; an interim one (1xx) is forgotten, and another must follow.
    private mutating func readHead() throws(Fault) {
        guard let first = lines.first else { throw .malformed("the answer is not HTTP/1.1") }
        status = try ResponseReader.status(first, of: pending.span)
        let isHTTP10 = pending.starts(with: "HTTP/1.0".utf8)
        fields = []
        for line in lines.dropFirst() {
            let field: FieldLine
            do throws(RequestError) { field = try FieldLine.parse(line, of: pending.span) } catch {
                throw .malformed(error.reason)
            }
            fields.append((pending[field.name].map(\.lowercasedASCII), Array(pending[field.value])))
        }
        headBytes += scanned
        pending.removeFirst(scanned)
        (scanned, lineStart, lines) = (0, 0, [])
        guard status >= 200 else {
            guard status != 101 else { throw .malformed("the upstream changed the protocol") }
            return
        }
        framing = try bodyFraming(isHTTP10: isHTTP10)
        keepsAlive = isKept(isHTTP10: isHTTP10)
        switch framing {
        case .length(0): framing = .done
        case .untilClose: keepsAlive = false
        case .head, .length, .chunked, .done: break
        }
    }

    private func values(of name: StaticString) -> [[UInt8]] {
        fields.filter { $0.name.span.equals(name) }.map(\.value)
    }

    /// RFC 9112 section 9.3.
    private func isKept(isHTTP10: Bool) -> Bool {
        let options = values(of: "connection")
        if options.contains(where: { ListField.contains("close", in: $0.span) }) { return false }
        return !isHTTP10 || options.contains { ListField.contains("keep-alive", in: $0.span) }
    }

    /// RFC 9112 section 6.3.
    private func bodyFraming(isHTTP10: Bool) throws(Fault) -> Framing {
        if isHead || status == 204 || status == 304 { return .length(0) }
        let lengths = values(of: "content-length")
        let codings = values(of: "transfer-encoding")
        if let coding = codings.first {
            guard lengths.isEmpty, codings.count == 1, !isHTTP10, coding.span.equals(ignoringCase: "chunked") else {
                throw .malformed("the answer's framing is ambiguous")
            }
            return .chunked
        }
        guard let first = lengths.first else { return .untilClose }
        guard lengths.count == 1, let length = ContentLength.parse(first.span) else {
            throw .malformed("the answer's framing is ambiguous")
        }
        guard length <= limits.body else { throw .tooLarge }
        return .length(length)
    }

    /// `HTTP/1.x SP 3DIGIT [SP [reason]]`; the space after the status is missing often. Qiniu has statuses of its own, 612 and
    /// others, which are no class that HTTP knows.
    private static func status(_ line: Range<Int>, of bytes: Span<UInt8>) throws(Fault) -> Int {
        let text = bytes.extracting(line)
        let isLine =
            text.count >= 12 && (text.begins(with: "HTTP/1.1 ") || text.begins(with: "HTTP/1.0 "))
            && (text.count == 12 || text[12] == UInt8(ascii: " "))
        guard isLine, let status = ContentLength.parse(text.extracting(9..<12)), (100..<1000).contains(status) else {
            throw .malformed("the answer is not HTTP/1.1")
        }
        for index in 12..<text.count {
            guard text[index] >= 0x20 && text[index] != 0x7F || text[index] == UInt8(ascii: "\t") else {
                throw .malformed("the status line has a control character")
            }
        }
        return status
    }
}
