import Bytes

/// What changes from request to request without anybody asking for it: the time, and chance. It is read once for a request.
package struct Moment: ~Copyable {
    /// Seconds since 1970.
    package let unixSeconds: Int64
    private let random: InlineArray<16, UInt8>

    /// - Parameter random: bytes that nobody can foresee, used for this request only.
    package init(unixSeconds: Int64, random: InlineArray<16, UInt8>) {
        self.unixSeconds = unixSeconds
        self.random = random
    }

    /// `2026-11-20T…Z`.
    var date: [UInt8] { ISO8601.write(unixSeconds) }

    /// A version 4 UUID (RFC 9562), 36 characters.
    package var uuid: [UInt8] {
        var bytes = random
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
