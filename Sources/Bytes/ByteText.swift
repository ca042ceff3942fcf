/// Comparing and showing bytes without going through Unicode: two names are equal when their bytes are.
extension Span where Element == UInt8 {
    package func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index + ByteWord.length <= count {
            if ByteWord(of: self, at: index) != ByteWord(of: other, at: index) { return false }
            index += ByteWord.length
        }
        while index < count {
            if self[index] != other[index] { return false }
            index += 1
        }
        return true
    }

    package func equals(_ other: [UInt8]) -> Bool { equals(other.span) }

    package func equals(_ text: StaticString) -> Bool { equals(text.bytes) }

    /// Equal but for the case of ASCII letters; `text` must be lower case. For header names and other HTTP tokens.
    package func equals(ignoringCase text: StaticString) -> Bool {
        let lower = text.bytes
        guard count == lower.count else { return false }
        for index in indices where self[index].lowercasedASCII != lower[index] { return false }
        return true
    }

    /// Equal but for the case of ASCII letters; `lower` must be lower case.
    package func equals(ignoringCaseOf lower: [UInt8]) -> Bool {
        guard count == lower.count else { return false }
        for index in indices where self[index].lowercasedASCII != lower[index] { return false }
        return true
    }

    /// Equal but for the case of ASCII letters.
    package func equals(ignoringCase other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index].lowercasedASCII != other[index].lowercasedASCII { return false }
        return true
    }

    /// Whether one of ASCII's control characters is among the bytes.
    package var hasControlCharacters: Bool { firstControlCharacter() != nil }

    /// The index of the first of ASCII's control characters from `start` on.
    package func firstControlCharacter(from start: Int = 0) -> Int? {
        var index = start
        while index + ByteWord.length <= count, !ByteWord(of: self, at: index).hasControlCharacters {
            index += ByteWord.length
        }
        if let last = lastWord(from: start, after: index), !last.hasControlCharacters { return nil }
        while index < count {
            if self[index] < 0x20 || self[index] == 0x7F { return index }
            index += 1
        }
        return nil
    }

    /// Whether a byte from `start` on cannot stand in a JSON string as it is.
    func hasJSONEscapes(from start: Int) -> Bool {
        guard count - start >= ByteWord.length else { return firstJSONEscape(from: start) != nil }
        var marks: UInt64 = 0
        var index = start
        while index + ByteWord.length < count {
            marks |= ByteWord(of: self, at: index).jsonEscapes
            index += ByteWord.length
        }
        // The last eight, some of which may have been looked at already.
        return marks | ByteWord(of: self, at: count - ByteWord.length).jsonEscapes != 0
    }

    /// The index from `start` on of the first byte that cannot stand in a JSON string as it is.
    func firstJSONEscape(from start: Int) -> Int? {
        var index = start
        while index < count {
            let byte = self[index]
            if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
            index += 1
        }
        return nil
    }

    /// The last word, some of which is before `index`; nil where a word can begin there, or there are too few bytes from `start` on.
    private func lastWord(from start: Int, after index: Int) -> ByteWord? {
        guard index + ByteWord.length > count, count - start >= ByteWord.length else { return nil }
        return ByteWord(of: self, at: count - ByteWord.length)
    }

    /// Whether all bytes are ASCII's.
    package var isASCII: Bool {
        var index = 0
        while index + ByteWord.length <= count, ByteWord(of: self, at: index).isASCII { index += ByteWord.length }
        while index < count, self[index] < 0x80 { index += 1 }
        return index == count
    }

    package func begins(with other: Span<UInt8>) -> Bool {
        count >= other.count && extracting(0..<other.count).equals(other)
    }

    package func begins(with text: StaticString) -> Bool { begins(with: text.bytes) }

    /// Whether the bytes come before the others in the order of signatures.
    package func precedes(_ other: Span<UInt8>) -> Bool {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
            return self[index] < other[index]
        }
        return count < other.count
    }

    package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        var index = start
        while index + ByteWord.length <= count {
            if let offset = ByteWord(of: self, at: index).firstIndex(of: byte) { return index + offset }
            index += ByteWord.length
        }
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    package var array: [UInt8] {
        // Unsafe: to copy from a pointer is quicker than to append; it is lent for the call.
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// The bytes as text, ill-formed UTF-8 replaced. Only for messages that people read.
    package var text: String { String(decoding: array, as: UTF8.self) }
}

extension UInt8 {
    package var lowercasedASCII: UInt8 { self >= 65 && self <= 90 ? self | 32 : self }
    package var uppercasedASCII: UInt8 { self >= 97 && self <= 122 ? self & ~32 : self }

    package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// Whether it is one of ASCII's 62.
    package var isLetterOrDigit: Bool { ByteSet.alphanumerics.contains(self) }

    /// Whether it is ASCII that shows: no space, no control character.
    package var isVisible: Bool { self > 0x20 && self < 0x7F }
}

extension Array where Element == UInt8 {
    package init(text: some StringProtocol) { self = Array(text.utf8) }

    package var text: String { String(decoding: self, as: UTF8.self) }

    package mutating func append(contentsOf bytes: Span<UInt8>) {
        // Unsafe: the standard library copies a run of bytes by pointer only; it is lent for the call.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Orders by bytes, as signatures and look-up tables need it.
    package func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}

extension Hasher {
    package mutating func combine(_ bytes: Span<UInt8>) {
        // Unsafe: the standard library hashes a run of bytes by pointer only; it is lent for the call.
        unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
    }

    /// The bytes and their count, so that several texts are not taken for others that are as long together.
    package mutating func combine(word bytes: [UInt8]) {
        combine(bytes.count)
        combine(bytes.span)
    }
}
