import Foundation
import Testing

@testable import TestService

/// The scripts in Tests/Python, which speak with the vendors' own SDKs.
enum Python {
    /// The interpreter that has the packages. A bare `swift test` has none, and skips what needs it; scripts/test always
    /// names one, and accepts no skipped test.
    static let path = ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"]

    /// Runs a script to its end, and records what it said if that is not the success.
    static func expectSuccess(
        _ script: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Python")
        let python = try Program(try #require(path), [folder.appending(path: script).path] + arguments)
        let outcome = try python.wait(within: 600)
        let isSuccess = outcome.code == 0 && outcome.out.hasSuffix("everything is as it should be\n")
        #expect(isSuccess, "\(outcome.code): \(outcome.out)\(outcome.err)", sourceLocation: sourceLocation)
    }
}
