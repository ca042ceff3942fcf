import Bytes

/// The checksum that OSS keeps of every object, and that its SDKs compare: ECMA-182's polynomial, reflected (`CRC-64/XZ`).
struct CRC64 {
    private static let polynomial: UInt64 = 0xC96C_5795_D787_0F42

    /// For each of eight positions what a byte there comes to, so that eight bytes are taken at once.
    private static let tables: [UInt64] = {
        var tables = [UInt64](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var remainder = UInt64(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ polynomial : remainder >> 1 }
            tables[byte] = remainder
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    private var remainder = ~(0 as UInt64)

    var value: UInt64 { ~remainder }

    mutating func update(_ bytes: Span<UInt8>) {
        let tables = CRC64.tables.span
        var index = 0
        while index + 8 <= bytes.count {
            var word: UInt64 = 0
            for offset in 0..<8 { word |= UInt64(bytes[index + offset]) << UInt64(8 * offset) }
            word ^= remainder
            var next: UInt64 = 0
            for offset in 0..<8 { next ^= tables[(7 - offset) * 256 + Int(word >> UInt64(8 * offset) & 0xFF)] }
            remainder = next
            index += 8
        }
        while index < bytes.count {
            remainder = remainder >> 8 ^ tables[Int((remainder ^ UInt64(bytes[index])) & 0xFF)]
            index += 1
        }
    }

    /// The checksum of bytes of which the checksums of both halves are known.
    /// - Parameter count: bytes of the second half.
    static func joined(_ first: UInt64, _ second: UInt64, count: Int) -> UInt64 {
        // Zeros behind the first half are a linear map of its checksum: that of one bit, squared as often as it takes.
        var map = [polynomial] + (0..<63).map { 1 << UInt64($0) }
        // Of eight bits, which is a byte.
        for _ in 0..<3 { map = squared(map) }
        var (sum, rest) = (first, count)
        while rest > 0 {
            if rest & 1 == 1 { sum = apply(map, to: sum) }
            map = squared(map)
            rest >>= 1
        }
        return sum ^ second
    }

    private static func squared(_ map: [UInt64]) -> [UInt64] { map.map { apply(map, to: $0) } }

    private static func apply(_ map: [UInt64], to vector: UInt64) -> UInt64 {
        var (sum, rest) = (0 as UInt64, vector)
        for row in map where rest != 0 {
            if rest & 1 == 1 { sum ^= row }
            rest >>= 1
        }
        return sum
    }
}
