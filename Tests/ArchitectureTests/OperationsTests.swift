import Foundation
import Testing

/// `docs/operations.md` tells of no outcome that no test shows.
@Suite struct OperationsTests {
    private static let troubles: [String] = {
        let root = ImportTests.root.appending(path: "docs/operations.md")
        let text = (try? String(contentsOf: root, encoding: .utf8)) ?? ""
        let section = text.components(separatedBy: "\n## When things break").dropFirst().first ?? ""
        return section.components(separatedBy: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { $0 }
    }()

    @Test(arguments: ThreatModelTests.Citation.all(in: troubles.joined(separator: "\n")))
    func `every test that shows what comes of a trouble is there`(citation: ThreatModelTests.Citation) {
        #expect(ThreatModelTests.tests.contains(citation), "no test \"\(citation.name)\" in \(citation.suite)")
    }

    @Test func `every trouble has its test, and none that must be there is left out`() {
        for row in OperationsTests.troubles {
            #expect(!ThreatModelTests.Citation.all(in: row).isEmpty, "\(row.prefix(60))")
        }
        let names = OperationsTests.troubles.map { $0.prefix(80) }
        let wanted = ["disk is full", "log", "name cannot be resolved", "/proc", "ulimit -n", "wall clock", "memory"]
        for trouble in wanted {
            #expect(names.contains { $0.contains(trouble) }, "\(trouble)")
        }
    }
}
