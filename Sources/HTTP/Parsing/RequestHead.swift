/// A request's head as ranges in the bytes that were read; it holds none of them itself.
@usableFromInline
package struct RequestHead: Sendable {
    package internal(set) var method = Method.other
    /// The path as sent, percent-encoding untouched; empty for `OPTIONS *`.
    package internal(set) var path = 0..<0
    /// What follows the `?`; empty when there is none.
    package internal(set) var query = 0..<0
    /// All field lines, each with its line break; the empty line that ends the head is not among them.
    package internal(set) var fieldLines = 0..<0
    /// The host and port that the client asked, from the Host field or an absolute target; empty when HTTP/1.0 gave none.
    package internal(set) var authority = 0..<0
    /// Whether the client keeps the connection open after the answer (RFC 9112 section 9.3).
    package internal(set) var keepsAlive = true
    /// Whether it is an HTTP/1.0 request, which must be told that the connection stays open.
    package internal(set) var isHTTP10 = false
    /// Whether the client waits for a 100 before it sends the content.
    package internal(set) var expectsContinue = false
    package internal(set) var isChunked = false
    /// Bytes of the content; nil where there is no Content-Length.
    package internal(set) var contentLength: Int?
    /// Bytes up to and including the empty line.
    package internal(set) var length = 0

    /// Half as large as ranges of `Int`, since a head is copied: `Limits` keep it far below four gigabytes.
    @usableFromInline var values = InlineArray<18, Range<UInt32>>(repeating: 0..<0)
    @usableFromInline var present: UInt32 = 0
    @usableFromInline var repeated: UInt32 = 0

    // Inlined everywhere, since a call would copy the whole head.

    /// Where the value of a field is, without white space around it; nil when the field is not there.
    @inlinable @inline(__always)
    package func value(of name: FieldName) -> Range<Int>? {
        guard present >> UInt32(name.rawValue) & 1 == 1 else { return nil }
        let value = values[name.rawValue]
        return Int(value.lowerBound)..<Int(value.upperBound)
    }

    /// Whether a field was sent more than once; `value(of:)` gives the first.
    @inlinable @inline(__always)
    package func isRepeated(_ name: FieldName) -> Bool { repeated >> UInt32(name.rawValue) & 1 == 1 }

    mutating func note(_ name: FieldName, _ value: Range<Int>) {
        let bit: UInt32 = 1 << UInt32(name.rawValue)
        if present & bit != 0 {
            repeated |= bit
        } else {
            present |= bit
            values[name.rawValue] = UInt32(clamping: value.lowerBound)..<UInt32(clamping: value.upperBound)
        }
    }
}
