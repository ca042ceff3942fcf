import Bytes

/// `field-name ":" OWS field-value OWS` (RFC 9112 section 5): no space before the colon, no folding, no control characters.
struct FieldLine {
    let name: Range<Int>
    /// The value without the white space around it.
    let value: Range<Int>

    /// - Parameter line: where the line is in `bytes`, without its line break.
    static func parse(_ line: Range<Int>, of bytes: Span<UInt8>) throws(RequestError) -> FieldLine {
        let text = bytes.extracting(line)
        guard let length = text.firstIndex(of: UInt8(ascii: ":")), length > 0,
            ByteSet.token.contains(all: text.extracting(0..<length))
        else { throw .malformed("a header field is a name, a colon and a value, on one line") }
        let colon = line.lowerBound + length
        var start = colon + 1
        var end = line.upperBound
        while start < end, bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\t") { start += 1 }
        while end > start, bytes[end - 1] == UInt8(ascii: " ") || bytes[end - 1] == UInt8(ascii: "\t") { end -= 1 }
        let value = bytes.extracting(start..<end)
        var next = 0
        while let control = value.firstControlCharacter(from: next) {
            guard value[control] == UInt8(ascii: "\t") else {
                throw .malformed("a header field has a control character")
            }
            next = control + 1
        }
        return FieldLine(name: line.lowerBound..<colon, value: start..<end)
    }
}
