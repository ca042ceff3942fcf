import Bytes
import Testing

@Suite struct ByteSetTests {
    private static func named(_ set: ByteSet) -> String {
        String(decoding: (UInt8.min...UInt8.max).filter(set.contains), as: UTF8.self)
    }

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

    @Test func `a set has the bytes of its literal and no other`() {
        let set = ByteSet("az\u{0}~")
        for byte in UInt8.min...UInt8.max {
            #expect(set.contains(byte) == "az\u{0}~".utf8.contains(byte))
        }
    }

    @Test func `a range takes both its ends, at every word of the set`() {
        for (first, last) in [(0, 0), (63, 64), (0x21, 0x7E), (127, 128), (191, 192), (0, 255)] as [(UInt8, UInt8)] {
            let set = ByteSet(first...last)
            for byte in UInt8.min...UInt8.max { #expect(set.contains(byte) == (first...last).contains(byte)) }
        }
    }

    @Test func `sets are joined, and taken from one another`() {
        let set = ByteSet("0"..."3").union("x").union(ByteSet(0xFF...0xFF))
        #expect((UInt8.min...UInt8.max).filter(set.contains) == Array("0123x".utf8) + [0xFF])
        #expect(Self.named(ByteSet.lowercaseHex.subtracting(.digits)) == "abcdef")
    }

    @Test func `a text is of a set when all of it is, and of the length that is asked for`() {
        let text = Array("abc-9".utf8)
        #expect(ByteSet.label.contains(all: text) && ByteSet.label.contains(all: text.span))
        #expect(!ByteSet.alphanumerics.contains(all: text) && !ByteSet.alphanumerics.contains(all: text.span))
        #expect(ByteSet.label.contains(all: text, length: 5...5))
        #expect(!ByteSet.label.contains(all: text, length: 6...9) && !ByteSet.label.contains(all: text, length: 0...4))
        #expect(
            ByteSet.label.contains(all: [] as [UInt8]) && !ByteSet.label.contains(all: [] as [UInt8], length: 1...2))
    }

    @Test func `the named sets are those of their standards`() {
        let capitals = Self.letters
        let small = capitals.lowercased()
        #expect(Self.named(.token) == "!#$%&'*+-.0123456789\(capitals)^_`\(small)|~")
        #expect(Self.named(.mediaType) == "!#$&+-.0123456789\(capitals)^_\(small)")
        #expect(Self.named(.unreserved) == "-.0123456789\(capitals)_\(small)~")
        #expect(Self.named(.unreservedPath) == "-./0123456789\(capitals)_\(small)~")
        #expect(Self.named(.registeredName) == "!$%&'()*+,-.0123456789;=\(capitals)_\(small)~")
        #expect(Self.named(.path) == "!$%&'()*+,-./0123456789:;=@\(capitals)_\(small)~")
        #expect(Self.named(.target) == "!$%&'()*+,-./0123456789:;=?@\(capitals)_\(small)~")
        #expect(Self.named(.dottedWord) == "-.0123456789\(capitals)_\(small)")
        #expect(Self.named(.lowercaseLabel) == "-0123456789\(small)")
    }
}
