import Access
import Bytes
import Machine
import Providers
import Testing

@testable import Configuration

/// `config/README.md` says what the code does.
@Suite(.timeLimit(.minutes(20)))
struct ReadmeTests {
    private let lines: [Substring]

    init() throws {
        let file = try #require(Environment.process.file(Repository.path("config/README.md")))
        lines = file.bytes.text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test(arguments: KeyTable.all)
    func `has each table of keys as the descriptions have it`(table: KeyTable) throws {
        let found = lines.drop { $0 != table.opening }.dropFirst().prefix { $0 != KeyTable.closing }
        let isRight = found.joined(separator: "\n") == table.text
        #expect(isRight, "put this between \(table.opening) and \(KeyTable.closing):\n\(table.text)\n")
    }

    @Test
    func `has no other tables of keys`() {
        #expect(
            lines.filter { $0.hasPrefix("<!-- keys") }.map(String.init).sorted() == KeyTable.all.map(\.opening).sorted()
        )
        #expect(lines.count { $0 == KeyTable.closing } == KeyTable.all.count)
        #expect(lines.count { $0.hasPrefix(KeyTable.start) } == KeyTable.all.count { $0.text.contains(KeyTable.start) })
    }

    @Test
    func `has contents that lead to every section`() {
        #expect(
            lines.filter { $0.hasPrefix("- [") }.map(String.init) == contents, "\(contents.joined(separator: "\n"))")
    }

    /// One line for each section, with those in it.
    private var contents: [String] {
        var contents: [String] = []
        for line in lines where line.hasPrefix("## ") || line.hasPrefix("### ") {
            let title = line.drop { $0 == "#" }.dropFirst()
            let anchor = title.lowercased().replacing(" ", with: "-")
                .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            let link = "[\(title)](#\(anchor))"
            if line.hasPrefix("## ") {
                contents.append("- " + link)
            } else if let whole = contents.popLast() {
                contents.append(whole + (whole.contains("): ") ? ", " : ": ") + link)
            }
        }
        return contents
    }

    @Test
    func `has a section for every provider`() {
        for provider in Registry.providers { #expect(lines.contains("## \(provider.title)"), "\(provider.title)") }
    }

    @Test
    func `has the placeholders of templates that there are (R14)`() {
        let rows = lines.filter { $0.hasPrefix("| `${") }.compactMap { $0.split(separator: "`").dropFirst().first }
        do throws(KeyTemplate.Fault) {
            _ = try KeyTemplate(Array("${no such}".utf8))
            Issue.record("it is known")
        } catch {
            #expect(error.reason.hasSuffix("there are " + rows.joined(separator: ", ")))
        }
    }

    @Test
    func `has examples that load`() throws {
        let blocks = lines.joined(separator: "\n").split(separator: "```").filter { $0.hasPrefix("json5\n") }
        #expect(!blocks.isEmpty)
        for block in blocks {
            // The digests of samples are refused (`GuessableKeyTests`), and so is what the operator has to replace.
            let text = Sample.file(
                String(block.dropFirst(6)).replacing("<YOUR-ACCESS-KEY>", with: "AK")
                    .replacing(GuessableKeyTests.pattern) { "\($0.output.1)\(Sample.digest)" })
            let environment = Environment(
                variable: { _ in "a-secret-of-at-least-thirty-two-bytes" },
                file: { $0 == "c.json5" ? text : Sample.file("a-secret\n") })
            let configuration = try Configuration.load("c.json5", in: environment)
            #expect(!configuration.grants.isEmpty)
        }
    }
}
