import Bytes
import Testing

@testable import Audit

/// A line that is written into the storage of the lines before.
@Suite struct AuditLineTests {
    @Test func `a line says its own moment and event, whatever the lines before it said`() {
        let events: [StaticString] = ["issued", "denied", "issue", "issued"]
        var reused = AuditLine()
        // Repeated, later, earlier, and before 1970.
        for moment in [1_800_000_000, 1_800_000_000, 1_800_000_001, 1_799_999_999, -1] as [Int64] {
            for event in events + events.reversed() {
                for number in 0..<2 as Range<Int64> {
                    reused.begin(event, at: moment)
                    reused.add("number", number)
                    var fresh = AuditLine()
                    fresh.begin(event, at: moment)
                    fresh.add("number", number)
                    #expect(reused.bytes.array == fresh.bytes.array)
                }
                // What is written without a beginning.
                reused.reset()
                reused.add("bytes", hex: [0x0F, 0xF0].span)
                #expect(reused.bytes.array == Array(#","bytes":"0ff0""#.utf8))
            }
        }
    }

    @Test func `a line begins with its time and its event`() {
        var line = AuditLine()
        for (moment, text) in [(0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:01Z")] as [(Int64, String)] {
            line.begin("issued", at: moment)
            #expect(line.bytes.array == Array(#""time":"\#(text)","event":"issued""#.utf8))
        }
    }
}
