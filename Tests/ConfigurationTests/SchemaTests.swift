import Access
import Net
import TestTraits
import Testing

@testable import Providers

@testable import Configuration

/// The descriptions, and what the reader makes of them: no key is accepted and ignored.
@Suite(.timeLimit(.minutes(20)))
struct SchemaTests {
    @Test func `a grant has the fields of its route's scope, and needs all of them (R13)`() throws {
        let scopes: [(GrantScope, words: String, names: [String])] = [
            (
                [.bucket, .key, .keyPrefix], "bucket and key or keyPrefix",
                ["bucket", "extensions", "key", "keyPrefix"]
            ),
            ([.bucket, .keyPrefix], "bucket and keyPrefix", ["bucket", "keyPrefix"]),
            ([.key, .keyPrefix], "key or keyPrefix", ["extensions", "key", "keyPrefix"]),
            ([.bucket], "bucket", ["bucket"]), ([], "", []),
        ]
        for (scope, words, names) in scopes {
            let others =
                ["callers", "credential", "public", "rate", "route", "unscoped", "where"]
                + Schema.Availability().descriptions.map(\.name)
            #expect(Schema.grant(of: .made(scope)).map(\.name).sorted() == (others + names).sorted())
            #expect(scope.words == words)
            var fields = Settings(of: ScopeFields())
            #expect(!scope.isComplete(in: fields.values))
            if names.contains("keyPrefix") { fields.keyPrefix = try KeyTemplate(Array("p/".utf8)) }
            #expect(scope.isComplete(in: fields.values) == (words == "key or keyPrefix"))
            fields.bucket = Array("b".utf8)
            #expect(scope.isComplete(in: fields.values) == !scope.isEmpty)
            fields.keyPrefix = nil
            #expect(scope.isComplete(in: fields.values) == (words == "bucket"))
        }
    }

    @Test func `a grant of a route without callers has neither callers nor a scope`() {
        #expect(
            Schema.grant(of: .made([], hasCallers: false)).map(\.name)
                == ["route", "credential"] + Schema.Availability().descriptions.map(\.name))
    }

    @Test func `every documented key is taken, and says something`() {
        #expect(Documented.all.count > 500)
        for key in Documented.all {
            let with = outcome(key.configuration(with: key.goodValue))
            #expect(with.problems.isEmpty, "\(key.configuration(with: key.goodValue))\n\(with.problems)")
            // An empty object says as much as none.
            if case .object = key.field.kind { continue }
            let isIgnored = with.content == outcome(key.configuration(with: nil)).content
            #expect(!isIgnored, "\(key.name) is ignored")
        }
    }

    @Test func `every documented key holds its values to its type`() {
        for key in Documented.all {
            let path = key.name.replacing("[]", with: "[0]")
            for (number, value) in key.badValues.enumerated() where Rounds.takes(key.name.utf8.count + number) {
                let problems = outcome(key.configuration(with: value)).problems
                let isPlaced = problems.allSatisfy { $0.path.hasPrefix(path) && $0.position != nil }
                #expect(problems.count == 1 && isPlaced, "\(key.name): \(value): \(problems)")
            }
        }
    }

    @Test func `what is documented as a key's standard is what holds without it`() {
        for (number, key) in Documented.all.enumerated() {
            if let standard = key.field.standardText, Rounds.takes(number) {
                let isSame =
                    outcome(key.configuration(with: standard)).content == outcome(key.configuration(with: nil)).content
                #expect(isSame, "\(key.name): \(standard)")
            }
            if key.field.isRequired {
                let without = outcome(key.configuration(with: nil))
                #expect(key.field.standard == nil, "\(key.name)")
                #expect(without.problems.count == 1, "\(key.name): \(without.problems)")
                let reason = without.problems.first?.reason ?? ""
                #expect(reason.contains("needs \(key.path.last ?? "")"), "\(key.name)")
            }
        }
    }

    @Test func `every documented key has a summary of one sentence`() {
        for key in Documented.all {
            let summary = key.field.summary
            let isSentence = summary.hasSuffix(".") && !summary.contains("|") && !summary.contains("\n")
            #expect(isSentence, "\(key.name): \(summary)")
        }
    }

    /// What a configuration is compiled to, every part of it, or what is wrong with it. Most keys of an object share the one that
    /// has none of them, so each is compiled once.
    private func outcome(_ text: String) -> Outcome {
        if let known = SchemaTests.outcomes.withLock({ $0[text] }) { return known }
        let outcome = compiled(text)
        SchemaTests.outcomes.withLock { $0[text] = outcome }
        return outcome
    }

    private typealias Outcome = (content: Int, problems: [Problem])
    private static let outcomes = Guarded<[String: Outcome]>([:])

    private func compiled(_ text: String) -> Outcome {
        do throws(ConfigurationError) {
            var content = DumpHash()
            dump(try Sample.load(text), to: &content)
            return (content.hash, [])
        } catch {
            return (error.description.hashValue, error.problems)
        }
    }
}

/// A hash of the lines of a dump, but of those that say where a key stands in the text.
private struct DumpHash: TextOutputStream {
    private var hasher = Hasher()
    private var line = ""
    private var isPosition = false

    var hash: Int { hasher.finalize() }

    /// A dump writes an indentation, a label, a value and the end of a line each by itself.
    mutating func write(_ text: String) {
        if text == "line" || text == "column" { isPosition = true }
        line += text
        if text.hasSuffix("\n") { endLine() }
    }

    private mutating func endLine() {
        if !isPosition { hasher.combine(line) }
        isPosition = false
        line.removeAll(keepingCapacity: true)
    }
}

extension RouteDescription {
    fileprivate static func made(_ scope: GrantScope, hasCallers: Bool = true) -> RouteDescription {
        struct NoFields: FieldGroup {}
        let grant =
            hasCallers
            ? RouteGrant(NoFields(), scope: scope, enforcement: []) { _, _ throws(FieldProblem) in
                throw FieldProblem("", "is for a test")
            }
            : RouteGrant(callbacks: NoFields()) { _ throws(FieldProblem) in throw FieldProblem("", "is for a test") }
        return RouteDescription(
            "made", path: "/made", "Made for a test.", request: RouteRequest([], withoutKey: .prefix), grant: grant,
            answer: RouteAnswer([]))
    }
}
