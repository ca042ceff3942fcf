import Access
import Bytes

/// One header field in a text of field lines, each of them `name: value` and CR LF.
struct HeaderLine {
    let name: Range<Int>
    /// Without the spaces and tabs around it.
    let value: Range<Int>

    /// Reads the line at `start` and moves `start` behind it; nil at the end of the text.
    /// - Throws: `IssueError.unsignable` if the line has another form.
    static func next(_ start: inout Int, of lines: Span<UInt8>) throws(IssueError) -> HeaderLine? {
        guard start < lines.count else { return nil }
        guard let end = lines.firstIndex(of: UInt8(ascii: "\n"), from: start), end > start,
            lines[end - 1] == UInt8(ascii: "\r"),
            let colon = lines.firstIndex(of: UInt8(ascii: ":"), from: start), colon < end
        else { throw .unsignable("field lines must be name: value, each ended by CR LF") }
        var value = colon + 1..<end - 1
        while let first = value.first, isSpace(lines[first]) { value.removeFirst() }
        while let last = value.last, isSpace(lines[last]) { value.removeLast() }
        defer { start = end + 1 }
        return HeaderLine(name: start..<colon, value: value)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

extension ByteWriter {
    /// Writes a field line.
    mutating func append(field name: StaticString, _ value: Span<UInt8>) {
        append(name)
        append(": ")
        append(value)
        append("\r\n")
    }

    /// Writes a field line.
    mutating func append(field: NameValue) {
        append(field.name)
        append(": ")
        append(field.value)
        append("\r\n")
    }
}
