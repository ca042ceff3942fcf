import Access
import Bytes

/// The header fields of a request to OSS as its signatures have them: in ascending order of their names, which are in lower
/// case, and the values of one name joined by commas as they came (RFC 9110 section 5.3).
struct RequestFields: ~Escapable {
    private let lines: Span<UInt8>
    private var fields: [HeaderLine] = []

    /// - Parameter lines: field lines as they are sent, each `name: value` and CR LF; names may be in any case.
    /// - Throws: `IssueError.unsignable` if a line has another form, or a value that reaches the vendor in another form than
    ///   it was signed in.
    @_lifetime(copy lines)
    init(_ lines: Span<UInt8>) throws(IssueError) {
        self.lines = lines
        var start = 0
        while let field = try HeaderLine.next(&start, of: lines) {
            guard !field.name.isEmpty, ByteSet.token.contains(all: lines.extracting(field.name)) else {
                throw .unsignable("a field's name must be a token")
            }
            guard RequestFields.isValue(lines.extracting(field.value)) else {
                throw .unsignable("a field's value must be UTF-8 without control characters or spaces around it")
            }
            var index = fields.count
            while index > 0, name(field.name, precedes: fields[index - 1].name) { index -= 1 }
            if index > 0, !name(fields[index - 1].name, precedes: field.name) {
                for name in RequestFields.single where lines.extracting(field.name).equals(ignoringCase: name) {
                    throw .unsignable("a field that is no list must not come twice")
                }
            }
            fields.insert(field, at: index)
        }
    }

    /// The value of the field of this name, which is in lower case and one of those that come once; empty when there is none.
    @_lifetime(copy self)
    func value(of name: StaticString) -> Span<UInt8> {
        for field in fields where lines.extracting(field.name).equals(ignoringCase: name) {
            return lines.extracting(field.value)
        }
        return lines.extracting(0..<0)
    }

    /// Whether there is a field of this name, which is in lower case.
    func contains(_ name: StaticString) -> Bool {
        for field in fields where lines.extracting(field.name).equals(ignoringCase: name) { return true }
        return false
    }

    /// Whether there is a field of this name, which is in lower case, with anything in it.
    func hasValue(_ name: [UInt8]) -> Bool {
        for field in fields where lines.extracting(field.name).equals(ignoringCaseOf: name) && !field.value.isEmpty {
            return true
        }
        return false
    }

    /// Writes `name:value` and a line feed for every name that is signed.
    func write(into out: inout ByteWriter, where isSigned: (Span<UInt8>) -> Bool) {
        var last: Range<Int>?
        for field in fields where isSigned(lines.extracting(field.name)) {
            if let last, !name(last, precedes: field.name) {
                out.append(UInt8(ascii: ","))
            } else {
                if last != nil { out.append(UInt8(ascii: "\n")) }
                for index in field.name { out.append(lines[index].lowercasedASCII) }
                out.append(UInt8(ascii: ":"))
            }
            out.append(lines.extracting(field.value))
            last = field.name
        }
        if last != nil { out.append(UInt8(ascii: "\n")) }
    }

    private static let single: [StaticString] = [
        "content-length", "content-md5", "content-type", "date", "host", "x-oss-content-sha256", "x-oss-date",
        "x-oss-security-token",
    ]

    /// Whether a name is of the vendor's own, which are always signed.
    static func isOwn(_ name: Span<UInt8>) -> Bool {
        name.count >= 6 && name.extracting(0..<6).equals(ignoringCase: "x-oss-")
    }

    private func name(_ first: Range<Int>, precedes second: Range<Int>) -> Bool {
        for offset in 0..<min(first.count, second.count) {
            let mine = lines[first.lowerBound + offset].lowercasedASCII
            let other = lines[second.lowerBound + offset].lowercasedASCII
            if mine != other { return mine < other }
        }
        return first.count < second.count
    }

    /// The vendor's SDKs strip every kind of space from a value before they sign it; HTTP strips ASCII's alone.
    private static func isValue(_ text: Span<UInt8>) -> Bool {
        var isASCII = true
        for index in text.indices {
            if text[index] < 0x20 || text[index] == 0x7F { return false }
            if text[index] >= 0x80 { isASCII = false }
        }
        guard !isASCII else { return true }
        guard UTF8Text.isWellFormed(text) else { return false }
        let scalars = text.text.unicodeScalars
        return scalars.first?.properties.isWhitespace != true && scalars.last?.properties.isWhitespace != true
    }
}
