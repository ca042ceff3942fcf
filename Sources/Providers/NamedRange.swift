import Access
import Bytes

/// Where a name and its value stand in a text, such as a header field's or a query parameter's. An empty value may be none.
struct NamedRange {
    private let nameStart, nameEnd, valueStart, valueEnd: UInt32

    /// Nothing.
    static let none = NamedRange(name: 0..<0, value: 0..<0)

    init(name: Range<Int>, value: Range<Int>) {
        nameStart = UInt32(clamping: name.lowerBound)
        nameEnd = UInt32(clamping: name.upperBound)
        valueStart = UInt32(clamping: value.lowerBound)
        valueEnd = UInt32(clamping: value.upperBound)
    }

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

    /// Reads the header field at `start`, the value without the spaces and tabs around it, and moves `start` behind it; nil at the end of
    /// the text.
    /// - Parameter lines: each of them `name: value` and CR LF.
    /// - Throws: `IssueError.unsignable` if the line has another form.
    static func nextLine(_ start: inout Int, of lines: Span<UInt8>) throws(IssueError) -> NamedRange? {
        guard start < lines.count else { return nil }
        guard let end = lines.firstIndex(of: UInt8(ascii: "\n"), from: start), end > start,
            lines[end - 1] == UInt8(ascii: "\r"),
            let colon = lines.firstIndex(of: UInt8(ascii: ":"), from: start), colon < end
        else { throw .unsignable("field lines must be name: value, each ended by CR LF") }
        var value = colon + 1..<end - 1
        while let first = value.first, isSpace(lines[first]) { value.removeFirst() }
        while let last = value.last, isSpace(lines[last]) { value.removeLast() }
        defer { start = end + 1 }
        return NamedRange(name: start..<colon, value: value)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// Header fields or query parameters in the order in which they are signed. As many as requests have mostly are held in place.
struct NamedRanges {
    private var few = InlineArray<16, NamedRange>(repeating: .none)
    /// All of them, once they are more.
    private var many: [NamedRange] = []
    private(set) var count = 0

    subscript(index: Int) -> NamedRange { many.isEmpty ? few[index] : many[index] }

    /// - Parameter index: at most `count`.
    mutating func insert(_ range: NamedRange, at index: Int) {
        if many.isEmpty, count == few.count { for index in few.indices { many.append(few[index]) } }
        if many.isEmpty {
            var end = count
            while end > index {
                few[end] = few[end - 1]
                end -= 1
            }
            few[index] = range
        } else {
            many.insert(range, at: index)
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
