// Values of a whole text.
extension JSONReader {
    /// Reads a text that is exactly one value, with white space around it.
    /// - Parameters: as at `init`.
    /// - Returns: the value, which keeps nothing of `bytes` alive.
    /// - Throws: `JSONError` for the first mistake; one in the UTF-8 comes before all others.
    package static func read(
        _ bytes: Span<UInt8>, as syntax: JSONSyntax, maximumDepth: Int = 32, maximumValues: Int = 100_000
    ) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes, as: syntax, maximumDepth: maximumDepth, maximumValues: maximumValues)
        var recent = JSONTextCache(forBytes: bytes.count)
        try reader.start()
        let value = try reader.readValue(&recent)
        try reader.finish()
        return value
    }

    package static func read(
        _ bytes: [UInt8], as syntax: JSONSyntax, maximumDepth: Int = 32, maximumValues: Int = 100_000
    ) throws(JSONError) -> JSONValue {
        try read(bytes.span, as: syntax, maximumDepth: maximumDepth, maximumValues: maximumValues)
    }

    private mutating func readValue(_ recent: inout JSONTextCache) throws(JSONError) -> JSONValue {
        let start = offset
        return JSONValue(offset: start, content: try readContent(&recent))
    }

    private mutating func readContent(_ recent: inout JSONTextCache) throws(JSONError) -> JSONValue.Content {
        switch try beginValue() {
        case .object: return .object(try readMembers(&recent))
        case .array: return .array(try readElements(&recent))
        case .string:
            let start = decoded.count
            let text = recent.array(text(try readString()))
            decoded.truncate(to: start)
            return .string(text)
        case .number: return .number(JSONNumber(text: recent.array(text(try readNumber()))))
        case .boolean: return .boolean(text(try readBoolean()).equals("true"))
        case .null:
            try skipNull()
            return .null
        }
    }

    private mutating func readElements(_ recent: inout JSONTextCache) throws(JSONError) -> [JSONValue] {
        var array = try open("]")
        var elements: [JSONValue] = []
        while try findItem(of: &array) { elements.append(try readValue(&recent)) }
        return elements
    }

    private mutating func readMembers(_ recent: inout JSONTextCache) throws(JSONError) -> [JSONMember] {
        let start = decoded.count
        var object = try open("}")
        var members: [JSONMember] = []
        // Most objects have two or more.
        members.reserveCapacity(4)
        while let name = try readName(in: &object) {
            let text = recent.array(text(name))
            members.append(
                JSONMember(name: text, nameOffset: object.newest ?? offset, value: try readValue(&recent)))
        }
        decoded.truncate(to: start)
        return members
    }
}

/// Short names and values that were read lately, at slots by their length, first and last byte. In a long document with many
/// objects the same ones stand again and again, and have their bytes in common.
private struct JSONTextCache {
    /// None for a document below 64 KiB.
    private var texts: [[UInt8]]

    init(forBytes count: Int) {
        texts = Array(repeating: [], count: count < 1 << 16 ? 0 : 256)
    }

    mutating func array(_ text: Span<UInt8>) -> [UInt8] {
        guard !texts.isEmpty, (1...32).contains(text.count) else { return text.array }
        let slot = (text.count &* 37 &+ Int(text[0]) &* 5 &+ Int(text[text.count - 1])) % texts.count
        if !text.equals(texts[slot]) { texts[slot] = text.array }
        return texts[slot]
    }
}
