import Foundation
import Machine
import Testing

@Suite("Pages of the program") struct ProgramPagesTests {
    #if os(Linux)
        @Test func `what is released is not in memory, and the program goes on`() throws {
            let before = try ProgramPagesTests.filePages()
            ProgramPages.release()
            let after = try ProgramPagesTests.filePages()
            #expect(after < before, "\(before) kB, then \(after)")
        }

        /// Kilobytes of files that are mapped and in memory (`RssFile` of proc_pid_status(5)).
        private static func filePages() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
            return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
        }
    #endif
}
