import Configuration
import Foundation
import Lifecycle
import Machine
import Testing

@testable import TestService

/// The configuration of `examples/` is one that the service takes, and its callers are those that the examples are.
@Suite struct ExamplesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "../examples").standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    @Test func `the configuration is valid, and its tests hold, of what is allowed and of what is not`() throws {
        let text = try Self.text("countersign.json5")
        let environment = Environment(
            variable: { $0 == "TICKET_SECRET" ? Setup.ticketSecret : nil },
            file: { path in
                let isConfiguration = path.hasSuffix("countersign.json5")
                return ReadFile(
                    bytes: Array((isConfiguration ? text : "secret-of-the-sandbox").utf8), isWorldReadable: false)
            })
        let tests = try Configuration.checked("examples/countersign.json5", in: environment).policyTests
        #expect(tests.contains { $0.expectation == .allow } && tests.contains { $0.expectation != .allow })
    }

    @Test func `every key that an example shows is one of the configuration's, and the README lists both`() throws {
        let configuration = try Self.text("countersign.json5")
        let key = /example-(app|backend)-[A-Za-z0-9_-]+/
        var shown: Set<String> = []
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: Self.folder, includingPropertiesForKeys: nil))
        {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for match in text.matches(of: key) { shown.insert(String(match.output.0)) }
        }
        #expect(shown.count == 2)
        for key in shown {
            #expect(configuration.contains(Digests.hex(Digests.sha256(Array(key.utf8)))), "\(key)")
            #expect(try Self.text("README.md").contains(key))
        }
    }
}
