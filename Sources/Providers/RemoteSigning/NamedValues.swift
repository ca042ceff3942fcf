import Bytes

/// Names with values as they stand one behind the other in what is signed: header lines, or the parameters of a query. Nothing
/// is copied.
struct NamedValues: ~Escapable {
    let text: Span<UInt8>
    /// Between a name and its value.
    private let mark: UInt8
    /// Between one and the next.
    private let separator: UInt8

    /// Ranges in the text.
    struct Pair {
        let name: Range<Int>
        /// Nil where the name stands alone, without a mark.
        let value: Range<Int>?
    }

    /// `name:value` line by line; no LF behind the last.
    @_lifetime(copy lines)
    init(lines: Span<UInt8>) { self.init(lines, mark: UInt8(ascii: ":"), separator: UInt8(ascii: "\n")) }

    /// `name=value&name`
    @_lifetime(copy query)
    init(query: Span<UInt8>) { self.init(query, mark: UInt8(ascii: "="), separator: UInt8(ascii: "&")) }

    /// `name;name`
    @_lifetime(copy names)
    init(names: Span<UInt8>) { self.init(names, mark: UInt8(ascii: ";"), separator: UInt8(ascii: ";")) }

    @_lifetime(copy text)
    private init(_ text: Span<UInt8>, mark: UInt8, separator: UInt8) {
        self.text = text
        self.mark = mark
        self.separator = separator
    }

    /// The pair at `position`, which is 0 for the first and moved to the next; nil behind the last. An empty text has no pairs,
    /// and two separators one behind the other have an empty name between them.
    func next(_ position: inout Int) -> Pair? {
        guard position <= text.count, !text.isEmpty else { return nil }
        let end = text.firstIndex(of: separator, from: position) ?? text.count
        let pair = text.extracting(position..<end)
        let middle = pair.firstIndex(of: mark).map { position + $0 } ?? end
        defer { position = end + 1 }
        return Pair(name: position..<middle, value: middle < end ? middle + 1..<end : nil)
    }

    @_lifetime(copy self)
    func bytes(_ range: Range<Int>) -> Span<UInt8> { text.extracting(range) }

    /// A part of a query that was read as encoded in the one way there is.
    func decoded(_ range: Range<Int>) -> [UInt8] {
        let encoded = bytes(range)
        var (decoded, position) = ([UInt8](), 0)
        while let byte = Percent.nextEncoded(&position, of: encoded) { decoded.append(byte) }
        return decoded
    }

    /// The value of a name; nil where there is none, or the name stands alone.
    @_lifetime(copy self)
    func value(of name: StaticString) -> Span<UInt8>? {
        guard let range = rangeOfValue(where: { $0.equals(name) }) else { return nil }
        return bytes(range)
    }

    /// The same of a name that a scheme has as bytes.
    @_lifetime(copy self)
    func value(of name: [UInt8]) -> Span<UInt8>? {
        guard let range = rangeOfValue(where: { $0.equals(name) }) else { return nil }
        return bytes(range)
    }

    /// Where the value of a name is.
    func rangeOfValue(where isMeant: (Span<UInt8>) -> Bool) -> Range<Int>? {
        var position = 0
        while let pair = next(&position) {
            if isMeant(bytes(pair.name)), let value = pair.value { return value }
        }
        return nil
    }

    func contains(_ name: StaticString) -> Bool { contains { $0.equals(name) } }

    func contains(_ name: [UInt8]) -> Bool { contains { $0.equals(name) } }

    var isEmpty: Bool { text.isEmpty }

    /// Whether there is such a name.
    func contains(where isMeant: (Span<UInt8>) -> Bool) -> Bool {
        var position = 0
        while let pair = next(&position) {
            if isMeant(bytes(pair.name)) { return true }
        }
        return false
    }
}

extension NamedValues: RequestNames {
    func contains(_ name: Span<UInt8>) -> Bool { contains { $0.equals(name) } }

    func allSatisfy(_ isFine: (Span<UInt8>) -> Bool) -> Bool { !contains { !isFine($0) } }
}

/// Those of the names that tell what a request is, and not how it is signed.
struct JudgedNames: RequestNames, ~Escapable {
    private let pairs: NamedValues
    /// Whether a name is of those that are not judged.
    private let isFree: @Sendable (Span<UInt8>) -> Bool

    @_lifetime(copy pairs)
    init(_ pairs: NamedValues, but isFree: @escaping @Sendable (Span<UInt8>) -> Bool) {
        self.pairs = pairs
        self.isFree = isFree
    }

    func contains(_ name: Span<UInt8>) -> Bool { pairs.contains(name) && !isFree(name) }

    func allSatisfy(_ isFine: (Span<UInt8>) -> Bool) -> Bool { pairs.allSatisfy { isFree($0) || isFine($0) } }
}
