import Bytes

/// Takes the `chunked` transfer coding off a body (RFC 9112 section 7.1), piece by piece.
///
/// Chunk extensions and trailers are checked for their form, counted and thrown away.
package struct ChunkDecoder: Sendable {
    private enum State: Sendable { case size, data(remaining: Int), dataEnd, trailer, done }

    private var state = State.size
    private var overhead = 0
    /// The content so far.
    package private(set) var content: [UInt8] = []
    /// Bytes of content that were taken away.
    private var taken = 0

    package init() {}

    package var isDone: Bool { if case .done = state { true } else { false } }

    /// Takes away what was decoded so far, for a reader that does not want it all at once.
    package mutating func takeContent() -> [UInt8] {
        taken += content.count
        defer { content = [] }
        return content
    }

    /// Decodes what it can of `bytes`.
    /// - Returns: how many bytes it took; the rest must be given again with what follows.
    package mutating func advance(over bytes: Span<UInt8>, limits: Limits) throws(RequestError) -> Int {
        var at = 0
        while at < bytes.count {
            switch state {
            case .size:
                guard let end = try line(in: bytes, from: at, limits) else { return at }
                let size = try ChunkDecoder.size(bytes.extracting(at..<end))
                guard size <= limits.body - taken - content.count else {
                    throw RequestError(.bodyTooLarge, "the body is too large")
                }
                at = end + 2
                state = size == 0 ? .trailer : .data(remaining: size)
            case .data(let remaining):
                let taken = min(remaining, bytes.count - at)
                content.append(contentsOf: bytes.extracting(at..<at + taken))
                at += taken
                state = taken == remaining ? .dataEnd : .data(remaining: remaining - taken)
            case .dataEnd:
                guard bytes.count - at >= 2 else { return at }
                guard bytes[at] == UInt8(ascii: "\r"), bytes[at + 1] == UInt8(ascii: "\n") else {
                    throw .malformed("a chunk must end in carriage return and line feed")
                }
                at += 2
                state = .size
            case .trailer:
                guard let end = try line(in: bytes, from: at, limits) else { return at }
                if end == at { state = .done } else { _ = try FieldLine.parse(at..<end, of: bytes) }
                at = end + 2
            case .done: return at
            }
        }
        return at
    }

    /// Where the CR of the line break is; lines of framing count towards their limit.
    private mutating func line(in bytes: Span<UInt8>, from start: Int, _ limits: Limits) throws(RequestError) -> Int? {
        guard let feed = bytes.firstIndex(of: UInt8(ascii: "\n"), from: start) else {
            if bytes.count - start > Limits.chunkLine { throw .malformed("a chunk line is too long") }
            return nil
        }
        // Before its end is judged, which may not be there yet when the line is too long already.
        guard feed - start <= Limits.chunkLine else { throw .malformed("a chunk line is too long") }
        guard feed > start, bytes[feed - 1] == UInt8(ascii: "\r") else {
            throw .malformed("lines end in carriage return and line feed")
        }
        for index in start..<feed - 1 {
            guard bytes[index] >= 0x20 && bytes[index] != 0x7F || bytes[index] == UInt8(ascii: "\t") else {
                throw .malformed("a chunk line has a control character")
            }
        }
        overhead += feed + 1 - start
        guard overhead <= limits.chunkOverhead else { throw .malformed("there is too much chunk framing") }
        return feed - 1
    }

    /// `1*HEXDIG [ chunk-ext ]`
    private static func size(_ line: Span<UInt8>) throws(RequestError) -> Int {
        var size = 0
        var index = 0
        while index < line.count, let digit = Hex.value(of: line[index]) {
            guard index < 8 else { throw .malformed("a chunk size has too many digits") }
            size = size << 4 | Int(digit)
            index += 1
        }
        guard index > 0 else { throw .malformed("a chunk size must be hexadecimal digits") }
        guard ChunkExtension.isValid(line.extracting(index..<line.count)) else {
            throw .malformed("what follows a chunk size must be extensions: ;name or ;name=value")
        }
        return size
    }
}
