/// Percent-encoding of RFC 3986 over bytes.
package enum Percent {
    /// Appends `bytes` to `writer` with each `%XX` decoded and, if `plusIsSpace` (forms and queries), each `+` as a space.
    /// - Returns: false when a `%` is not followed by two hex digits; what has been appended is then to be thrown away.
    package static func decode(_ bytes: Span<UInt8>, plusIsSpace: Bool, into writer: inout ByteWriter) -> Bool {
        var isWhole = true
        // Nothing becomes longer by it.
        writer.append(atMost: bytes.count) { out in
            var (index, end) = (0, 0)
            while index < bytes.count {
                var byte = bytes[index]
                index += 1
                if byte == UInt8(ascii: "%") {
                    guard index + 1 < bytes.count, let high = Hex.value(of: bytes[index]),
                        let low = Hex.value(of: bytes[index + 1])
                    else {
                        isWhole = false
                        break
                    }
                    byte = high << 4 | low
                    index += 2
                } else if plusIsSpace && byte == UInt8(ascii: "+") {
                    byte = UInt8(ascii: " ")
                }
                out[end] = byte
                end += 1
            }
            return end
        }
        return isWhole
    }

    /// The text decoded; nil where it cannot be.
    package static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var out = ByteWriter(capacity: text.count)
        return decode(text.span, plusIsSpace: false, into: &out) ? out.array : nil
    }

    /// Appends `bytes` with everything as `%XX` in upper case but what is `plain`; a space is `%20`.
    package static func encode(
        _ bytes: Span<UInt8>, keeping plain: ByteSet = .unreserved, into writer: inout ByteWriter
    ) {
        let escapes = plain.countOfOthers(in: bytes)
        guard escapes > 0 else { return writer.append(bytes) }
        writer.append(length: bytes.count + 2 * escapes) { out in
            var end = 0
            for index in bytes.indices {
                let byte = bytes[index]
                if plain.contains(byte) {
                    out[end] = byte
                    end += 1
                } else {
                    out[end] = UInt8(ascii: "%")
                    out[end + 1] = digit(byte >> 4)
                    out[end + 2] = digit(byte & 15)
                    end += 3
                }
            }
        }
    }

    /// The text with everything encoded but what is unreserved.
    package static func encoded(_ text: [UInt8]) -> [UInt8] {
        var out = ByteWriter(capacity: text.count)
        encode(text.span, into: &out)
        return out.array
    }

    /// Appends one byte of what may be in a query as it is, or as `%XX`.
    package static func encode(_ byte: UInt8, into writer: inout ByteWriter) {
        if ByteSet.unreserved.contains(byte) { return writer.append(byte) }
        writer.append(UInt8(ascii: "%"))
        writer.append(digit(byte >> 4))
        writer.append(digit(byte & 15))
    }

    /// The byte that is encoded at `position`, which is moved behind it; nil at the end, and where no byte of `text` could be
    /// so encoded: `encode` writes each byte in one way only.
    package static func nextEncoded(
        _ position: inout Int, of text: Span<UInt8>, keeping plain: ByteSet = .unreserved
    ) -> UInt8? {
        guard position < text.count else { return nil }
        let first = text[position]
        if plain.contains(first) {
            position += 1
            return first
        }
        guard first == UInt8(ascii: "%"), position + 2 < text.count, let high = Hex.value(of: text[position + 1]),
            let low = Hex.value(of: text[position + 2])
        else { return nil }
        let byte = high << 4 | low
        guard text[position + 1] == digit(high), text[position + 2] == digit(low), !plain.contains(byte)
        else { return nil }
        position += 3
        return byte
    }

    private static func digit(_ four: UInt8) -> UInt8 {
        four < 10 ? UInt8(ascii: "0") + four : UInt8(ascii: "A") + four - 10
    }
}
