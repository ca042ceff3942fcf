import TestTraits
import Testing

@testable import Access
@testable import Bytes

/// What the policy says of its own decisions.
@Suite struct ExplanationTests {
    private let authenticator: Authenticator
    private let policy: Policy

    init() throws {
        authenticator = Authenticator(
            .init(
                apiKeys: [
                    try Fixture.key("android", "one"), try Fixture.key("ios", "two", notAfter: Fixture.now + 100),
                ],
                denied: []))
        let grants = [
            try Fixture.grant("photos", prefix: "photos/", maxLifetime: 900, issuer: Fixture.Limited(most: 50)),
            try Fixture.grant("own", callers: [.authenticated], prefix: "own/${caller.id}/"),
            try Fixture.grant("one", callers: [Fixture.apiKey("android")], bucket: .named("attic"), key: "one.txt"),
            try Fixture.grant(
                "any", callers: [Fixture.apiKey("ios")], bucket: .asked, withoutKey: .refuse(parameter: "key")),
            try Fixture.grant("elsewhere", route: 1, callers: [.anonymous, .authenticated], prefix: "photos/"),
        ]
        policy = Policy(grants, for: authenticator, routes: 2)
    }

    private func caller(_ id: String) throws -> Caller {
        if id == "anonymous" { return authenticator.anonymous }
        let principal = try #require(Principal(written: Array("apiKey:\(id)".utf8)))
        guard case .caller(let caller) = authenticator.caller(principal, at: Fixture.now) else {
            throw AskError(.invalid, id, "is nobody")
        }
        return caller
    }

    private func explain(_ query: String, by id: String) throws -> Explanation {
        let ask = try Fixture.ask(query)
        var workspace = PolicyWorkspace()
        return policy.explain(ask, on: 0, by: try caller(id), at: Fixture.instant, in: &workspace)
    }

    /// `clause outcome asked/granted`, in order.
    private func clauses(_ judged: Explanation.Judged?) -> [String] {
        (judged?.findings ?? []).map { finding in
            "\(finding.subject) \(finding.outcome.rawValue) \(finding.asked?.text ?? "-")/\(finding.granted?.text ?? "-")"
        }
    }

