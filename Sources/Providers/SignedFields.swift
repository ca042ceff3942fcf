import Access
import Bytes

/// The header fields that a vendor's signature covers beside those that it names: all whose names begin with a prefix of the
/// vendor's own (`X-Qiniu-`, `x-nos-`), sorted by name.
struct SignedFields: ~Escapable {
    /// How names are written before they are sorted.
    enum Spelling {
        /// `x-nos-meta-a`
        case lowerCase
        /// `X-Qiniu-Date`
        case capitalised
    }

    private let lines: Span<UInt8>
    private let spelling: Spelling
    private var fields = NamedRanges()

    /// - Parameters:
    ///   - lines: field lines as they are sent, each `name: value` and CR LF; names may be in any case.
    ///   - prefix: in lower case; a field that is called so and no more is not among those signed.
    /// - Throws: `IssueError.unsignable` if a line has another form, or if a signed field comes twice or has more in it than
    ///   ASCII that shows, with spaces between: vendors differ over what they sign then.
    @_lifetime(copy lines)
    init(_ lines: Span<UInt8>, prefix: StaticString, _ spelling: Spelling) throws(IssueError) {
        self.lines = lines
        self.spelling = spelling
        var start = 0
        while let field = try NamedRange.nextLine(&start, of: lines) {
            let name = lines.extracting(field.name)
            guard name.count > prefix.utf8CodeUnitCount,
                name.extracting(0..<prefix.utf8CodeUnitCount).equals(ignoringCase: prefix)
            else { continue }
            for index in field.value where !lines[index].isVisible && lines[index] != UInt8(ascii: " ") {
                throw .unsignable("a signed field's value must be visible ASCII and spaces")
            }
            try insert(field)
        }
    }

    var count: Int { fields.count }

    /// The index of the field of this name, which is in lower case; nil when there is none.
    func index(of name: StaticString) -> Int? {
        for index in 0..<fields.count where lines.extracting(fields[index].name).equals(ignoringCase: name) {
            return index
        }
        return nil
    }

    func contains(_ name: StaticString) -> Bool { index(of: name) != nil }

    /// The value of the field at an index below `count`, in the order of the names.
    @_lifetime(copy self)
    func value(at index: Int) -> Span<UInt8> { lines.extracting(fields[index].value) }

    /// Writes name, separator and value of the field at an index below `count`, in the order of the names.
    func write(at index: Int, _ separator: StaticString, into out: inout ByteWriter) {
        for offset in fields[index].name { out.append(spelled(offset, in: fields[index].name)) }
        out.append(separator)
        out.append(value(at: index))
    }

    private mutating func insert(_ field: NamedRange) throws(IssueError) {
        for index in field.name where !lines[index].isVisible {
            throw .unsignable("a signed field's name must be visible ASCII")
        }
        var index = fields.count
        while index > 0 {
            let order = compare(field.name, fields[index - 1].name)
            guard order != 0 else { throw .unsignable("a signed field must not come twice") }
            if order > 0 { break }
            index -= 1
        }
        fields.insert(field, at: index)
    }

    /// Below 0 if the first name comes before the second, by the bytes that are signed.
    private func compare(_ first: Range<Int>, _ second: Range<Int>) -> Int {
        for offset in 0..<min(first.count, second.count) {
            let mine = spelled(first.lowerBound + offset, in: first)
            let other = spelled(second.lowerBound + offset, in: second)
            if mine != other { return Int(mine) - Int(other) }
        }
        return first.count - second.count
    }

    private func spelled(_ index: Int, in name: Range<Int>) -> UInt8 {
        let beginsWord = index == name.lowerBound || lines[index - 1] == UInt8(ascii: "-")
        return spelling == .capitalised && beginsWord ? lines[index].uppercasedASCII : lines[index].lowercasedASCII
    }
}
