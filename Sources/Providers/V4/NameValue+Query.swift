import Bytes

/// A parameter of a request's query, not encoded. An empty value is none.
extension NameValue {
    /// Writes `name=value`, percent-encoded.
    func write(into out: inout ByteWriter) {
        Percent.encode(name.span, into: &out)
        out.append(UInt8(ascii: "="))
        Percent.encode(value.span, into: &out)
    }

    /// The same as it is signed.
    /// - Parameter isBare: whether a name without a value stands alone, as OSS signs it.
    func writeCanonical(isBare: Bool, into out: inout ByteWriter) {
        if isBare, value.isEmpty { return Percent.encode(name.span, into: &out) }
        write(into: &out)
    }
}

/// In which order the parameters of a query stand.
enum QueryOrder {
    /// By their names.
    case asNamed
    /// By their names once these are encoded: `%` is less than everything that is left as it is.
    case asEncoded

    func precedes(_ name: [UInt8], _ other: [UInt8]) -> Bool {
        let (mine, others) = (name.span, other.span)
        guard self == .asEncoded else { return mine.precedes(others) }
        for index in 0..<min(mine.count, others.count) where mine[index] != others[index] {
            let isPlain = ByteSet.unreserved.contains(others[index])
            return ByteSet.unreserved.contains(mine[index]) == isPlain ? mine[index] < others[index] : isPlain
        }
        return mine.count < others.count
    }
}

/// What a URL says of its own signature, in ascending order of the names.
protocol URLSignature: ~Escapable {
    var count: Int { get }

    /// Nil where it says nothing of that. A name is unreserved (RFC 3986), so that it stands in a URL as it is.
    func name(at index: Int) -> [UInt8]?

    /// Writes the value, percent-encoded.
    func writeValue(at index: Int, into out: inout ByteWriter)
}

/// That of a URL whose request is signed in a field.
struct NoURLSignature: URLSignature {
    let count = 0

    func name(at index: Int) -> [UInt8]? { nil }
    func writeValue(at index: Int, into out: inout ByteWriter) {}
}

extension [NameValue] {
    /// Writes a query of these and of a signature.
    /// - Parameter mark: what the first begins with.
    func write<Signature: URLSignature & ~Escapable>(
        _ signature: borrowing Signature, from mark: StaticString = "", in order: QueryOrder,
        into out: inout ByteWriter, _ write: (NameValue, inout ByteWriter) -> Void
    ) {
        var mark = mark
        var next = 0
        let parameters = sorted(in: order)
        for index in 0...parameters.count {
            while next < signature.count {
                if let name = signature.name(at: next) {
                    if index < parameters.count, !order.precedes(name, parameters[index].name) { break }
                    out.append(mark)
                    out.append(name)
                    out.append(UInt8(ascii: "="))
                    signature.writeValue(at: next, into: &out)
                    mark = "&"
                }
                next += 1
            }
            if index < parameters.count {
                out.append(mark)
                write(parameters[index], &out)
                mark = "&"
            }
        }
    }

    /// The same in order; no other array where they are so already.
    private func sorted(in order: QueryOrder) -> [NameValue] {
        let isSorted = indices.dropFirst().allSatisfy { !order.precedes(self[$0].name, self[$0 - 1].name) }
        return isSorted ? self : sorted { order.precedes($0.name, $1.name) }
    }
}