    @Test func `every grant of the route is told of, each clause with what was compared`() throws {
        let explanation = try explain("key=photos/a&size=10&expires=60", by: "android")
        #expect(explanation.grants.map(\.grant.name.text) == ["photos", "own", "one", "any"])
        #expect(
            clauses(explanation.grants.first) == [
                "callers fails apiKey:android/anonymous", "bucket open -/media", "key open photos/a/photos/*",
                "fields open -/-", "lifetime open 60 s/at most 900 s",
            ])
        #expect(
            clauses(explanation.grants[1]) == [
                "callers holds apiKey:android/authenticated", "bucket holds -/media",
                "keyPrefix fails photos/a/own/android/*", "fields open -/-", "lifetime holds 60 s/at most 3600 s",
            ])
        #expect(
            clauses(explanation.grants[2]) == [
                "callers holds apiKey:android/apiKey:android", "bucket holds -/attic", "key fails photos/a/one.txt",
                "fields open -/-", "lifetime holds 60 s/at most 3600 s",
            ])
        guard case .denied(.notInGrant) = explanation.outcome else { return #expect(Bool(false)) }
        #expect(explanation.grants.allSatisfy { !$0.fits })
    }

    @Test func `the last clauses are told of when all before them hold`() throws {
        let first = try explain("key=photos/a&size=60", by: "anonymous").grants.first
        #expect(clauses(first).suffix(2) == ["size fails 60/-", "lifetime holds -/at most 900 s"])
        let second = try explain("key=photos/a&size=50&expires=901", by: "anonymous").grants.first
        #expect(clauses(second).last == "lifetime fails 901 s/at most 900 s")
        let third = try explain("key=photos/a&grant=own", by: "anonymous").grants.first
        #expect(clauses(third).prefix(2) == ["callers holds anonymous/anonymous", "grant fails own/photos"])
        let fourth = try explain("bucket=b", by: "ios").grants.last
        #expect(
            clauses(fourth).dropLast(2) == [
                "callers holds apiKey:ios/apiKey:ios", "bucket holds b/-", "key fails -/-",
            ])
        #expect(fourth?.findings.first { $0.outcome == .fails }?.reason == "key is needed")
    }

    @Test func `all clauses of a grant that do not hold are told of at once`() throws {
        let grant = try explain("key=private/a&bucket=b&size=60&expires=901", by: "anonymous").grants.first
        #expect(
            clauses(grant) == [
                "callers holds anonymous/anonymous", "bucket fails b/media", "keyPrefix fails private/a/photos/*",
                "size fails 60/-", "lifetime fails 901 s/at most 900 s",
            ])
        #expect(grant?.findings.dropFirst().allSatisfy { !$0.reason.isEmpty } == true)
        // Nothing more is told of a grant that is not meant.
        let other = try explain("key=private/a&grant=own&expires=901", by: "anonymous").grants.first
        #expect(other?.findings.filter { $0.outcome == .fails }.map(\.subject) == ["grant"])
    }

    @Test func `conditions are told of one by one`() throws {
        let grant = Grant(
            Grant.Entry(Array("g".utf8), at: 0),
            for: Grant.Principals(
                [.anonymous],
                where: [
                    ClaimCondition(
                        name: Array("scope".utf8), values: [.text(Array("up".utf8)), .text(Array("all".utf8))]),
                    ClaimCondition(name: Array("role".utf8), values: [.text(Array("x".utf8))]),
                ]),
            of: Grant.Resources(.anything, in: .named("b"), withoutKey: .prefix),
            lasting: Grant.Lifetimes(usual: 1, longest: 1),
            Grant.Issuance(by: Fixture.Limited(), on: 0, with: 0))
        let policy = Policy([grant], for: authenticator, routes: 1)
        let claims = CallerClaims([(Array("scope".utf8), .single(.text(Array("down up".utf8))))])
        let caller = Caller(.anonymous, index: 0, claims: claims)
        let ask = try Fixture.ask("")
        var workspace = PolicyWorkspace()
        let explanation = policy.explain(ask, on: 0, by: caller, at: Fixture.instant, in: &workspace)
        #expect(
            clauses(explanation.grants.first).prefix(3) == [
                "callers holds anonymous/anonymous", "where.claims.scope holds down up/up, all",
                "where.claims.role fails -/x",
            ])
    }

    @Test func `R5: what bounds the lifetime is told, and the least of it won`() throws {
        func permitted(_ query: String, by id: String) throws -> Explanation.Permitted? {
            guard case .permitted(let permitted) = try explain(query, by: id).outcome else { return nil }
            return permitted
        }
        let short = try permitted("key=own/ios/a", by: "ios")
        #expect(short?.limitedBy == .caller && short?.lifetime == 100)
        #expect(short?.bounds.map { "\($0.limit.name) \($0.seconds)" } == ["grant 600", "caller 100"])
        let asked = try permitted("key=own/android/a&expires=7", by: "android")
        #expect(asked?.limitedBy == .requested && asked?.key.text == "own/android/a")
        #expect(asked?.bounds.map { "\($0.limit.name) \($0.seconds)" } == ["requested 7", "grant 3600"])
        #expect(asked?.expiresAt == Fixture.now + 7)
    }

    @Test func `for any ask the explanation says what the policy decides, and only grants that fit can win`() throws {
        var random = SplitMix64(seed: 11)
        func pick(_ texts: String...) -> String { texts.randomElement(using: &random) ?? "" }
        for _ in 0..<Rounds.share(of: 5000) {
            let query = [
                pick(
                    "", "key=photos/a", "key=own/ios/a", "key=own/android/b", "key=one.txt", "prefix=photos/", "key=x"),
                pick("", "", "bucket=media", "bucket=attic", "bucket=b"), pick("", "", "size=50", "size=51"),
                pick("", "", "expires=60", "expires=901", "expires=3601"),
                pick("", "", "grant=photos", "grant=own", "grant=any", "grant=none"),
            ].filter { !$0.isEmpty }.joined(separator: "&")
            let id = pick("anonymous", "android", "ios")
            let decision = try Fixture.decide(query, by: try caller(id), policy)
            let explanation = try explain(query, by: id)
            let fitting = explanation.grants.filter(\.fits).map(\.grant.name.text)
            switch explanation.outcome {
            case .permitted(let permitted):
                #expect(
                    decision
                        == .permitted(
                            grant: permitted.grant.name.text, bucket: permitted.bucket.text, key: permitted.key.text,
                            permitted.extent, lifetime: permitted.lifetime, by: permitted.limitedBy), "\(query)")
                #expect(fitting == [permitted.grant.name.text], "\(id): \(query)")
            case .denied(.ambiguous(let names, _)):
                #expect(decision == .ambiguous(names.map(\.text)) && names.map(\.text) == fitting, "\(id): \(query)")
                #expect(fitting.count > 1, "\(id): \(query)")
            case .denied:
                if case .permitted = decision { Issue.record("\(id): \(query)") }
                #expect(fitting.isEmpty, "\(id): \(query)")
            }
        }
    }
}
