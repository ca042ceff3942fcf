/// The only JSON reader of the service: strict, bounded, and exact about where a text is wrong.
///
/// It walks over the bytes once. Every look at the text goes through `next` or `byte(at:)`, which know where it ends.
package struct JSONReader: ~Escapable {
    let bytes: Span<UInt8>
    let syntax: JSONSyntax
    private let maximumDepth: Int
    private let maximumValues: Int
    var offset = 0
    private var values = 0
    /// Where the innermost array or object begins that is being read.
    private var opening: Int?
    /// Short names and values that were read lately, at slots by their length, first and last byte; none in a document below 64 KiB. In
    /// a document with many objects the same ones stand again and again, and have their bytes in common.
    private var recent: [[UInt8]]

    @_lifetime(copy bytes)
    private init(_ bytes: Span<UInt8>, as syntax: JSONSyntax, maximumDepth: Int, maximumValues: Int) {
        self.bytes = bytes
        self.syntax = syntax
        self.maximumDepth = maximumDepth
        self.maximumValues = maximumValues
        recent = Array(repeating: [], count: bytes.count < 1 << 16 ? 0 : 256)
    }

    /// Reads a text that is exactly one value, with white space around it.
    ///
    /// Beyond the grammar it asks for strict UTF-8 without a byte order mark, names that occur once in their object, and
    /// escapes that are whole characters (RFC 8259 sections 4, 8.1 and 8.2 leave these open).
    ///
    /// - Parameters:
    ///   - bytes: the whole text.
    ///   - syntax: the language it is written in.
    ///   - maximumDepth: how many arrays and objects may be open at once. Reading and releasing recurse this deep, so it
    ///     is a constant of the caller, never a number from outside.
    ///   - maximumValues: how many values there may be in all, at every level.
    /// - Returns: the value, which keeps nothing of `bytes` alive.
    /// - Throws: `JSONError` for the first mistake; one in the UTF-8 comes before all others.
    package static func read(
        _ bytes: Span<UInt8>, as syntax: JSONSyntax, maximumDepth: Int = 32, maximumValues: Int = 100_000
    ) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes, as: syntax, maximumDepth: maximumDepth, maximumValues: maximumValues)
        try reader.checkEncoding()
        try reader.skipSpace()
        let value = try reader.readValue(depth: 0)
        try reader.skipSpace()
        guard reader.next == nil else { throw reader.error("the text must end after its value") }
        return value
    }

    package static func read(
        _ bytes: [UInt8], as syntax: JSONSyntax, maximumDepth: Int = 32, maximumValues: Int = 100_000
    ) throws(JSONError) -> JSONValue {
        try read(bytes.span, as: syntax, maximumDepth: maximumDepth, maximumValues: maximumValues)
    }
}

// MARK: - Values

extension JSONReader {
    private mutating func readValue(depth: Int) throws(JSONError) -> JSONValue {
        let start = offset
        guard values < maximumValues else { throw error("a text may have at most \(maximumValues) values") }
        values += 1
        return JSONValue(offset: start, content: try readContent(depth: depth))
    }

    private mutating func readContent(depth: Int) throws(JSONError) -> JSONValue.Content {
        switch next {
        case UInt8(ascii: "{"):
            return .object(try readMembers(depth: depth))
        case UInt8(ascii: "["):
            return .array(try readElements(depth: depth))
        case UInt8(ascii: "t"):
            try skipWord("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try skipWord("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try skipWord("null")
            return .null
        case let byte? where isQuote(byte):
            return .string(try readString(endingWith: byte))
        default:
            return .number(try readNumber())
        }
    }

    private mutating func readElements(depth: Int) throws(JSONError) -> [JSONValue] {
        let outer = opening
        try open(depth: depth)
        defer { opening = outer }
        var elements: [JSONValue] = []
        while try findItem(before: "]", isFirst: elements.isEmpty) {
            elements.append(try readValue(depth: depth + 1))
        }
        return elements
    }

    private mutating func readMembers(depth: Int) throws(JSONError) -> [JSONMember] {
        let outer = opening
        try open(depth: depth)
        defer { opening = outer }
        var members: [JSONMember] = []
        var names: Set<[UInt8]> = []
        // Most objects have two or more.
        members.reserveCapacity(4)
        while try findItem(before: "}", isFirst: members.isEmpty) {
            let nameOffset = offset
            let name = try readName()
            guard Self.isNew(name, among: members, &names) else {
                throw JSONError(offset: nameOffset, reason: "a key must occur only once", key: name)
            }
            try skipSpace()
            guard take(":") else { throw error("expected a colon after the key") }
            try skipSpace()
            members.append(JSONMember(name: name, nameOffset: nameOffset, value: try readValue(depth: depth + 1)))
        }
        return members
    }

    private mutating func readName() throws(JSONError) -> [UInt8] {
        if let quote = next, isQuote(quote) { return try readString(endingWith: quote) }
        guard syntax == .json5 else { throw error("expected a key in double quotes") }
        let start = offset
        if let first = next, !first.isDigit { skip(while: Self.nameBytes.contains) }
        guard offset > start else {
            throw error("expected a key in quotes, or of ASCII letters, digits, _ and $ that starts with no digit")
        }
        return copy(from: start)
    }

    /// Remembers a name. A few are compared one by one, many through a set, so that no object takes quadratic time.
    private static func isNew(_ name: [UInt8], among members: [JSONMember], _ names: inout Set<[UInt8]>) -> Bool {
        let few = 8
        guard members.count >= few else { return !members.contains { $0.name == name } }
        if members.count == few { names = Set(members.map(\.name)) }
        // Whenever it grows, all names are hashed again.
        if names.count == names.capacity { names.reserveCapacity(names.count * 8) }
        return names.insert(name).inserted
    }

    /// Goes past the bracket of an array or object that stands inside `depth` others.
    private mutating func open(depth: Int) throws(JSONError) {
        guard depth < maximumDepth else { throw error("arrays and objects may be at most \(maximumDepth) deep") }
        opening = offset
        offset += 1
    }

    /// Goes to the next item of an array or object, or past its closing bracket if there is none.
    private mutating func findItem(before bracket: Unicode.Scalar, isFirst: Bool) throws(JSONError) -> Bool {
        try skipSpace()
        if take(bracket) { return false }
        if isFirst { return true }
        guard take(",") else {
            throw JSONError(offset: offset, reason: "expected a comma or \(bracket)", opening: opening)
        }
        try skipSpace()
        return !(syntax == .json5 && take(bracket))
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

    mutating func skipWord(_ word: String) throws(JSONError) {
        let start = offset
        for expected in word.utf8 {
            guard next == expected else {
                throw JSONError(
                    offset: start, reason: "expected a value: a text in quotes, a number, true, false, null, [ or {")
            }
            offset += 1
        }
    }

    /// The bytes from `start` up to the next one.
    mutating func copy(from start: Int) -> [UInt8] {
        let text = bytes.extracting(start..<offset)
        guard !recent.isEmpty, (1...32).contains(text.count) else { return text.array }
        let slot = (text.count &* 37 &+ Int(text[0]) &* 5 &+ Int(text[text.count - 1])) % recent.count
        if !text.equals(recent[slot]) { recent[slot] = text.array }
        return recent[slot]
    }

    /// A mistake at the next byte.
    func error(_ reason: String) -> JSONError {
        JSONError(offset: offset, reason: reason, opening: next == nil ? opening : nil)
    }

    private func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || (syntax == .json5 && byte == UInt8(ascii: "'"))
    }

    private static let nameBytes = ByteSet.alphanumerics.union("_$")
}
