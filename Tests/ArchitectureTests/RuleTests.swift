import Foundation
import Testing

/// The rules that messages, documents and tests name by a number (`R4`) are defined in one place: `config/README.md`.
@Suite struct RuleTests {
    /// The numbers that the section defines, in its order.
    private static let defined: [Int] = {
        let text = document("config/README.md")
        let section = text.components(separatedBy: "\n## The rules that messages name\n").dropFirst().first ?? ""
        return section.components(separatedBy: "\n## ")[0].matches(of: #/(?m)^- \*\*R(\d+)\*\* [A-Z]/#)
            .compactMap { Int($0.output.1) }
    }()

    private static func document(_ path: String) -> String {
        (try? String(contentsOf: ImportTests.root.appending(path: path), encoding: .utf8)) ?? ""
    }

    private static func rules(in text: String) -> Set<Int> {
        Set(text.matches(of: #/\bR(\d{1,2})\b/#).compactMap { Int($0.output.1) })
    }

    private static let documents: [String] = {
        let docs = ImportTests.root.appending(path: "docs").path(percentEncoded: false)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: docs)) ?? []
        return ["README.md", "config/README.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    }()

    @Test func `each rule is defined once, and all follow one another`() {
        #expect(!RuleTests.defined.isEmpty && RuleTests.defined == Array(1...RuleTests.defined.count))
    }

    @Test(arguments: documents)
    func `every rule that a document names is defined`(path: String) {
        let unknown = RuleTests.rules(in: RuleTests.document(path)).subtracting(RuleTests.defined)
        #expect(unknown.isEmpty, "config/README.md does not define R\(unknown.sorted())")
    }

    @Test func `every rule that the sources or tests name is defined, and every rule that is defined has a test`() {
        for source in ImportTests.sources {
            let unknown = RuleTests.rules(in: source.lines.joined(separator: "\n")).subtracting(RuleTests.defined)
            #expect(unknown.isEmpty, "\(source.path): config/README.md does not define R\(unknown.sorted())")
        }
        let names = ThreatModelTests.tests.map(\.name).joined(separator: "\n")
        let tested = RuleTests.rules(in: names)
        #expect(tested.isSubset(of: RuleTests.defined), "\(tested.subtracting(RuleTests.defined).sorted())")
        #expect(Set(RuleTests.defined).subtracting(tested).isEmpty, "no test names them")
    }
}
