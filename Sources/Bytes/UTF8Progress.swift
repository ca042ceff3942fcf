/// How far a text that comes byte by byte is well-formed UTF-8 (Unicode 15, table 3-7).
package struct UTF8Progress {
    /// How many bytes the character that has begun still needs.
    private var missing = 0
    /// What its next byte may be.
    private var bounds: ClosedRange<UInt8> = 0x80...0xBF

    package init() {}

    /// Whether no character has begun and not ended.
    package var isWhole: Bool { missing == 0 }

    /// Takes the next byte.
    /// - Returns: false when it cannot stand there.
    package mutating func take(_ byte: UInt8) -> Bool {
        guard missing == 0 else {
            guard bounds.contains(byte) else { return false }
            missing -= 1
            bounds = 0x80...0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, bounds) = (2, 0xA0...0xBF)
        case 0xED: (missing, bounds) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, bounds) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, bounds) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
