import Access
import Bytes

/// The header fields of a request as its signatures have them: in ascending order of their names, which are in lower
/// case, and the values of one name joined by commas as they came (RFC 9110 section 5.3).
struct RequestFields: ~Escapable {
    private let lines: Span<UInt8>
    private let scheme: V4Scheme
    private var fields = NamedRanges()

    /// - Parameters:
    ///   - lines: field lines as they are sent, each `name: value` and CR LF; names may be in any case.
    ///   - scheme: whose signatures.
    /// - Throws: `IssueError.unsignable` if a line has another form, or a value that reaches the vendor in another form than
    ///   it was signed in.
    @_lifetime(copy lines)
    init(_ lines: Span<UInt8>, _ scheme: V4Scheme) throws(IssueError) {
        self.lines = lines
        self.scheme = scheme
        var start = 0
        while let field = try NamedRange.nextLine(&start, of: lines) {
            guard !field.name.isEmpty, ByteSet.token.contains(all: lines.extracting(field.name)) else {
                throw .unsignable("a field's name must be a token")
            }
            guard RequestFields.isValue(lines.extracting(field.value), scheme) else {
                throw .unsignable("a field's value must be UTF-8 without control characters or spaces around it")
            }
            var index = fields.count
            while index > 0, name(field.name, precedes: fields[index - 1].name) { index -= 1 }
            if index > 0, !name(fields[index - 1].name, precedes: field.name) {
                guard !isSingle(lines.extracting(field.name)) else {
                    throw .unsignable("a field that is no list must not come twice")
                }
            }
            fields.insert(field, at: index)
        }
    }

    /// The value of the field of this name, which is in lower case and one of those that come once; empty when there is none.
    @_lifetime(copy self)
    func value(of name: StaticString) -> Span<UInt8> {
        guard let index = index(where: { $0.equals(ignoringCase: name) }) else { return lines.extracting(0..<0) }
        return lines.extracting(fields[index].value)
    }

    /// Whether there is a field with such a name.
    func contains(where isMeant: (Span<UInt8>) -> Bool) -> Bool { index(where: isMeant) != nil }

    /// Whether there is a field of this name, which is in lower case.
    func contains(_ name: StaticString) -> Bool { contains { $0.equals(ignoringCase: name) } }

    /// Whether there is a field of this name, which is in lower case, with anything in it.
    func hasValue(_ name: [UInt8]) -> Bool {
        for index in 0..<fields.count where !fields[index].value.isEmpty {
            if lines.extracting(fields[index].name).equals(ignoringCaseOf: name) { return true }
        }
        return false
    }

    private func index(where isMeant: (Span<UInt8>) -> Bool) -> Int? {
        for index in 0..<fields.count where isMeant(lines.extracting(fields[index].name)) { return index }
        return nil
    }

    /// Writes `name:value` and a line feed for every name that is signed.
    func write(into out: inout ByteWriter, where isSigned: (Span<UInt8>) -> Bool) {
        var last: Range<Int>?
        for index in 0..<fields.count {
            let field = fields[index]
            guard isSigned(lines.extracting(field.name)) else { continue }
            if let last, !name(last, precedes: field.name) {
                out.append(UInt8(ascii: ","))
            } else {
                if last != nil { out.append(UInt8(ascii: "\n")) }
                out.append(lowercasing: lines.extracting(field.name))
                out.append(UInt8(ascii: ":"))
            }
            write(lines.extracting(field.value), into: &out)
            last = field.name
        }
        if last != nil { out.append(UInt8(ascii: "\n")) }
    }

    /// Writes the names that the signature has to name, in lower case with `;` between.
    /// - Parameter isEncoded: whether it is for a query.
    func writeNames(isEncoded: Bool, into out: inout ByteWriter, where isNamed: (Span<UInt8>) -> Bool) {
        var last: Range<Int>?
        for index in 0..<fields.count {
            let field = fields[index].name
            guard isNamed(lines.extracting(field)) else { continue }
            if let last {
                guard name(last, precedes: field) else { continue }
                out.append(isEncoded ? "%3B" : ";")
            }
            if isEncoded {
                for index in field { Percent.encode(lines[index].lowercasedASCII, into: &out) }
            } else {
                out.append(lowercasing: lines.extracting(field))
            }
            last = field
        }
    }

    /// - Parameter value: begins and ends with no space.
    private func write(_ value: Span<UInt8>, into out: inout ByteWriter) {
        guard scheme.collapsesSpaces else { return out.append(value) }
        let space = UInt8(ascii: " ")
        var start = 0
        while let end = value.firstIndex(of: space, from: start) {
            out.append(value.extracting(start...end))
            start = end + 1
            while start < value.count, value[start] == space { start += 1 }
        }
        out.append(value.extracting(start..<value.count))
    }

    /// Whether a field of this name comes once.
    private func isSingle(_ name: Span<UInt8>) -> Bool {
        for single in RequestFields.single where name.equals(ignoringCase: single) { return true }
        return scheme.fields.isOfSignature(name)
    }

    private static let single: [StaticString] = [
        "content-length", "content-md5", "content-type", "date", "host",
    ]

    private func name(_ first: Range<Int>, precedes second: Range<Int>) -> Bool {
        for offset in 0..<min(first.count, second.count) {
            let mine = lines[first.lowerBound + offset].lowercasedASCII
            let other = lines[second.lowerBound + offset].lowercasedASCII
            if mine != other { return mine < other }
        }
        return first.count < second.count
    }

    /// The vendors' SDKs strip every kind of space from a value before they sign it; HTTP strips ASCII's alone. Where spaces
    /// inside are collapsed, servers do not agree on what else than ASCII's is one.
    private static func isValue(_ text: Span<UInt8>, _ scheme: V4Scheme) -> Bool {
        guard !text.hasControlCharacters else { return false }
        guard !text.isASCII else { return true }
        guard !scheme.collapsesSpaces, UTF8Text.isWellFormed(text) else { return false }
        let scalars = text.text.unicodeScalars
        return scalars.first?.properties.isWhitespace != true && scalars.last?.properties.isWhitespace != true
    }
}
