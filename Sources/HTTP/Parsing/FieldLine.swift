import Bytes

/// `field-name ":" OWS field-value OWS` (RFC 9112 section 5): no space before the colon, no folding, no control characters.
struct FieldLine {
    let name: Range<Int>
    /// The value without the white space around it.
    let value: Range<Int>

    /// - Parameter line: where the line is in `bytes`, without its line break.
    static func parse(_ line: Range<Int>, of bytes: Span<UInt8>) throws(RequestError) -> FieldLine {
        var colon = line.lowerBound
        while colon < line.upperBound, ByteSet.token.contains(bytes[colon]) { colon += 1 }
        guard colon < line.upperBound, bytes[colon] == UInt8(ascii: ":"), colon > line.lowerBound else {
            throw .malformed("a header field is a name, a colon and a value, on one line")
        }
        var start = colon + 1
        var end = line.upperBound
        while start < end, bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\t") { start += 1 }
        while end > start, bytes[end - 1] == UInt8(ascii: " ") || bytes[end - 1] == UInt8(ascii: "\t") { end -= 1 }
        var index = start
        while index < end {
            let byte = bytes[index]
            guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else {
                throw .malformed("a header field has a control character")
            }
            index += 1
        }
        return FieldLine(name: line.lowerBound..<colon, value: start..<end)
    }
}
