/// A set of bytes, such as the characters that a grammar allows: 256 bits, so that every byte is looked up in the same time.
package struct ByteSet: Sendable {
    private var bits = InlineArray<4, UInt64>(repeating: 0)

    package init(_ range: ClosedRange<UInt8>) {
        for byte in range { insert(byte) }
    }

    /// The ASCII characters of a range such as `"a"..."z"`.
    package init(_ range: ClosedRange<Unicode.Scalar>) {
        for byte in 0..<UInt8(0x80) where range.contains(Unicode.Scalar(byte)) { insert(byte) }
    }

    /// The bytes of a literal.
    package init(_ characters: StaticString) {
        let bytes = characters.bytes
        for index in bytes.indices { insert(bytes[index]) }
    }

    private mutating func insert(_ byte: UInt8) { bits[Int(byte >> 6)] |= 1 &<< UInt64(byte & 63) }

    package func union(_ other: ByteSet) -> ByteSet {
        var union = self
        for index in bits.indices { union.bits[index] |= other.bits[index] }
        return union
    }

    package func union(_ characters: StaticString) -> ByteSet { union(ByteSet(characters)) }

    package func subtracting(_ other: ByteSet) -> ByteSet {
        var rest = self
        for index in bits.indices { rest.bits[index] &= ~other.bits[index] }
        return rest
    }

    package func contains(_ byte: UInt8) -> Bool {
        // Constant indices: a loop keeps the words in registers.
        let word = byte < 128 ? (byte < 64 ? bits[0] : bits[1]) : (byte < 192 ? bits[2] : bits[3])
        return word &>> UInt64(byte & 63) & 1 == 1
    }

    package func contains(all text: Span<UInt8>) -> Bool {
        for index in text.indices where !contains(text[index]) { return false }
        return true
    }

    package func contains(all text: [UInt8]) -> Bool { contains(all: text.span) }

    /// How many bytes of `text` are none of these.
    package func countOfOthers(in text: Span<UInt8>) -> Int {
        var count = 0
        for index in text.indices where !contains(text[index]) { count += 1 }
        return count
    }

    /// Whether any byte of `text` is one of these.
    package func meets(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where contains(text[index]) { return true }
        return false
    }

    package func contains(all text: ArraySlice<UInt8>) -> Bool { contains(all: text.span) }

    /// Whether `text` is of these bytes alone, and as long as allowed.
    package func contains(all text: Span<UInt8>, length: ClosedRange<Int>) -> Bool {
        length.contains(text.count) && contains(all: text)
    }

    package func contains(all text: [UInt8], length: ClosedRange<Int>) -> Bool {
        contains(all: text.span, length: length)
    }

    package func contains(all text: ArraySlice<UInt8>, length: ClosedRange<Int>) -> Bool {
        contains(all: text.span, length: length)
    }
}

extension ByteSet: Hashable {
    package static func == (one: ByteSet, other: ByteSet) -> Bool {
        one.bits.indices.allSatisfy { one.bits[$0] == other.bits[$0] }
    }

    package func hash(into hasher: inout Hasher) {
        for index in bits.indices { hasher.combine(bits[index]) }
    }
}

extension ByteSet {
    package static let digits = ByteSet("0"..."9")
    package static let lowercase = ByteSet("a"..."z")
    package static let uppercase = ByteSet("A"..."Z")
    package static let alphanumerics = lowercase.union(uppercase).union(digits)
    package static let lowercaseHex = digits.union(ByteSet("a"..."f"))

    /// Letters, digits, `-` and `_`.
    package static let word = alphanumerics.union("-_")
    /// Letters, digits, `-`, `_` and `.`.
    package static let dottedWord = word.union(".")

    /// What labels of host names are made of (RFC 1123 section 2.1): letters, digits and hyphens.
    package static let label = alphanumerics.union("-")
    /// The same without capitals.
    package static let lowercaseLabel = label.subtracting(uppercase)

    /// `tchar` of RFC 9110 section 5.6.2: what methods and names of fields are made of.
    package static let token = alphanumerics.union("!#$%&'*+-.^_`|~")
    /// `restricted-name-chars` of RFC 6838 section 4.2: what types of media and their subtypes are made of.
    package static let mediaType = alphanumerics.union("!#$&-^_.+")

    /// `unreserved` of RFC 3986 section 2.3: what means the same whether percent-encoded or not.
    package static let unreserved = alphanumerics.union("-._~")
    /// The same with the slash between the segments of a path.
    package static let unreservedPath = unreserved.union("/")
    /// `reg-name` of RFC 3986 section 3.2.2: unreserved, percent, sub-delims.
    package static let registeredName = unreserved.union("%!$&'()*+,;=")
    /// What a path may hold (RFC 3986 section 3.3).
    package static let path = registeredName.union(":@/")
    /// What a path or query may hold (RFC 3986 sections 3.3 and 3.4). The characters `[ ] | ^ { } " < > \ `` ` that some clients
    /// leave unescaped in queries are not among them.
    package static let target = path.union("?")
}
