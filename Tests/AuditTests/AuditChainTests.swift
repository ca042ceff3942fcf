import Bytes
import Crypto
import Foundation
import Testing

@testable import Audit

@Suite("The audit's chain")
struct AuditChainTests {
    /// A chain as it is written: a header, lines, and another header in the middle.
    private static func lines(_ count: Int = 20) throws -> [[UInt8]] {
        var chain = AuditChain(try HMACKey(.sha256, auditKey))
        var out = ByteWriter()
        try chain.beginSegment(.start, unsynced: 0, at: moment, to: &out)
        for number in 2...count {
            if number == count / 2 {
                try chain.beginSegment(.start, unsynced: 0, at: moment, to: &out)
            } else {
                let line = content(number)
                try chain.append(line.span, to: &out)
            }
        }
        return out.array.split(separator: UInt8(ascii: "\n")).map(Array.init)
    }

    private static func text(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [UInt8(ascii: "\n")] } }

    private static func form(_ line: [UInt8]) -> ParsedAuditLine? { ParsedAuditLine(line.span) }

    private static func told(_ lines: [[UInt8]], _ key: Secret = auditKey, expecting head: String? = nil) throws
        -> [String]
    {
        try Verdict([text(lines)], key, expecting: head).told
    }

    @Test func `what was written is found whole, and every line is JSON with its number`() throws {
        let lines = try Self.lines()
        let verdict = try Verdict([Self.text(lines)])
        #expect(verdict.told == [])
        #expect(verdict.lines == 20 && verdict.last == 20)
        for (index, line) in lines.enumerated() {
            let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            #expect(object?["seq"] as? Int == index + 1)
            #expect((object?["mac"] as? String)?.count == 64)
            #expect(object?["time"] as? String != nil && object?["event"] as? String != nil)
        }
        let line = try #require(JSONSerialization.jsonObject(with: Data(lines[1])) as? [String: Any])
        #expect(line["grant"] as? String == "a \"grant\"\n\u{7F}")
    }

    @Test func `a line's code is the HMAC of the code before and of the line up to its code`() throws {
        let lines = try Self.lines()
        let key = try HMACKey(.sha256, auditKey)
        var previous = [UInt8](repeating: 0, count: 32)
        for line in lines {
            let text = String(decoding: line, as: UTF8.self)
            let cut = try #require(text.range(of: #","mac":""#))
            let message = previous + Array(text[..<cut.lowerBound].utf8)
            previous = try key.sign(message.span).bytes.array
            #expect(text.hasSuffix(#","mac":""# + Hex.encode(previous).text + "\"}"))
        }
    }

    @Test func `any byte of any line that is changed is found, and the line is told`() throws {
        let lines = try Self.lines(8)
        for index in lines.indices {
            for offset in lines[index].indices {
                for change in [UInt8(1), 0x20, 0x80] {
                    var changed = lines
                    changed[index][offset] ^= change
                    // A line cut in two is told as what is no line.
                    guard changed[index][offset] != UInt8(ascii: "\n") else { continue }
                    let verdict = try Verdict([Self.text(changed)])
                    #expect(!verdict.problems.isEmpty, "byte \(offset) of line \(index + 1)")
                    // Another number is found once more where the next lines go on.
                    #expect(verdict.problems.allSatisfy { $0.line > index && $0.line <= index + 3 }, "\(verdict.told)")
                }
            }
        }
    }

    @Test(arguments: 2..<20)
    func `an edited line is told by its number, and those after it hold`(_ number: Int) throws {
        var lines = try Self.lines()
        let text = String(decoding: lines[number - 1], as: UTF8.self)
        lines[number - 1] = Array(text.replacing("04:4", with: "05:4").utf8)
        #expect(try Self.told(lines) == ["edited \(number)-\(number)"])
        lines[number - 1] = Array(text.utf8)
        let last = lines[number - 1].count - 3
        lines[number - 1][last] = lines[number - 1][last] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        #expect(try Self.told(lines) == ["edited \(number)-\(number)"])
    }

    @Test(arguments: 1..<20)
    func `removed lines are told, wherever they stood but at the end`(_ number: Int) throws {
        for count in 1...3 where number + count <= 20 {
            var lines = try Self.lines()
            lines.removeSubrange(number - 1..<number - 1 + count)
            // A file may begin with a later segment: what was before is in another file.
            let isBeforeHeader = number == 1 && count == 9
            #expect(try Self.told(lines) == (isBeforeHeader ? [] : ["removed \(number)-\(number + count - 1)"]))
        }
    }

    @Test func `what is before the first segment of a file that is not there is not missed`() throws {
        let lines = try Self.lines()
        #expect(try Self.told(Array(lines[9...])) == [])
    }

    @Test(arguments: 1..<20)
    func `lines that have changed places are told`(_ number: Int) throws {
        var lines = try Self.lines()
        lines.swapAt(number - 1, number)
        let told = try Self.told(lines)
        #expect(!told.isEmpty && told.allSatisfy { $0.hasPrefix("reordered") || number == 1 || number == 9 }, "\(told)")
    }

    @Test func `a line that stands twice is told`() throws {
        var lines = try Self.lines()
        lines.insert(lines[4], at: 12)
        #expect(try Self.told(lines) == ["reordered 5-5"])
    }

    @Test(arguments: [2, 5, 19])
    func `lines that are chained anew without the key are told, all of them`(_ number: Int) throws {
        var lines = try Self.lines()
        let forger = try HMACKey(.sha256, otherKey)
        var code = try #require(Self.form(lines[number - 2])).code
        for index in number - 1..<20 {
            let line = lines[index]
            let form = try #require(Self.form(line))
            guard form.header == nil else { break }
            code = try form.code(of: line.span, behind: code, by: forger)
            lines[index] =
                line[..<form.length] + Array(",\"mac\":\"".utf8) + Hex.encode(code.bytes.array)
                + Array("\"}".utf8)
        }
        let told = try Self.told(lines)
        let last = number < 10 ? 9 : 20
        // Up to the next segment, which tells what it went on from.
        #expect(told.first == "edited \(number)-\(last)")
        #expect(told.count == (number < 10 ? 2 : 1), "\(told)")
    }

    @Test func `under another key nothing holds`() throws {
        #expect(try Self.told(try Self.lines(), otherKey) == ["edited 1-20"])
    }

    @Test func `the end that is cut off is found by the head that was expected`() throws {
        let lines = try Self.lines()
        let whole = try Verdict([Self.text(lines)])
        #expect(try Self.told(lines, expecting: whole.head) == [])
        for cut in 1..<20 {
            let rest = Array(lines[..<cut])
            #expect(try Self.told(rest) == [])
            #expect(try Self.told(rest, expecting: whole.head) == ["cut-off -"])
        }
        // An older head is there as long as nothing before it was cut off.
        let older = try Verdict([Self.text(Array(lines[..<12]))]).head
        #expect(try Self.told(lines, expecting: older) == [])
        #expect(try Self.told(Array(lines[..<11]), expecting: older) == ["cut-off -"])
    }

    @Test func `a last line without its end is told`() throws {
        let lines = try Self.lines()
        let text = Self.text(lines)
        for cut in 1..<lines[19].count {
            #expect(try Verdict([Array(text.dropLast(cut))]).told == ["cut-off -"])
        }
    }

    @Test func `what is no line is told`() throws {
        for text in ["", "{}", "x", "{\"seq\":03}", String(repeating: "a", count: 100)] {
            var lines = try Self.lines()
            lines.insert(Array(text.utf8), at: 7)
            #expect(try Self.told(lines) == ["foreign -"])
        }
    }

    @Test func `nothing is not whole: no file, an empty one, one without a line among others`() throws {
        let whole = Self.text(try Self.lines())
        #expect(try Verdict([]).told == ["empty -"])
        #expect(try Verdict([[]]).told == ["empty -"])
        #expect(try Verdict([[], []]).told == ["empty -", "empty -"])
        #expect(try Verdict([whole, []]).told == ["empty -"])
        #expect(try Verdict([[], whole]).told == ["empty -"])
        #expect(try Verdict([[UInt8(ascii: "\n")]]).told == ["foreign -"])
    }

    @Test func `a chain that begins anew is told`() throws {
        let lines = try Self.lines()
        #expect(try Verdict([Self.text(lines), Self.text(lines)]).told == ["broken 1-1"])
    }
}
