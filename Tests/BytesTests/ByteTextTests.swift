import Foundation
import TestTraits
import Testing

@testable import Bytes

@Suite struct ByteTextTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `a writer grows, and keeps its storage over a reset`() {
        var writer = ByteWriter(capacity: 1)
        for byte in 0..<200 { writer.append(UInt8(byte)) }
        #expect(writer.array == (0..<200).map { UInt8($0) })
        writer.reset()
        let isEmpty = writer.isEmpty
        #expect(isEmpty)
        writer.append("abc")
        writer.append(copyOf: 1..<3)
        writer.append(copyOf: 2..<9)
        #expect(writer.array == bytes("abcbc"), "a range that is not there is not copied")
        let over = bytes("XYZ")
        writer.overwrite(at: 4, with: over.span)
        #expect(writer.array == bytes("abcbc"), "nothing is written that would not fit")
        writer.overwrite(at: 2, with: over.span)
        #expect(writer.array == bytes("abXYZ"))
        writer.truncate(to: 2)
        #expect(writer.array == bytes("ab"))
    }

    @Test(arguments: [0, 1, 4, 5, 300]) func `an array is made of what is written, also of more than was said`(
        _ length: Int
    ) {
        let text = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        #expect([UInt8](atMost: 4) { $0.append(text) } == text)
        #expect([UInt8](atMost: 0) { $0.append(text) } == text)
    }

    @Test(arguments: [
        (0, "0"), (7, "7"), (10, "10"), (-1, "-1"), (1_795_158_947, "1795158947"), (Int64.max, "9223372036854775807"),
        (Int64.min, "-9223372036854775808"), (9_007_199_254_740_993, "9007199254740993"),
    ])
    func `a number is written in decimal`(value: Int64, text: String) {
        var writer = ByteWriter(capacity: 1)
        writer.append(decimal: value)
        #expect(writer.array == bytes(text))
    }

    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 is the RFC's in both directions`(plain: String, encoded: String) {
        #expect(Base64.standard.encode(bytes(plain)) == bytes(encoded))
        #expect(Base64.urlSafe.encode(bytes(plain)) == bytes(encoded))
        let decoded = Base64.standard.decode(bytes(encoded).span)
        #expect(decoded == bytes(plain))
    }

    /// Eight characters are made at a time where there is enough to read.
    @Test(arguments: 0...40)
    func `base64 and hex of texts of all lengths are what the system makes of them`(length: Int) {
        for start in 0..<256 where Rounds.takes(length + start) {
            let plain = (0..<length).map { UInt8(truncatingIfNeeded: start &+ $0 &* 89) }
            let encoded = Data(plain).base64EncodedString()
            #expect(Base64.standard.encode(plain) == bytes(encoded))
            let urlSafe = encoded.replacing("+", with: "-").replacing("/", with: "_")
            #expect(Base64.urlSafe.encode(plain) == bytes(urlSafe))
            #expect(Hex.encode(plain) == bytes(plain.map { String(format: "%02x", $0) }.joined()))
        }
    }

    @Test(arguments: 1...26) func `what cannot stand in a text as it is is found wherever it stands`(length: Int) {
        for (byte, isEscape, isControl) in [
            (UInt8(0), true, true), (0x1F, true, true), (0x7F, true, true), (0x22, true, false), (0x5C, true, false),
            (0x20, false, false), (0x80, false, false), (0xFF, false, false),
        ] {
            for position in 0..<length {
                var text = [UInt8](repeating: 0x61, count: length)
                text[position] = byte
                for start in 0...length {
                    let found = position >= start ? position : nil
                    let (escape, control) = (
                        text.span.firstJSONEscape(from: start), text.span.firstControlCharacter(from: start)
                    )
                    #expect(escape == (isEscape ? found : nil) && control == (isControl ? found : nil))
                    #expect(text.span.hasJSONEscapes(from: start) == (escape != nil))
                }
            }
        }
    }

    @Test func `the two alphabets differ in their last two characters`() {
        #expect(Base64.standard.encode([0xFB, 0xFF, 0xBF]) == bytes("+/+/"))
        #expect(Base64.urlSafe.encode([0xFB, 0xFF, 0xBF]) == bytes("-_-_"))
        let crossed = [Base64.urlSafe.decode(bytes("+/+/").span), Base64.standard.decode(bytes("-_-_").span)]
        #expect(crossed == [nil, nil])
    }

    @Test(arguments: ["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm9v\n", " Zm9v", "Zm9v=", "=Zm9"])
    func `base64 that is not canonical is refused`(text: String) {
        let decoded = Base64.standard.decode(bytes(text).span)
        #expect(decoded == nil)
    }

    @Test(arguments: [("", ""), ("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob")])
    func `base64 may be without padding where it is said to be`(text: String, plain: String) {
        let decoded = Base64.urlSafe.decode(bytes(text).span, padded: false)
        #expect(decoded == bytes(plain))
    }

    @Test(arguments: ["Z", "Zg=", "Zg==", "Zh", "Zm9", "Zm9vY", "Zm9v\n", " Zm9v", "Zm+v", "Zm/v", "Zm.v", "Zm9v="])
    func `base64 without padding that is not canonical is refused`(text: String) {
        let decoded = Base64.urlSafe.decode(bytes(text).span, padded: false)
        #expect(decoded == nil)
    }

    @Test func `all byte values survive base64 and hex`() {
        let all = (0...255).map { UInt8($0) }
        for length in 0..<all.count {
            let part = Array(all.prefix(length))
            let back = (Base64.urlSafe.decode(Base64.urlSafe.encode(part).span), Hex.decode(Hex.encode(part).span))
            #expect(back.0 == part)
            #expect(back.1 == part)
        }
        let bad = [Hex.decode(bytes("a").span), Hex.decode(bytes("0g").span), Hex.decode(bytes("+1").span)]
        #expect(bad == [nil, nil, nil])
        let mixed = Hex.decode(bytes("aAfF09").span)
        #expect(mixed == [0xAA, 0xFF, 0x09])
    }

    @Test(arguments: [
        ("a%20b", "a b"), ("a+b", "a b"), ("%41%2b%2B", "A++"), ("%E4%B8%AD", "中"), ("", ""), ("%25", "%"),
        ("%00", "\0"),
    ])
    func `percent-encoding of forms is decoded`(text: String, plain: String) {
        var writer = ByteWriter()
        let done = Percent.decode(bytes(text).span, plusIsSpace: true, into: &writer)
        #expect(done)
        #expect(writer.array == bytes(plain))
    }

    @Test(arguments: ["%", "%4", "a%", "%zz", "%4g", "%+1", "% 1", "%%41"])
    func `a percent without two hex digits is refused`(text: String) {
        var writer = ByteWriter()
        let done = Percent.decode(bytes(text).span, plusIsSpace: true, into: &writer)
        #expect(!done)
    }

    @Test func `percent-encoding keeps letters, digits and the marks it is given`() throws {
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        for marks in ["", "-._~", "/*"] as [StaticString] {
            for byte in UInt8.min...UInt8.max {
                let isKept = letters.contains(byte) || marks.description.utf8.contains(byte)
                let hex = String(byte, radix: 16, uppercase: true)
                let encoded = isKept ? [byte] : bytes("%" + (hex.count == 1 ? "0" : "") + hex)
                var writer = ByteWriter(capacity: 1)
                Percent.encode([0x61, byte, 0x62].span, keeping: .alphanumerics.union(marks), into: &writer)
                #expect(writer.array == [0x61] + encoded + [0x62])
            }
        }
    }

    @Test func `percent-encoding is undone by decoding`() {
        var encoded = ByteWriter(capacity: 0)
        let all = (0...255).map { UInt8($0) }
        Percent.encode(all.span, into: &encoded)
        var decoded = ByteWriter(capacity: 0)
        let done = Percent.decode(encoded.bytes, plusIsSpace: true, into: &decoded)
        #expect(done && decoded.array == all)
    }

    @Test func `a byte knows what it is`() {
        for byte in UInt8.min...UInt8.max {
            let scalar = Unicode.Scalar(byte)
            let (isLower, isUpper) = (("a"..."z").contains(scalar), ("A"..."Z").contains(scalar))
            #expect(byte.isDigit == ("0"..."9").contains(scalar))
            #expect(byte.isLetterOrDigit == (isLower || isUpper || byte.isDigit))
            #expect(byte.isVisible == (scalar > " " && scalar < "\u{7F}"))
            #expect(byte.uppercasedASCII == (isLower ? byte - 32 : byte))
            #expect(byte.lowercasedASCII == (isUpper ? byte + 32 : byte))
        }
    }

    @Test func `what would begin a line or speak to a terminal is written out, and nothing else`() {
        #expect("a\nb\u{1B}[2J\u{9B}\u{202E}\u{2028}\u{7F}".visible == #"a\u{a}b\u{1b}[2J\u{9b}\u{202e}\u{2028}\u{7f}"#)
        let plain = #"é中🦊 "quoted" \back C:\u ~"#
        #expect(plain.visible == plain)
    }

    @Test func `JSON strings escape what must be, and nothing else`() {
        var writer = ByteWriter()
        writer.append(jsonString: bytes("a/b\"c\\d\n\r\t\u{1}\u{7F}中🦊"))
        #expect(writer.array.text == "\"a/b\\\"c\\\\d\\n\\r\\t\\u0001\\u007f中🦊\"")
    }

    @Test func `JSON strings escape every byte alike, wherever it stands`() {
        for byte in UInt8.min...UInt8.max {
            for index in 0..<20 {
                var text = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
                text[index] = byte
                let isPlain = byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                var writer = ByteWriter()
                writer.append(jsonString: text)
                let inside = Array(writer.array.dropFirst().dropLast())
                #expect((inside == text) == isPlain, "\(byte) at \(index)")
                #expect(inside.starts(with: text[..<index]) && inside.reversed().starts(with: text[(index + 1)...]))
            }
        }
    }

    @Test(arguments: [
        ("{ \"b\" : [ 1.50 , -0, 1E3, null ], \"a\":{}, \"\":[] }", "{\"b\":[1.50,-0,1E3,null],\"a\":{},\"\":[]}"),
        ("\"\\u0041\\n\\/é\"", "\"A\\n/é\""), (" true ", "true"), ("false", "false"),
    ])
    func `JSON values are written as they were read, without white space`(text: String, written: String) throws {
        var writer = ByteWriter()
        writer.append(json: try JSONReader.read(Array(text.utf8), as: .json))
        #expect(writer.array.text == written)
    }

    @Test func `equality is of bytes, not of characters`() {
        let composed = bytes("é")
        let decomposed = bytes("e\u{301}")
        let kelvin = bytes("\u{212A}")
        let equal = (
            composed.span.equals(decomposed), kelvin.span.equals(ignoringCase: "k"),
            bytes("HoSt").span.equals(ignoringCase: "host")
        )
        #expect(equal == (false, false, true))
    }

    @Test(
        arguments: [
            ("kez", "key"), ("Key", "key"), ("bukcet", "bucket"), ("kye", "key"), ("expire", "expires"),
            ("ubkcet", "bucket"), ("ubkcte", nil), ("zzzzzz", nil), ("", nil), (String(repeating: "k", count: 65), nil),
        ] as [(String, String?)])
    func `the nearest name is named when it is near`(given: String, nearest: String?) {
        #expect(NearestName.of(given, among: ["bucket", "key", "expires"]) == nearest)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.1.2", true), ("10.0.0.1", false), ("0.0.0.0", false), ("::1", true),
        ("::", false),
        ("::ffff:127.0.0.1", true), ("2001:db8::1", false), ("1:2:3:4:5:6:7:8", false),
    ])
    func `addresses are read and loopback is known`(text: String, isLoopback: Bool) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", "localhost", "127.0.0", "127.0.0.1.1", "256.0.0.1", "01.2.3.4", "+1.2.3.4", "1.2.3.4 ", ":", ":::",
        "1::2::3",
        "12345::", "g::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1%eth0", "[::1]", "1.2.3.4::",
    ])
    func `what is no address is refused`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("0:0:0:0:0:0:0:1", "::1"), ("::", "::"), ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
        ("fe80:0:0:0:0:0:0:0", "fe80::"), ("10.0.0.1", "10.0.0.1"),
    ])
    func `an address has one spelling (RFC 5952)`(text: String, spelling: String) throws {
        #expect(try #require(IPAddress(text)).description == spelling)
    }

    @Test func `a listener's name needs a port, and brackets around IPv6`() {
        #expect(HostPort("127.0.0.1:8080")?.port == 8080)
        #expect(HostPort("[::1]:0")?.address.isV6 == true)
        #expect(HostPort("localhost:65535")?.address == IPAddress("127.0.0.1"))
        for bad in [
            "127.0.0.1", "127.0.0.1:", ":80", "127.0.0.1:65536", "::1:80", "[127.0.0.1]:80", "h:80", "127.0.0.1:+1",
        ] {
            #expect(HostPort(bad) == nil, "\(bad)")
        }
    }

    @Test func `UTF-8 that comes byte by byte is well-formed when all of it is`() {
        let edges: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var texts: [[UInt8]] = [[]]
        var wellFormed = 0
        for _ in 0..<4 {
            texts = texts.flatMap { text in edges.map { text + [$0] } }
            for text in texts {
                var progress = UTF8Progress()
                let isWhole = text.allSatisfy { progress.take($0) } && progress.isWhole
                if isWhole != UTF8Text.isWellFormed(text.span) { Issue.record("\(text)") }
                wellFormed += isWhole ? 1 : 0
            }
        }
        #expect(wellFormed > 100)
    }

    @Test func `what is encoded is read byte by byte, and nothing else is`() {
        func read(_ text: String) -> [UInt8]? {
            let encoded = bytes(text)
            var (position, read): (Int, [UInt8]) = (0, [])
            while let byte = Percent.nextEncoded(&position, of: encoded.span) { read.append(byte) }
            return position == encoded.count ? read : nil
        }
        for byte in UInt8.min...UInt8.max {
            var writer = ByteWriter()
            Percent.encode([byte].span, into: &writer)
            #expect(read(writer.array.text) == [byte])
        }
        for text in ["%", "%4", "%2f", "%41", "%7E", "%2", " ", "+", "/", "é", "a%", "%%", "%G0", "%0G", "%2 "] {
            #expect(read(text) == nil, "\(text)")
        }
    }

    @Test func `bytes are ordered as in a dictionary`() {
        for (first, second, isBefore) in [
            ("", "a", true), ("a", "a", false), ("a", "", false), ("a", "b", true), ("a", "a-", true), ("B", "a", true),
            ("a-b", "a", false), ("z", "é", true),
        ] {
            let (first, second) = (bytes(first), bytes(second))
            let precedes = first.span.precedes(second.span)
            #expect(precedes == isBefore)
        }
    }
}
