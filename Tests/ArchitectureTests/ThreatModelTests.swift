import Foundation
import Testing

/// `docs/threat-model.md`, and `docs/exhaustion.md` as a part of it, claim only what a test shows.
@Suite struct ThreatModelTests {
    /// A test as the document names it: `Suite` "test".
    struct Citation: Hashable, Sendable {
        let suite: String
        let name: String

        /// All of a text, in their order.
        static func all(in text: String) -> [Citation] {
            text.matches(of: #/`(\w+)` "([^"\n]+)"/#).map {
                Citation(suite: String($0.output.1), name: String($0.output.2))
            }
        }
    }

    static let document = text(of: "docs/threat-model.md")
    static let exhaustion = text(of: "docs/exhaustion.md")

    private static func text(of path: String) -> String {
        (try? String(contentsOf: ImportTests.root.appending(path: path), encoding: .utf8)) ?? ""
    }

    /// All tests that there are, by the types that they stand in and the names that they are told by.
    static let tests = Set(ImportTests.files(below: "Tests").flatMap { tests(in: $0.lines) })

    static func tests(in lines: [String]) -> [Citation] {
        var suite = ""
        var found: [Citation] = []
        var isTest = false
        for line in lines {
            // Types of tests begin their lines, and these end with their brace; what is inside is indented.
            if line.hasSuffix("{"), line.first != " ",
                let type = line.prefixMatch(of: #/(?:@Suite(?:\(.*\))? )?(?:struct|extension|final class) (\w+)/#)
            {
                suite = String(type.output.1)
            }
            if line.contains("@Test") { isTest = true }
            guard isTest else { continue }
            if let raw = line.firstMatch(of: #/func `([^`]+)`/#) {
                found.append(Citation(suite: suite, name: String(raw.output.1)))
            } else if let told = line.firstMatch(of: #/^(?: *@Test\(| +)"([^"]+)"[,)]/#) {
                found.append(Citation(suite: suite, name: String(told.output.1)))
            }
            if line.contains("func ") { isTest = false }
        }
        return found
    }

    @Test func `every test that the threat model names is there`() {
        for citation in Citation.all(in: ThreatModelTests.document + ThreatModelTests.exhaustion) {
            let isThere = ThreatModelTests.tests.contains(citation)
            #expect(isThere, "no test \"\(citation.name)\" in \(citation.suite)")
        }
    }

    /// The sections about attackers: all but the introduction and those in `descriptive`.
    private static let defences: [String] = {
        let descriptive = ["Assets", "Callers", "Who can exhaust what", "What is not defended"]
        return document.components(separatedBy: "\n## ").dropFirst().filter { section in
            !descriptive.contains { section.hasPrefix($0 + "\n") }
        }
    }()

    @Test func `each section about an attacker cites at least three tests`() {
        #expect(ThreatModelTests.defences.count >= 8)
        for section in ThreatModelTests.defences {
            #expect(Citation.all(in: section).count >= 3, "\(section.prefix { $0 != "\n" })")
        }
        #expect(Citation.all(in: ThreatModelTests.document).count > 60)
        #expect(Citation.all(in: ThreatModelTests.exhaustion).count > 25)
    }

    @Test func `each row about a threat or a resource cites a test`() {
        let rows = (ThreatModelTests.defences + [ThreatModelTests.exhaustion])
            .flatMap { $0.components(separatedBy: "\n") }
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Threat |") && !$0.hasPrefix("| resource |") }
        #expect(rows.count > 90)
        for row in rows { #expect(!Citation.all(in: row).isEmpty, "\(row)") }
    }

    @Test func `a test is found by its suite and its name in either spelling, and no other is`() {
        let lines = [
            "@Suite(\"What it is\")", "struct OneTests {", "    @Test func `it holds`() {}", "    @Test(",
            "        \"it is told\", arguments: [1])", "    func told(_ number: Int) {}", "    func `no test`() {}",
            "}",
            "@Suite struct OtherTests {", "    @Test(\"so is this\", arguments: [2])", "    func other() {}",
        ]
        #expect(
            ThreatModelTests.tests(in: lines) == [
                Citation(suite: "OneTests", name: "it holds"), Citation(suite: "OneTests", name: "it is told"),
                Citation(suite: "OtherTests", name: "so is this"),
            ])
    }
}
