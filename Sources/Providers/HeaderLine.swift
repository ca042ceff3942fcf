import Access
import Bytes

/// One header field in a text of field lines, each of them `name: value` and CR LF.
struct HeaderLine {
    private let nameStart, nameEnd, valueStart, valueEnd: UInt32

    /// No line.
    static let none = HeaderLine(name: 0..<0, value: 0..<0)

    private init(name: Range<Int>, value: Range<Int>) {
        nameStart = UInt32(clamping: name.lowerBound)
        nameEnd = UInt32(clamping: name.upperBound)
        valueStart = UInt32(clamping: value.lowerBound)
        valueEnd = UInt32(clamping: value.upperBound)
    }

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    /// Without the spaces and tabs around it.
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

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

/// Header lines in the order in which they are signed. As many as requests have mostly are held in place.
struct HeaderLines {
    private var few = InlineArray<16, HeaderLine>(repeating: .none)
    /// All of them, once they are more.
    private var many: [HeaderLine] = []
    private(set) var count = 0

    subscript(index: Int) -> HeaderLine { many.isEmpty ? few[index] : many[index] }

    /// - Parameter index: at most `count`.
    mutating func insert(_ line: HeaderLine, at index: Int) {
        if many.isEmpty, count == few.count { for index in few.indices { many.append(few[index]) } }
        if many.isEmpty {
            var end = count
            while end > index {
                few[end] = few[end - 1]
                end -= 1
            }
            few[index] = line
        } else {
            many.insert(line, at: index)
        }
        count += 1
    }
}

extension ByteWriter {
    /// Writes a field line.
    mutating func append(field name: StaticString, _ value: Span<UInt8>) { append(field: name.bytes, value) }

    /// Writes a field line.
    mutating func append(field: NameValue) { append(field: field.name.span, field.value.span) }

    /// Writes a field line.
    mutating func append(field name: Span<UInt8>, _ value: Span<UInt8>) {
        append(name)
        append(": ")
        append(value)
        append("\r\n")
    }
}
