import Access
import Bytes

/// The parameters of a request's query, in which names and values are percent-encoded, each byte in the one way there is. An
/// empty value is none.
extension NamedValues {
    /// Whether there is a parameter that `isMeant` by its name and value, which are encoded.
    func contains(where isMeant: (Span<UInt8>, Span<UInt8>) -> Bool) -> Bool {
        var position = 0
        while let pair = next(&position) {
            if isMeant(bytes(pair.name), bytes(pair.value ?? pair.name.upperBound..<pair.name.upperBound)) {
                return true
            }
        }
        return false
    }

    /// Writes a query of these and of a signature.
    /// - Parameters:
    ///   - mark: what the first begins with.
    ///   - isBare: whether a name without a value stands alone, as OSS signs it.
    func write<Signature: URLSignature & ~Escapable>(
        _ signature: borrowing Signature, from mark: StaticString = "", in order: QueryOrder, isBare: Bool,
        into out: inout ByteWriter
    ) {
        var mark = mark
        var next = 0
        let parameters = sorted(in: order)
        for index in 0...parameters.count {
            while next < signature.count {
                if let name = signature.name(at: next) {
                    if index < parameters.count, !order.precedes(name.span, bytes(parameters[index].name)) { break }
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
                out.append(bytes(parameters[index].name))
                if !isBare || !parameters[index].value.isEmpty { out.append(UInt8(ascii: "=")) }
                out.append(bytes(parameters[index].value))
                mark = "&"
            }
        }
    }

    /// - Parameter isMeant: whether a parameter of this name is wanted.
    func sorted(in order: QueryOrder, where isMeant: (Span<UInt8>) -> Bool = { _ in true }) -> NamedRanges {
        var (sorted, position) = (NamedRanges(), 0)
        while let pair = next(&position) {
            guard isMeant(bytes(pair.name)) else { continue }
            var index = sorted.count
            while index > 0, order.precedes(bytes(pair.name), bytes(sorted[index - 1].name)) { index -= 1 }
            sorted.insert(NamedRange(name: pair.name, value: pair.value ?? 0..<0), at: index)
        }
        return sorted
    }
}

extension ByteWriter {
    /// Adds a parameter to a query, encoded.
    /// - Parameter start: where the query begins.
    mutating func append(parameter name: Span<UInt8>, _ value: Span<UInt8>, toQueryAt start: Int = 0) {
        if count > start { append(UInt8(ascii: "&")) }
        Percent.encode(name, into: &self)
        // Without a name it is still a parameter, which nobody gets signed.
        if value.isEmpty, !name.isEmpty { return }
        append(UInt8(ascii: "="))
        Percent.encode(value, into: &self)
    }
}

/// In which order the parameters of a query stand.
enum QueryOrder {
    /// By their names.
    case asNamed
    /// By their names as they are encoded: `%` is less than everything that is left as it is.
    case asEncoded

    /// - Parameter name: encoded, as the other.
    func precedes(_ name: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard self == .asNamed else { return name.precedes(other) }
        var (position, others) = (0, 0)
        while let byte = Percent.nextEncoded(&position, of: name) {
            guard let otherByte = Percent.nextEncoded(&others, of: other) else { return false }
            if byte != otherByte { return byte < otherByte }
        }
        return others < other.count
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
