import Bytes
import Foundation
import Inspection
import Providers
import Testing

@testable import CommandLine
@testable import Gateway

/// Inspections as people and programs read them.
@Suite struct InspectionReportTests {
    private let hostile = "a\u{1B}[31m\n\u{9B}\u{202E}\u{2028}\u{E000}中é\"\\"

    private var inspection: Inspection {
        var inspection = Inspection("Thing")
        inspection.tell("bucket", hostile)
        inspection.tell(hostile, [0xFF, 0x41])
        inspection.holds("signature")
        inspection.ends(at: 1_795_000_000, now: 1_794_990_000)
        return inspection
    }

    @Test func `what does not show itself is escaped in text`() {
        let text = InspectionReport(inspection).text(inColour: false)
        #expect(text.contains(#"a\u{1b}[31m\u{a}\u{9b}\u{202e}\u{2028}\u{e000}中é"\"#), "\(text)")
        #expect(text.split(separator: "\n").count == 6)
        for scalar in text.unicodeScalars where scalar != "\n" { #expect(scalar.value >= 0x20, "\(text)") }
        #expect(text.hasPrefix("Thing: genuine\n"))
        #expect(text.contains("2026-11-18T11:06:40Z") && text.contains("ok: it ends in 2 h 46 min"))
    }

    @Test func `colours are the report's own, and only when they are wanted`() {
        #expect(!InspectionReport(inspection).text(inColour: false).contains("\u{1B}"))
        let text = InspectionReport(inspection).text(inColour: true)
        #expect(text.hasPrefix("Thing: \u{1B}[1;32mgenuine\u{1B}[0m\n"))
        #expect(!text.contains("\u{1B}[31m"))
    }

    @Test func `JSON keeps every character, and has none that a terminal obeys`() throws {
        let text = InspectionReport(inspection).json
        for scalar in text.unicodeScalars { #expect(!(0x7F...0x9F).contains(scalar.value) && scalar.value >= 0x20) }
        #expect(!text.contains("\u{202E}"))
        let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(read["verdict"] as? String == "genuine" && read["kind"] as? String == "Thing")
        #expect(read["expiresAt"] as? String == "2026-11-18T11:06:40Z")
        let facts = try #require(read["facts"] as? [[String: String]])
        #expect(facts.first?["value"] == hostile && facts.last?["name"] == hostile)
        #expect(facts.last?["value"] == "\u{FFFD}A")
    }

    @Test func `nothing is genuine without its signature, or with one check that is open; one that fails refuses`() {
        var inspection = Inspection("Thing")
        #expect(inspection.verdict == .unverified)
        inspection.holds("a")
        #expect(inspection.verdict == .unverified)
        inspection.holds("signature")
        #expect(inspection.verdict == .genuine)
        inspection.leavesOpen("b", "why")
        #expect(inspection.verdict == .unverified)
        inspection.fails("c", "why")
        #expect(inspection.verdict == .refused)
        #expect(InspectionReport(inspection).text(inColour: false).contains("REFUSED: why"))
    }

    @Test(arguments: [
        (0, 0, "0 s"), (5, 0, "0 s"), (0, 59, "59 s"), (0, 60, "1 min"), (0, 3_661, "1 h 1 min"),
        (0, 90_000, "1 d 1 h"),
        (Int64.min, Int64.max, "106751991167300 d 15 h"), (Int64.max, Int64.min, "0 s"),
    ])
    func `times are told in their two largest units`(start: Int64, end: Int64, words: String) {
        #expect(TimeSpan.words(from: start, to: end) == words)
    }

    @Test func `every inspector says what it is and what it is given, once`() {
        let inspectors = Inspectors.all.map(\.inspector)
        #expect(Set(inspectors.map(\.kind)).count == inspectors.count)
        for inspector in inspectors { #expect(inspector.summary.hasSuffix("."), "\(inspector.kind)") }
        for provider in Registry.providers { #expect(!Inspectors.of(provider.name).isEmpty, "\(provider.name)") }
    }
}
