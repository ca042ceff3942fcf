import Bytes
import Testing

@testable import Telemetry

@Suite struct LogFormatTests {
    private func line(_ format: LogFormat, _ message: String, _ value: String) -> String {
        var line = ByteWriter()
        format.begin(.error, message, at: 1_790_000_000, in: &line)
        format.add("error", value, to: &line)
        format.end(&line)
        return String(decoding: line.array, as: UTF8.self)
    }

    @Test func `a line for people is as it is said, one for programs is an object`() {
        let text = line(.text, "cannot ask", "\"sts\" says: 403")
        #expect(text == "2026-09-21T14:13:20Z error: cannot ask error=\"sts\" says: 403\n")
        let json = line(.json, "cannot ask", "\"sts\" says: 403")
        #expect(
            json
                == #"{"time":"2026-09-21T14:13:20Z","level":"error","message":"cannot ask","error":"\"sts\" says: 403"}"#
                + "\n")
    }

    @Test(arguments: ["\n2026-09-21T14:13:20Z info: forged", "\r\u{1B}[2Jforged", "\u{85}\u{2028}\u{9B}forged"])
    func `nothing that is told makes a second line, or speaks to a terminal`(told: String) {
        for format in [LogFormat.text, .json] {
            for written in [line(format, told, "x"), line(format, "x", told)] {
                #expect(written.utf8.last == 0x0A && written.utf8.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F })
            }
        }
        let written = line(.text, told, told)
        #expect(
            written.dropLast().unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control && $0 != "\u{2028}"
            })
    }
}
