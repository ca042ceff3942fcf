/// Eight bytes of a text, looked at together: a quarter of the work of looking at one after the other.
struct ByteWord: Equatable {
    static let length = 8

    private let bits: UInt64

    /// - Parameter index: of the first; seven must follow.
    init(of text: Span<UInt8>, at index: Int) {
        // Unsafe: any eight bytes are an integer; that all of them are there is checked.
        bits = UInt64(littleEndian: unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The index of the first byte that is `byte`.
    func firstIndex(of byte: UInt8) -> Int? {
        let marks = ByteWord.marks(ofZeroIn: bits ^ ByteWord.ones &* UInt64(byte))
        return marks == 0 ? nil : marks.trailingZeroBitCount / 8
    }

    /// Whether one is below a space, or DEL.
    var hasControlCharacters: Bool {
        let below = (bits &- ByteWord.ones &* 0x20) & ~bits & ByteWord.tops
        return below | ByteWord.marks(ofZeroIn: bits ^ ByteWord.ones &* 0x7F) != 0
    }

    /// Whether one is a control character, a quote or a backslash.
    var hasJSONEscapes: Bool {
        hasControlCharacters
            || ByteWord.marks(ofZeroIn: bits ^ ByteWord.ones &* UInt64(UInt8(ascii: "\"")))
                | ByteWord.marks(ofZeroIn: bits ^ ByteWord.ones &* UInt64(UInt8(ascii: "\\"))) != 0
    }

    var isASCII: Bool { bits & ByteWord.tops == 0 }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// The top bit of each byte that is zero. Those above the first may be marked in error, since a subtraction borrows.
    private static func marks(ofZeroIn bits: UInt64) -> UInt64 { (bits &- ones) & ~bits & tops }
}
