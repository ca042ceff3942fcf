import Bytes

/// Bytes that nobody can foresee, drawn for one request.
package struct Nonce: Sendable {
    private let bytes: InlineArray<16, UInt8>

    package init(_ bytes: InlineArray<16, UInt8>) { self.bytes = bytes }

    /// A version 4 UUID (RFC 9562), 36 characters.
    package var uuid: [UInt8] {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = ByteWriter(capacity: 36)
        for (index, end) in [(0, 4), (4, 6), (6, 8), (8, 10), (10, 16)] {
            if index > 0 { text.append(UInt8(ascii: "-")) }
            Hex.encode(bytes.span.extracting(index..<end), into: &text)
        }
        return text.array
    }
}
