/// Base64 of RFC 4648, never broken into lines; padded, but where a text is said to have no padding.
package enum Base64: Sendable {
    /// Section 4: `+` and `/`. NOS and OSS use it.
    case standard
    /// Section 5: `-` and `_`. Qiniu uses it, and keeps the padding.
    case urlSafe

    /// How many characters `count` bytes become.
    package static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

    private var alphabet: StaticString {
        switch self {
        case .standard: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        case .urlSafe: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        }
    }

    /// Writes the base64 text of `bytes` at the end of `writer`.
    package func encode(_ bytes: Span<UInt8>, into writer: inout ByteWriter) {
        let characters = alphabet.bytes
        writer.append(length: Base64.length(of: bytes.count)) { out in
            var (source, target) = (0, 0)
            let lasts = (characters[62], characters[63])
            while source + ByteWord.length <= bytes.count {
                ByteWord(of: bytes, at: source).base64(lasts).store(into: &out, at: target)
                source += 6
                target += ByteWord.length
            }
            while source + 2 < bytes.count {
                let group = UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8 | UInt32(bytes[source + 2])
                out[target] = characters[Int(group >> 18)]
                out[target + 1] = characters[Int(group >> 12 & 63)]
                out[target + 2] = characters[Int(group >> 6 & 63)]
                out[target + 3] = characters[Int(group & 63)]
                source += 3
                target += 4
            }
            guard source < bytes.count else { return }
            let hasTwo = source + 1 < bytes.count
            let group = UInt32(bytes[source]) << 16 | (hasTwo ? UInt32(bytes[source + 1]) << 8 : 0)
            out[target] = characters[Int(group >> 18)]
            out[target + 1] = characters[Int(group >> 12 & 63)]
            out[target + 2] = hasTwo ? characters[Int(group >> 6 & 63)] : UInt8(ascii: "=")
            out[target + 3] = UInt8(ascii: "=")
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
        var bytes: [UInt8] = []
        bytes.reserveCapacity((text.count - padding) * 3 / 4)
        var bits: UInt32 = 0
        var held = 0
        for index in 0..<text.count - padding {
            guard let digit = value(of: text[index]) else { return nil }
            bits = bits << 6 | digit
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
                bits &= (1 << UInt32(held)) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }

    private func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+") where self == .standard, UInt8(ascii: "-") where self == .urlSafe: 62
        case UInt8(ascii: "/") where self == .standard, UInt8(ascii: "_") where self == .urlSafe: 63
        default: nil
        }
    }
}
