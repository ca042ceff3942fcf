/// Eight bytes of a text, looked at together: a quarter of the work of looking at one after the other.
struct ByteWord: Equatable {
    static let length = 8

    /// The first byte is the lowest.
    private let bits: UInt64

    private init(bits: UInt64) { self.bits = bits }

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
    var hasControlCharacters: Bool { controlCharacters != 0 }

    private var controlCharacters: UInt64 {
        let below = (bits &- ByteWord.ones &* 0x20) & ~bits & ByteWord.tops
        return below | ByteWord.marks(ofZeroIn: bits ^ ByteWord.ones &* 0x7F)
    }

    /// Not zero where one is a control character, a quote or a backslash.
    var jsonEscapes: UInt64 {
        controlCharacters | ByteWord.marks(ofZeroIn: bits ^ ByteWord.ones &* UInt64(UInt8(ascii: "\"")))
            | ByteWord.marks(ofZeroIn: bits ^ ByteWord.ones &* UInt64(UInt8(ascii: "\\")))
    }

    var isASCII: Bool { bits & ByteWord.tops == 0 }

    /// Six of its bytes as eight characters of base64.
    /// - Parameter pairs: the two characters of each twelve bits, the first of them in the lower byte.
    func base64(_ pairs: Span<UInt16>) -> ByteWord {
        let digits = bits.byteSwapped
        let low = UInt64(pairs[Int(digits >> 52)]) | UInt64(pairs[Int(digits >> 40 & 0xFFF)]) << 16
        let high = UInt64(pairs[Int(digits >> 28 & 0xFFF)]) | UInt64(pairs[Int(digits >> 16 & 0xFFF)]) << 16
        return ByteWord(bits: high << 32 | low)
    }

    /// Four of its bytes as eight hexadecimal digits.
    var hex: ByteWord {
        var digits = bits.byteSwapped >> 32
        digits = (digits & 0xFFFF_0000) << 16 | digits & 0xFFFF
        digits = (digits & 0xFF00_0000_FF00) << 8 | digits & 0x00FF_0000_00FF
        digits = (digits & 0x00F0_00F0_00F0_00F0) << 4 | digits & 0x000F_000F_000F_000F
        let text = digits &+ ByteWord.ones &* 0x30 &+ ByteWord.marks(ofAtLeast: 10, in: digits) &* 39
        return ByteWord(bits: text.byteSwapped)
    }

    /// Writes it over the eight bytes that begin at an index.
    func store(into room: inout MutableSpan<UInt8>, at index: Int) {
        // Unsafe: any eight bytes are an integer; that there is room for all of them is checked.
        var bytes = unsafe room.mutableBytes
        bytes.storeBytes(of: bits.littleEndian, toByteOffset: index, as: UInt64.self)
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// One in each byte that is `least` or more; all are less than 128.
    private static func marks(ofAtLeast least: UInt64, in bits: UInt64) -> UInt64 {
        ((bits &+ ones &* (128 &- least)) & tops) >> 7
    }

    /// The top bit of each byte that is zero. Those above the first may be marked in error, since a subtraction borrows.
    private static func marks(ofZeroIn bits: UInt64) -> UInt64 { (bits &- ones) & ~bits & tops }
}
