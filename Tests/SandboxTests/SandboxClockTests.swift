import Foundation
import Testing

@testable import Bytes
@testable import Net
@testable import Sandbox

/// The clock that a file changes.
@Suite struct SandboxClockTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "countersign-\(UUID().uuidString)")
    private let system: Clock = { Instant(unixSeconds: 1_000_000, nanoseconds: 7) }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent("clock"))
    }

    @Test func `it is the system's, and follows the file from one request to the next`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let clock = try SandboxClock.reading(folder.path, by: system)
        #expect(clock().unixSeconds == 1_000_000)
        for (text, seconds) in [
            ("900", 1_000_900), ("-900\n", 999_100), ("0", 1_000_000), ("31622400\n", 32_622_400), ("", 1_000_000),
            ("-", 1_000_000), ("9\n9", 1_000_000), ("31622401", 1_000_000), ("soon", 1_000_000),
        ] {
            try write(text)
            #expect(clock().unixSeconds == Int64(seconds), "\(text)")
            #expect(clock().nanoseconds == 7)
        }
    }

    @Test(arguments: ["", "soon", "1.5", "- 9", "99999999999999999999"])
    func `what is no number when it starts is refused`(text: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(text)
        #expect { try SandboxClock.reading(folder.path, by: system) } throws: {
            "\($0)".contains("/clock must hold a number of seconds, such as 900 or -900")
        }
    }
}
