/// What a request asks with: decoded names and values in the order given, from a query, a form or a JSON object.
///
/// The storage is reused from request to request. Nothing is judged here but the encoding: whether a name is known, given
/// twice or of the right type is for the reader of the route's description.
package struct Parameters: ~Copyable {
    /// How a value was written, so that a number can be told from a string where the source can tell.
    package enum Form: Sendable { case text, string, number, boolean }

    /// Whether a value stood alone, or in a list or an object.
    package enum Nesting: Sendable {
        /// It is all that its name has, or one of several that were given one by one.
        case alone
        /// In a JSON array.
        case listed
        /// In a JSON object, where it has this name.
        case member(Range<Int>)
    }

    package struct Entry: Sendable {
        package let name: Range<Int>
        package let value: Range<Int>
        package let form: Form
        package let nesting: Nesting
    }

    package internal(set) var entries: [Entry] = []
    var arena = ByteWriter(capacity: 1024)

    package init() {}

    package mutating func reset() {
        entries.removeAll(keepingCapacity: true)
        arena.reset()
    }

    /// Gives back what an unusually large request has made grow.
    package mutating func trim() {
        if entries.capacity > 256 { entries = [] }
        arena.trim(above: 16 * 1024)
    }

    @_lifetime(borrow self)
    package func bytes(_ range: Range<Int>) -> Span<UInt8> { arena.bytes.extracting(range) }

    /// Reads `application/x-www-form-urlencoded` text: a query (without its `?`) or a form body (WHATWG URL 5.1).
    package mutating func read(form text: Span<UInt8>) throws(ParameterError) {
        var start = 0
        while start < text.count {
            let end = text.firstIndex(of: UInt8(ascii: "&"), from: start) ?? text.count
            if end > start { try read(pair: text.extracting(start..<end)) }
            start = end + 1
        }
    }

    /// Takes one name and value that need no decoding.
    package mutating func add(
        name: Span<UInt8>, value: Span<UInt8>, form: Form, nesting: Nesting = .alone
    ) throws(ParameterError) {
        let name = keep(name)
        try check(name: name)
        try append(name, keep(value), form, nesting)
    }

    /// Takes away what is given under `name`, if that is one entry.
    package mutating func take(_ name: StaticString) -> Entry? {
        let first = entries.firstIndex { bytes($0.name).equals(name) }
        guard let first, !entries[(first + 1)...].contains(where: { bytes($0.name).equals(name) }) else { return nil }
        return entries.remove(at: first)
    }

    /// Keeps bytes that were found elsewhere for as long as the parameters.
    package mutating func keep(_ bytes: Span<UInt8>) -> Range<Int> {
        let start = arena.count
        arena.append(bytes)
        return start..<arena.count
    }

    /// Keeps, for as long as the parameters, what the percent-encoded bytes at `range` stand for; they must be well encoded.
    package mutating func keep(decoding range: Range<Int>) -> Range<Int> {
        let start = arena.count
        let end = min(range.upperBound, start)
        var position = range.lowerBound
        while position < end {
            let byte = arena.bytes[position]
            position += 1
            if byte == UInt8(ascii: "%"), position + 1 < end, let high = Hex.value(of: arena.bytes[position]),
                let low = Hex.value(of: arena.bytes[position + 1])
            {
                arena.append(high << 4 | low)
                position += 2
            } else {
                arena.append(byte)
            }
        }
        return start..<arena.count
    }

    private mutating func read(pair: Span<UInt8>) throws(ParameterError) {
        let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.count
        let first = arena.count
        guard Percent.decode(pair.extracting(0..<equals), plusIsSpace: true, into: &arena) else {
            throw ParameterError(name: [], fault: .badEscape)
        }
        let middle = arena.count
        let value = pair.extracting(min(equals + 1, pair.count)..<pair.count)
        guard Percent.decode(value, plusIsSpace: true, into: &arena) else {
            throw ParameterError(name: bytes(first..<middle).array, fault: .badEscape)
        }
        try check(name: first..<middle)
        try append(first..<middle, middle..<arena.count, .text, .alone)
    }

    private func check(name: Range<Int>) throws(ParameterError) {
        guard UTF8Text.isWellFormed(bytes(name)) else { throw ParameterError(name: [], fault: .notUTF8) }
    }

    private mutating func append(
        _ name: Range<Int>, _ value: Range<Int>, _ form: Form, _ nesting: Nesting
    ) throws(ParameterError) {
        guard UTF8Text.isWellFormed(bytes(value)) else {
            throw ParameterError(name: bytes(name).array, fault: .notUTF8)
        }
        entries.append(Entry(name: name, value: value, form: form, nesting: nesting))
    }
}

/// Why the parameters of a request cannot be read.
package struct ParameterError: Error {
    package enum Fault: Sendable {
        case badEscape
        case notUTF8
        case notAnObject
        case unsupportedValue
        case json(JSONError)
    }
    /// The name concerned, empty when none could be read.
    package let name: [UInt8]
    package let fault: Fault

    package init(name: [UInt8], fault: Fault) {
        self.name = name
        self.fault = fault
    }
}
