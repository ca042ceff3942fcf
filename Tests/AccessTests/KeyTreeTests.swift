import Synchronization
import Testing

@testable import Access
@testable import Bytes

@Suite struct KeyTreeTests {
    private let caller = Caller(Principal(.apiKey, id: Array("app".utf8), subject: Array("app".utf8)), index: 0)

    /// The templates that fit a key; those that end in a star are prefixes.
    private func found(_ key: String, among templates: [String]) throws -> [String] {
        var builder = KeyTree.Builder()
        for template in templates {
            let isPrefix = template.hasSuffix("*")
            builder.add(try KeyTemplate(Array(template.utf8.dropLast(isPrefix ? 1 : 0))), isPrefix: isPrefix)
        }
        let (tree, patterns) = builder.build()
        let ask = try Fixture.ask("key=\(key)")
        var walk = KeyTree.Walk()
        tree.find(Array(key.utf8).span, of: ask, for: caller, at: Fixture.instant, in: &walk)
        return templates.indices.filter { walk.matches.contains(patterns[$0]) }.map { templates[$0] }
    }

    @Test func `a key finds itself and the prefixes that it begins with, and nothing else`() throws {
        let templates = ["*", "a/*", "a/b/*", "a/b/c", "a/b/cd", "a/bc/*", "a/b", "b/*"]
        #expect(try found("a/b/c", among: templates) == ["*", "a/*", "a/b/*", "a/b/c"])
        #expect(try found("a/b/cde", among: templates) == ["*", "a/*", "a/b/*"])
        #expect(try found("a/", among: templates) == ["*", "a/*"])
        #expect(try found("c", among: templates) == ["*"])
        #expect(try found("c", among: []) == [])
    }

    @Test func `placeholders stand for what the caller and the ask have`() throws {
        let templates = [
            "${caller.id}/*", "app/*", "${caller.source}/x/*", "u-${caller.id}.${ext}", "u-app.jpg", "${claims.t}/*",
            "${caller.id}/${caller.id}",
        ]
        #expect(try found("app/x", among: templates) == ["${caller.id}/*", "app/*"])
        #expect(try found("app/app", among: templates) == ["${caller.id}/*", "app/*", "${caller.id}/${caller.id}"])
        #expect(try found("apiKey-app/x/y", among: templates) == ["${caller.source}/x/*"])
        #expect(try found("u-app.jpg", among: templates) == ["u-${caller.id}.${ext}", "u-app.jpg"])
        #expect(try found("ap/x", among: templates) == [])
    }

    @Test func `a thousand prefixes inside one another are all found`() throws {
        let prefixes = (1...1000).map { String(repeating: "a", count: $0) + "*" }
        #expect(try found(String(repeating: "a", count: 600), among: prefixes) == Array(prefixes[..<600]))
    }

    @Test func `more placeholders than sixteen bits can number are no others`() throws {
        let templates = (0..<70_000).map { "${claims.c\($0)}/*" } + ["${caller.id}/*", "app/x"]
        #expect(try found("app/x", among: templates) == ["${caller.id}/*", "app/x"])
    }

    /// Counts the grants of which more than the key is looked at.
    private final class Counter: Sendable {
        let count = Atomic(0)
    }

    private struct Counting: Issuer {
        let counter: Counter

        func objection(to ask: borrowing Ask) -> Objection? { Objection("size", "is too large") }

        func objection(toKey key: Span<UInt8>, of ask: borrowing Ask) -> Objection? {
            counter.count.add(1, ordering: .relaxed)
            return nil
        }
    }

    @Test(arguments: ["key=p7/a", "bucket=media&key=p7/a", "bucket=media", "", "grant=grant7"])
    func `of thousands of grants that say the same for other keys, one is judged`(query: String) throws {
        let authenticator = Authenticator(.init(apiKeys: [try Fixture.key("app", "one")]))
        let counter = Counter()
        let terms = Grant.Fingerprint { _ in }
        let grants = try (0..<5000).map { number in
            Grant(
                Grant.Entry(Array("grant\(number)".utf8), at: number, terms: terms), for: .init([.authenticated]),
                of: .init(
                    .prefix(try KeyTemplate(Array("p\(number)/".utf8))), in: .named("media"), withoutKey: .prefix),
                lasting: .init(usual: 60, longest: 60), Grant.Issuance(by: Counting(counter: counter), on: 0, with: 0))
        }
        let policy = Policy(grants, for: authenticator, routes: 1)
        let app = try #require(authenticator.callers.last)
        #expect(try Fixture.decide(query, by: app, policy) == .notInGrant(clause: "size"))
        // Once more to know whether it objects to its own key.
        #expect(counter.count.load(ordering: .relaxed) <= 2)
    }
}
