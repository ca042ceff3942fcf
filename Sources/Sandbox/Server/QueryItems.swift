import Bytes

/// The parameters of a request, from query and form together; each may be given once.
struct QueryItems {
    let all: [NameValue]

    init(_ request: SandboxRequest) throws(STSComplaint) {
        let isForm = request.isForm && !request.body.isEmpty
        all = try QueryItems.read(request.query) + (isForm ? try QueryItems.read(request.body) : [])
        var names: Set<[UInt8]> = []
        for item in all where !names.insert(item.name).inserted { throw .repeated(item.name) }
    }

    subscript(name: String) -> [UInt8]? { all.first { $0.name.elementsEqual(name.utf8) }?.value }

    /// Reads a query or form. Empty pairs are skipped; a name without `=` has the empty value; `+` is a space.
    static func read(_ text: [UInt8]) throws(STSComplaint) -> [NameValue] {
        var items: [NameValue] = []
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            items.append(
                NameValue(try decode(name), try decode(pair.dropFirst(name.count).dropFirst())))
        }
        return items
    }

    /// The query as it is signed: every name and value encoded anew, then sorted by name, then by value.
    static func canonical(_ items: [NameValue]) -> [UInt8] {
        let pairs = items.map { (name: encode($0.name), value: encode($0.value)) }.sorted {
            $0.name == $1.name ? $0.value.precedes($1.value) : $0.name.precedes($1.name)
        }
        return Array(pairs.map { $0.name + [UInt8(ascii: "=")] + $0.value }.joined(separator: [UInt8(ascii: "&")]))
    }

    /// RFC 3986: all but the unreserved characters become `%XX`, in upper case.
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            if ByteSet.unreserved.contains(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return text
    }

    private static func decode(_ text: ArraySlice<UInt8>) throws(STSComplaint) -> [UInt8] {
        var out = ByteWriter(capacity: text.count)
        let isEncoded = Percent.decode(Array(text).span, plusIsSpace: true, into: &out)
        guard isEncoded, UTF8Text.isWellFormed(out.bytes) else { throw .unreadable }
        return out.array
    }
}
