/// The only JSON reader of the service: strict, bounded, and exact about where a text is wrong.
///
/// It walks over the bytes once, and its caller asks for what comes next: `JSONReader.read` makes values of a whole text,
/// others, such as `Parameters.read(json:)`, keep the bytes that they need. Every look at the text goes through `next` or
/// `byte(at:)`, which know where it ends.
///
/// Beyond the grammar it asks for strict UTF-8 without a byte order mark, names that occur once in their object, and escapes that
/// are whole characters (RFC 8259 sections 4, 8.1 and 8.2 leave these open).
package struct JSONReader: ~Copyable, ~Escapable {
    let bytes: Span<UInt8>
    let syntax: JSONSyntax
    private let maximumDepth: Int
    private let maximumValues: Int
    var offset = 0
    private var depth = 0
    private var values = 0
    /// Where the innermost array or object begins that is being read.
    private var opening: Int?
    /// Texts that had escapes, decoded, one behind the other. A caller gives it room, and takes or truncates what it has asked for.
    var decoded = ByteWriter(capacity: 0)

    /// - Parameters:
    ///   - bytes: the whole text.
    ///   - syntax: the language it is written in.
    ///   - maximumDepth: how many arrays and objects may be open at once. Reading and releasing recurse this deep, so it
    ///     is a constant of the caller, never a number from outside.
    ///   - maximumValues: how many values there may be in all, at every level.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, as syntax: JSONSyntax, maximumDepth: Int, maximumValues: Int = 100_000) {
        self.bytes = bytes
        self.syntax = syntax
        self.maximumDepth = maximumDepth
        self.maximumValues = maximumValues
    }

    /// Goes to the value that the text is.
    /// - Throws: `JSONError` for the first mistake, as all that follows; one in the UTF-8 comes before all others.
    package mutating func start() throws(JSONError) {
        try checkEncoding()
        try skipSpace()
    }

    /// Checks that nothing stands behind the value.
    package mutating func finish() throws(JSONError) {
        try skipSpace()
        guard next == nil else { throw error("the text must end after its value") }
    }
}

// MARK: - Values

extension JSONReader {
    /// What a value is by its first byte.
    package enum Kind { case object, array, string, number, boolean, null }

    /// Counts the value that comes next, and tells what it is if it is well written.
    package mutating func beginValue() throws(JSONError) -> Kind {
        guard values < maximumValues else { throw error("a text may have at most \(maximumValues) values") }
        values += 1
        return switch next {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        case let byte? where isQuote(byte): .string
        default: .number
        }
    }

    /// Reads `true` or `false`.
    mutating func readBoolean() throws(JSONError) -> JSONSlice {
        let start = offset
        try skipWord(next == UInt8(ascii: "t") ? "true" : "false")
        return .read(start..<offset)
    }

    mutating func skipNull() throws(JSONError) { try skipWord("null") }

    /// Reads a value, and keeps nothing of it.
    mutating func skipValue() throws(JSONError) { try skip(try beginValue()) }

    /// Reads a value that was begun, and keeps nothing of it.
    mutating func skip(_ kind: Kind) throws(JSONError) {
        let start = decoded.count
        switch kind {
        case .object:
            var object = try open("}")
            while try readName(in: &object) != nil { try skipValue() }
        case .array:
            var array = try open("]")
            while try findItem(of: &array) { try skipValue() }
        case .string: _ = try readString()
        case .number: _ = try readNumber()
        case .boolean: _ = try readBoolean()
        case .null: try skipNull()
        }
        decoded.truncate(to: start)
    }
}

// MARK: - Arrays and objects

extension JSONReader {
    /// An array or object that is being read.
    package struct Items {
        fileprivate let bracket: Unicode.Scalar
        /// Where the one around it begins.
        fileprivate let outer: Int?
        fileprivate var names = JSONNames()
        /// Where the newest item begins; nil before the first.
        package fileprivate(set) var newest: Int?
    }

    /// Goes past the bracket that opens an array or object.
    /// - Parameter bracket: the one that closes it.
    package mutating func open(_ bracket: Unicode.Scalar) throws(JSONError) -> Items {
        guard depth < maximumDepth else { throw error("arrays and objects may be at most \(maximumDepth) deep") }
        let items = Items(bracket: bracket, outer: opening)
        depth += 1
        opening = offset
        offset += 1
        return items
    }

    /// Goes to the next item of an array or object, or past its closing bracket if there is none.
    package mutating func findItem(of items: inout Items) throws(JSONError) -> Bool {
        try skipSpace()
        if take(items.bracket) {
            close(items)
            return false
        }
        if items.newest != nil {
            guard take(",") else {
                throw JSONError(offset: offset, reason: "expected a comma or \(items.bracket)", opening: opening)
            }
            try skipSpace()
            if syntax == .json5, take(items.bracket) {
                close(items)
                return false
            }
        }
        items.newest = offset
        return true
    }

    /// Goes to the value of the next member of an object, or past the closing bracket if there is none.
    /// - Returns: the member's name, which must stay where it is until the object has been read.
    package mutating func readName(in object: inout Items) throws(JSONError) -> JSONSlice? {
        guard try findItem(of: &object) else { return nil }
        let start = offset
        let name = try readName()
        guard object.names.insert(name, of: self) else {
            throw JSONError(offset: start, reason: "a key must occur only once", key: text(name).array)
        }
        try skipSpace()
        guard take(":") else { throw error("expected a colon after the key") }
        try skipSpace()
        return name
    }

    private mutating func readName() throws(JSONError) -> JSONSlice {
        if let quote = next, isQuote(quote) { return try readString() }
        guard syntax == .json5 else { throw error("expected a key in double quotes") }
        let start = offset
        if let first = next, !first.isDigit { skip(while: Self.nameBytes.contains) }
        guard offset > start else {
            throw error("expected a key in quotes, or of ASCII letters, digits, _ and $ that starts with no digit")
        }
        return .read(start..<offset)
    }

    private mutating func close(_ items: Items) {
        opening = items.outer
        depth -= 1
    }
}

// MARK: - Bytes

extension JSONReader {
    /// The byte to be read next; nil at the end of the text.
    var next: UInt8? { byte(at: offset) }

    func byte(at index: Int) -> UInt8? {
        index < bytes.count ? bytes[index] : nil
    }

    /// Goes past one ASCII character if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    mutating func skip(while belongs: (UInt8) -> Bool) {
        while let byte = next, belongs(byte) { offset += 1 }
    }

    mutating func skipWord(_ word: StaticString) throws(JSONError) {
        let start = offset
        for index in word.bytes.indices {
            guard next == word.bytes[index] else {
                throw JSONError(
                    offset: start, reason: "expected a value: a text in quotes, a number, true, false, null, [ or {")
            }
            offset += 1
        }
    }

    /// The bytes of a text that was read.
    @_lifetime(borrow self)
    package func text(_ slice: JSONSlice) -> Span<UInt8> {
        switch slice {
        case .read(let range): bytes.extracting(range)
        case .decoded(let range): decoded.bytes.extracting(range)
        }
    }

    /// A mistake at the next byte.
    func error(_ reason: String) -> JSONError {
        JSONError(offset: offset, reason: reason, opening: next == nil ? opening : nil)
    }

    func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || (syntax == .json5 && byte == UInt8(ascii: "'"))
    }

    private static let nameBytes = ByteSet.alphanumerics.union("_$")
}
