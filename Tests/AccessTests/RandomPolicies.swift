import TestTraits

@testable import Access
@testable import Bytes

/// Grants, callers and asks by chance, of few words, so that they often meet.
struct RandomPolicies {
    private var random: SplitMix64
    private let authenticator: Authenticator
    private var number = 0

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        authenticator = Authenticator(
            .init(apiKeys: try ["a", "b", "idp"].map { try Fixture.key($0, "key of \($0)") }))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    // MARK: Grants

    mutating func policy(grants count: Int) throws -> Policy {
        number = 0
        let isPlain = chance(30)
        let grants = try (0..<count).map { _ in try grant(isPlain: isPlain) }
        return Policy(grants, for: authenticator, routes: 2)
    }

    /// - Parameter isPlain: whether it always holds, for everybody but anonymous callers.
    private mutating func grant(isPlain: Bool) throws -> Grant {
        number += 1
        let callers = pick(
            isPlain
                ? [[.authenticated], [Fixture.apiKey("a")]]
                : [[.authenticated], [.authenticated, .anonymous], [Fixture.apiKey("a")], everybody])
        let choices = (0..<6).map { _ in isPlain || chance(60) ? 0 : Int.random(in: 0..<4, using: &random) }
        let most = [600, 60, 3600, 1200][choices[2]] as Int64
        return Grant(
            Grant.Entry(
                Array("grant\(number)".utf8), at: number - 1,
                terms: chance(80) ? Grant.Fingerprint { $0.combine(choices) } : nil),
            for: Grant.Principals(
                callers, where: RandomPolicies.conditions[choices[0]],
                when: RandomPolicies.availabilities[choices[1]]),
            of: Grant.Resources(
                try target(), in: pick([.named("one"), .named("two"), .named("three"), .asked, .absent]),
                withoutKey: choices[3] == 1 ? .refuse(parameter: "key") : .prefix,
                maximumKeyLength: choices[4] == 1 ? 9 : 1023),
            lasting: Grant.Lifetimes(usual: most, longest: most),
            Grant.Issuance(by: RandomPolicies.issuers[choices[5]], on: chance(95) ? 0 : 1, with: 0))
    }

    private let everybody: [CallerSelector] = [
        .anonymous, Fixture.apiKey("a"), Fixture.apiKey("b"), Fixture.apiKey("idp"),
    ]

    private static let conditions = [
        [],
        [ClaimCondition(name: Array("t".utf8), values: [.text(Array("x".utf8)), .text(Array("y".utf8))])],
        [
            ClaimCondition(name: Array("t".utf8), values: [.text(Array("y".utf8))]),
            ClaimCondition(name: Array("n".utf8), values: [.integer(1), .integer(2)]),
        ],
        [ClaimCondition(name: Array("scope".utf8), values: [.text(Array("up".utf8))])],
    ]

    private static let availabilities = [
        Availability(), Availability(isEnabled: false), Availability(notAfter: Fixture.now),
        Availability(notBefore: Fixture.now - 1, addresses: [AddressBlock("192.0.2.0/24")].compactMap(\.self)),
    ]

    private static let issuers = [
        Fixture.Limited(), Fixture.Limited(most: 5), Fixture.Limited(takesObscure: true),
        Fixture.Limited(vendorName: try? KeyTemplate(Array("${caller.id}".utf8)), badEnd: Array("b".utf8)),
    ]

    private mutating func target() throws -> Grant.Target {
        if chance(8) { return .anything }
        let placeholders = [
            "${caller.id}", "${caller.source}", "${claims.t}", "${sha256:claims.t}", "${date.yyyy}", "${uuid}",
        ]
        var text = pick(["", "", "a", "b/", "a/", "a/b/"])
        if chance(50) { text += pick(placeholders) + pick(["/", "/a/", "-b/"]) }
        if chance(20) { text += pick(["a/", "b"]) + pick(placeholders) + "/" }
        if chance(40) { return .prefix(try KeyTemplate(Array((text + pick(["a", "b/", "a/"])).utf8))) }
        let key = text + pick(["a", "b", "a.${ext}", "b.jpg"])
        return .key(try KeyTemplate(Array(key.utf8)).limited(to: chance(20) ? [Array("jpg".utf8)] : nil))
    }

    // MARK: Callers

    /// A caller, and what names it alone.
    mutating func caller() -> (Caller, CallerSelector) {
        let id = pick(["", "a", "b", "idp", "idp"])
        guard !id.isEmpty else { return (authenticator.anonymous, .anonymous) }
        let bytes = Array(id.utf8)
        let index = authenticator.index(of: .apiKey, bytes) ?? 0
        guard id == "idp" else {
            return (Caller(Principal(.apiKey, id: bytes, subject: bytes), index: index), Fixture.apiKey(id))
        }
        // Claims are looked at whoever has them.
        let principal = Principal(.jwt, id: bytes, subject: Array(pick(["a", "b", "no/name"]).utf8))
        return (Caller(principal, index: index, claims: claims()), Fixture.apiKey(id))
    }

    private mutating func claims() -> CallerClaims {
        let (x, y) = (ClaimValue.text(Array("x".utf8)), ClaimValue.text(Array("y".utf8)))
        var entries: [(name: [UInt8], value: CallerClaims.Value)] = []
        if chance(80) { entries.append((Array("t".utf8), pick([.single(x), .single(y), .list([x, y])]))) }
        let (one, two) = (ClaimValue.integer(1), ClaimValue.integer(2))
        if chance(60) { entries.append((Array("n".utf8), pick([.single(one), .list([one, two])]))) }
        if chance(60) { entries.append((Array("scope".utf8), .single(.text(Array("up down".utf8))))) }
        return CallerClaims(entries)
    }

    // MARK: Asks

    mutating func query() -> String {
        var parts: [String] = []
        let first = ["", "a/", "b/", "a/b/", "a", "x", "2026/", "apiKey-a/", "jwt-idp/"]
        if chance(75) {
            let key = pick(first) + pick(first) + pick(["a", "b", "a.jpg", "b.jpg", "a.png", "a/b", "a/a/a/a/a"])
            parts.append((chance(20) ? "prefix=" : "key=") + key)
        }
        if chance(10) { parts.append("ext=" + pick(["jpg", "png"])) }
        if chance(50) { parts.append("bucket=" + pick(["one", "two", "three", "four"])) }
        if chance(10) { parts.append("grant=grant\(Int.random(in: 0..<30, using: &random))") }
        if chance(20) { parts.append("expires=" + pick(["30", "1000", "9999"])) }
        if chance(20) { parts.append("size=" + pick(["1", "9"])) }
        return parts.joined(separator: "&")
    }

    /// The ask of a query, with what no query says.
    mutating func ask(_ query: String) throws -> Ask {
        var ask = try Fixture.ask(query, from: chance(50) ? IPAddress("192.0.2.7") : nil)
        if chance(5) { ask.isAboutService = true }
        if chance(5) { ask.obscurity = AskError(.unreadableStringToSign, "text", "does not say") }
        return ask
    }
}
