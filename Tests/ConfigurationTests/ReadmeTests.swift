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
        #expect(
            isRight,
            "put this between \(table.opening) and \(KeyTable.closing):\n\(table.text)\n")
    }

    @Test
    func `has no other tables of keys`() {
        #expect(
            lines.filter { $0.hasPrefix("<!-- keys") }.map(String.init).sorted() == KeyTable.all.map(\.opening).sorted()
        )
        #expect(lines.count { $0 == KeyTable.closing } == KeyTable.all.count)
        #expect(lines.count { $0 == KeyTable.head } == KeyTable.all.count)
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

/// A table of the README, generated from the descriptions.
struct KeyTable: Sendable, CustomTestStringConvertible {
    static let head = "| Key | Type | Default | Taken up | Meaning |"
    static let closing = "<!-- end -->"

    let title: String
    private let rows: [String]

    var opening: String { "<!-- keys: \(title) -->" }
    var text: String { ([KeyTable.head, "|---|---|---|---|---|"] + rows).joined(separator: "\n") }
    var testDescription: String { title }

    /// The keys that every configuration may have, then what each provider and each route adds.
    static let all: [KeyTable] =
        [KeyTable(title: "all", rows: rows(of: Schema.root.descriptions, below: ""))]
        + Registry.providers.flatMap { provider in
            let common = Set(commonCredentialFields.map(\.name))
            let fields = Schema.credential(of: provider).filter { !common.contains($0.name) }
            let own = KeyTable(
                title: "credentials of \(provider.name)", rows: rows(of: fields, below: "credentials.NAME."))
            return (fields.isEmpty ? [] : [own])
                + provider.routes.map { route in
                    let common = Set(commonGrantFields.map(\.name))
                    let fields = Schema.grant(of: route).filter { !common.contains($0.name) }
                    return KeyTable(title: route.name, rows: rows(of: fields, below: "grants.NAME."))
                }
        }

    /// What grants of all routes may hold that have callers.
    private static let commonGrantFields: [FieldDescription] = {
        let routes = Registry.routes.filter(\.description.grant.hasCallers).map { route in
            Schema.grant(of: route.description).filter { field in
                !route.description.grant.fields.contains { $0.name == field.name }
            }
        }
        return (routes.first ?? []).filter { field in routes.allSatisfy { $0.contains { $0.name == field.name } } }
    }()

    /// What credentials may hold that is not their provider's own.
    private static let commonCredentialFields: [FieldDescription] = {
        guard let provider = Registry.providers.first else { return [] }
        return Schema.credential(of: provider).filter { field in
            !provider.credentialFields.contains { $0.name == field.name }
        }
    }()

    private static func rows(of fields: [FieldDescription], below path: String) -> [String] {
        fields.flatMap { field -> [String] in
            let name = path + field.name
            let row =
                "| `\(name)` | \(type(of: field)) | \(standard(of: field)) | at \(field.isFixed ? "start" : "reload") | "
                + "\(field.summary.replacing("|", with: "\\|")) |"
            let inner: [String] =
                switch (field.kind, name) {
                case (.object(let fields), _): rows(of: fields, below: name + ".")
                case (.objects(let fields), _): rows(of: fields, below: name + "[].")
                case (.members, "credentials"): rows(of: commonCredentialFields, below: "credentials.NAME.")
                case (.members, "grants"): rows(of: commonGrantFields, below: "grants.NAME.")
                default: []
                }
            return [row] + inner
        }
    }

    private static func standard(of field: FieldDescription) -> String {
        field.isRequired ? "required" : field.standardText.map { "`\($0)`" } ?? "–"
    }

    private static func type(of field: FieldDescription) -> String {
        switch field.kind {
        case .string, .vendorText: "text"
        case .choice(let words): words.map { "`\"\($0)\"`" }.joined(separator: " or ")
        case .boolean: "`true` or `false`"
        case .integer(let bounds): Units.describe(bounds)
        case .duration(let bounds):
            "duration, \(Units.ends(durations: bounds).least) to \(Units.ends(durations: bounds).most)"
        case .size(let bounds): "size, \(Units.range(ofSizes: bounds))"
        case .secret: "[secret](#secrets)"
        case .rate: "rate"
        case .time: "time"
        case .template: "[template](#templates)"
        case .strings: "list of texts, or one text"
        case .object: "object"
        case .objects: "list of objects"
        case .members: "object, its keys your own"
        case .json(let length): "object, its keys your own, \(length) bytes at most"
        }
    }
}
