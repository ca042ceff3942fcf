/// Base64 of RFC 4648, never broken into lines; padded, but where a text is said to have no padding.
package enum Base64: Sendable {
    /// Section 4: `+` and `/`. NOS and OSS use it.
    case standard
    /// Section 5: `-` and `_`. Qiniu uses it, and keeps the padding.
    case urlSafe

    /// How many characters `count` bytes become.
    package static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

    private var alphabet: Base64Alphabet {
        switch self {
        case .standard: .standard
        case .urlSafe: .urlSafe
        }
    }

    /// Writes the base64 text of `bytes` at the end of `writer`.
    package func encode(_ bytes: Span<UInt8>, into writer: inout ByteWriter) {
        let alphabet = alphabet
        let pairs = alphabet.pairs.span
        writer.append(length: Base64.length(of: bytes.count)) { out in
            var (source, target) = (0, 0)
            while source + ByteWord.length <= bytes.count {
                ByteWord(of: bytes, at: source).base64(pairs).store(into: &out, at: target)
                source += 6
                target += ByteWord.length
            }
            while source < bytes.count {
                let rest = min(bytes.count - source, 3)
                var group = 0
                for index in 0..<3 { group = group << 8 | (index < rest ? Int(bytes[source + index]) : 0) }
                let characters = UInt32(pairs[group >> 12]) | UInt32(pairs[group & 0xFFF]) << 16
                for index in 0..<4 {
                    out[target + index] =
                        index <= rest ? UInt8(truncatingIfNeeded: characters >> UInt32(8 * index)) : UInt8(ascii: "=")
                }
                source += rest
                target += 4
            }
        }
    }

    /// The base64 text of `bytes`, for use off the hot path.
    package func encode(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](atMost: Base64.length(of: bytes.count)) {
            encode(bytes.span, into: &$0)
        }
    }

    /// The bytes that `text` stands for, or nil when it is not the one canonical spelling: wrong alphabet, missing
    /// padding, white space, or left-over bits that are not zero.
    /// - Parameter padded: whether there is padding where there can be, or none at all, as in RFC 7515.
    package func decode(_ text: Span<UInt8>, padded: Bool = true) -> [UInt8]? {
        guard padded ? text.count % 4 == 0 : text.count % 4 != 1 else { return nil }
        var padding = 0
        while padded, padding < min(2, text.count), text[text.count - 1 - padding] == UInt8(ascii: "=") { padding += 1 }
        let end = text.count - padding
        let alphabet = alphabet
        let values = alphabet.values.span
        var bytes = [UInt8](repeating: 0, count: end * 3 / 4)
        var out = bytes.mutableSpan
        // All values together have a bit beyond six where one of the characters is not of the alphabet.
        var (source, target, union) = (0, 0, UInt32(0))
        while source + 4 <= end {
            let (first, second) = (UInt32(values[Int(text[source])]), UInt32(values[Int(text[source + 1])]))
            let (third, fourth) = (UInt32(values[Int(text[source + 2])]), UInt32(values[Int(text[source + 3])]))
            union |= first | second | third | fourth
            let group = first << 18 | second << 12 | third << 6 | fourth
            out[target] = UInt8(truncatingIfNeeded: group >> 16)
            out[target + 1] = UInt8(truncatingIfNeeded: group >> 8)
            out[target + 2] = UInt8(truncatingIfNeeded: group)
            source += 4
            target += 3
        }
        // Two or three characters are left, for a byte or two, or none.
        let spareBits = (end - source) * 6 % 8
        var group: UInt32 = 0
        while source < end {
            let value = UInt32(values[Int(text[source])])
            union |= value
            group = group << 6 | value
            source += 1
        }
        guard union <= Base64Alphabet.lastValue, group & (1 << UInt32(spareBits) - 1) == 0 else { return nil }
        group >>= UInt32(spareBits)
        while target < out.count {
            out[target] = UInt8(truncatingIfNeeded: group >> UInt32(8 * (out.count - target - 1)))
            target += 1
        }
        return bytes
    }
}

/// The characters of base64, as they are looked up.
private struct Base64Alphabet: Sendable {
    /// The two characters of each twelve bits, the first of them in the lower byte.
    let pairs: [UInt16]
    /// What each character stands for; more than `lastValue` where that is nothing.
    let values: [UInt8]

    static let lastValue: UInt32 = 63

    static let standard = Base64Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    static let urlSafe = Base64Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    private init(_ text: String) {
        let characters = Array(text.utf8)
        pairs = characters.flatMap { first in characters.map { UInt16($0) << 8 | UInt16(first) } }
        var values = [UInt8](repeating: .max, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
    }
}
