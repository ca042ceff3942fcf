/// Hexadecimal text: two digits a byte, written in lower case, read in either.
package enum Hex {
    package static func encode(_ bytes: Span<UInt8>, into writer: inout ByteWriter) {
        writer.append(length: bytes.count * 2) { room in
            var index = 0
            while index + ByteWord.length <= bytes.count {
                ByteWord(of: bytes, at: index).hex.store(into: &room, at: 2 * index)
                index += 4
            }
            for index in index..<bytes.count {
                room[2 * index] = digit(bytes[index] >> 4)
                room[2 * index + 1] = digit(bytes[index] & 15)
            }
        }
    }

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](atMost: bytes.count * 2) {
            encode(bytes.span, into: &$0)
        }
    }

    /// The bytes that `text` stands for, or nil when its length is odd or a character is no hex digit.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(of: text[index]), let low = value(of: text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The four bits that a hex digit stands for.
    package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func digit(_ four: UInt8) -> UInt8 {
        four < 10 ? UInt8(ascii: "0") + four : UInt8(ascii: "a") + four - 10
    }
}
