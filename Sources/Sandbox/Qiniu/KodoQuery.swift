import Bytes

/// The parameters of a query or a form of Kodo's.
struct KodoQuery {
    private let items: [NameValue]

    /// Empty pairs are skipped; `+` is a space.
    init(_ text: [UInt8]) throws(KodoRefusal) {
        var items: [NameValue] = []
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            items.append(
                NameValue(
                    try KodoQuery.decode(Array(name), plusIsSpace: true),
                    try KodoQuery.decode(Array(pair.dropFirst(name.count + 1)), plusIsSpace: true)))
        }
        self.items = items
    }

    /// The first value; nil where there is none.
    subscript(name: String) -> [UInt8]? { items.first { $0.name.elementsEqual(name.utf8) }?.value }

    /// nil where it is not given, or empty.
    func number(_ name: String, in range: ClosedRange<Int64>) throws(KodoRefusal) -> Int64? {
        guard let text = self[name], !text.isEmpty else { return nil }
        guard let number = Decimal.parse(text.span), range.contains(number) else { throw .invalid(name) }
        return number
    }

    /// A text without its percent-encoding.
    static func decode(_ text: [UInt8], plusIsSpace: Bool) throws(KodoRefusal) -> [UInt8] {
        var out = ByteWriter(capacity: text.count)
        guard Percent.decode(text.span, plusIsSpace: plusIsSpace, into: &out), UTF8Text.isWellFormed(out.bytes) else {
            throw .invalid("argument")
        }
        return out.array
    }
}
