import Testing

@testable import Access
@testable import Bytes

/// When a grant may be used, from where, and what that means for what it gives.
@Suite struct AvailabilityTests {
    private let authenticator = Authenticator(.init())
    private var anonymous: Caller { authenticator.anonymous }

    private func decide(
        _ availability: Availability, _ query: String = "", from address: String? = nil, least: Int64 = 1,
        ends end: Ask.End? = nil, issuer: any Issuer = Fixture.Limited()
    ) throws -> Fixture.Outcome {
        let grant = try Fixture.grant(
            "g", prefix: "p/", availability: availability, leastLifetime: least, issuer: issuer)
        let policy = Policy([grant], for: authenticator, routes: 1)
        return try Fixture.decide(query, by: anonymous, policy, ends: end, from: address.flatMap { IPAddress($0) })
    }

    private static func permitted(_ lifetime: Int64, by limit: Permit.Limit) -> Fixture.Outcome {
        .permitted(grant: "g", bucket: "media", key: "p/", .prefix, lifetime: lifetime, by: limit)
    }

    private static func blocks(_ texts: String...) throws -> [AddressBlock] {
        try texts.map { try #require(AddressBlock($0)) }
    }

    @Test func `a grant that is switched off, has not begun or has ended gives nothing, and says which`() throws {
        let now = Fixture.now
        #expect(try decide(Availability(isEnabled: false)) == .notInGrant(clause: "enabled"))
        #expect(try decide(Availability(notBefore: now + 1)) == .notInGrant(clause: "notBefore"))
        #expect(try decide(Availability(notBefore: now)) == Self.permitted(600, by: .grant))
        #expect(try decide(Availability(notAfter: now)) == .notInGrant(clause: "notAfter"))
        #expect(try decide(Availability(notAfter: now + 1)) == Self.permitted(1, by: .grant))
        // In the order of the clauses, and before key and lifetime.
        let all = Availability(isEnabled: false, notBefore: now + 1, addresses: try Self.blocks("10.0.0.0/8"))
        #expect(try decide(all, "key=q&expires=9999") == .notInGrant(clause: "enabled"))
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("2001:db8::/32", "2001:db8:1::9", true),
        ("2001:db8::/32", "2001:db9::", false), ("2001:db8::/32", "10.1.2.3", false), ("0.0.0.0/0", "8.8.8.8", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "8.8.8.8", true),
    ])
    func `a caller's address is in one of the grant's blocks`(block: String, address: String, isIn: Bool) throws {
        let outcome = try decide(Availability(addresses: try Self.blocks("203.0.113.0/24", block)), from: address)
        #expect(outcome == (isIn ? Self.permitted(600, by: .grant) : .notInGrant(clause: "addresses")))
    }

    @Test func `who has no address is in no block, not even in that of all`() throws {
        let outcome = try decide(Availability(addresses: try Self.blocks("::/0")))
        #expect(outcome == .notInGrant(clause: "addresses"))
    }

    @Test func `of two grants for different times or places one fits, and the nearest is told of where none does`()
        throws
    {
        let day = try Fixture.grant("day", prefix: "p/", availability: Availability(notAfter: Fixture.now + 100))
        let next = try Fixture.grant("next", prefix: "p/", availability: Availability(notBefore: Fixture.now + 100))
        let policy = Policy([day, next], for: authenticator, routes: 1)
        #expect(
            try Fixture.decide("key=p/a", by: anonymous, policy)
                == .permitted(grant: "day", bucket: "media", key: "p/a", .object, lifetime: 100, by: .grant))
        #expect(try Fixture.decide("key=q/a", by: anonymous, policy) == .notInGrant(clause: "keyPrefix"))
    }

    @Test func `what is issued ends with the grant, by whoever's lifetime is less`() throws {
        let hour = Availability(notAfter: Fixture.now + 300)
        #expect(try decide(hour) == Self.permitted(300, by: .grant))
        #expect(try decide(hour, "expires=200") == Self.permitted(200, by: .requested))
        #expect(try decide(hour, "expires=301") == Self.permitted(300, by: .grant))
        #expect(try decide(hour, "expires=3601") == .tooLong(maximum: 3600))
        let caller = Caller(.anonymous, index: 0, by: .init(endsAt: Fixture.now + 100))
        let grant = try Fixture.grant("g", prefix: "p/", availability: hour)
        let policy = Policy([grant], for: authenticator, routes: 1)
        #expect(try Fixture.decide("", by: caller, policy) == Self.permitted(100, by: .caller))
    }

    @Test func `a session is cut to whole times of the vendor's least, and refused where not even that is left`() throws
    {
        func decide(_ left: Int64) throws -> Fixture.Outcome {
            try self.decide(Availability(notAfter: Fixture.now + left), "expires=3600", least: 900)
        }
        #expect(try decide(3660) == Self.permitted(3600, by: .requested))
        // A minute is for the call that fetches it.
        #expect(try decide(3659) == Self.permitted(2700, by: .grant))
        #expect(try decide(2000) == Self.permitted(1800, by: .grant))
        #expect(try decide(960) == Self.permitted(900, by: .grant))
        #expect(try decide(959) == .notInGrant(clause: "notAfter"))
        #expect(try decide(1) == .notInGrant(clause: "notAfter"))
    }

    @Test func `what cannot be shortened is refused where it would outlive the grant, whatever outliveCaller says`()
        throws
    {
        let soon = Availability(notAfter: Fixture.now + 100)
        for callersEnd in [CallersEnd.shortens, .denies, .ignored] {
            let issuer = Fixture.Limited(callersEnd: callersEnd)
            for end in [Ask.End.binding(Fixture.now + 101), .fixed(Fixture.now + 101)] {
                #expect(try decide(soon, ends: end, issuer: issuer) == .notInGrant(clause: "notAfter"))
            }
            for end in [Ask.End.binding(Fixture.now + 100), .fixed(Fixture.now + 100)] {
                #expect(try decide(soon, ends: end, issuer: issuer) == Self.permitted(100, by: .requested))
            }
        }
    }

    @Test func `explain tells each of the clauses that the grant has, and what was compared`() throws {
        let availability = Availability(
            notBefore: Fixture.now - 60, notAfter: Fixture.now + 60, addresses: try Self.blocks("10.0.0.0/8", "::1"))
        let grant = try Fixture.grant("g", prefix: "p/", availability: availability)
        let policy = Policy([grant], for: authenticator, routes: 1)
        let ask = try Fixture.ask("", from: IPAddress("192.0.2.1"))
        var workspace = PolicyWorkspace()
        let explanation = policy.explain(ask, on: 0, by: anonymous, at: Fixture.instant, in: &workspace)
        let findings = try #require(explanation.grants.first).findings.map {
            "\($0.subject) \($0.outcome) \($0.asked?.text ?? "-")/\($0.granted?.text ?? "-") \($0.reason)"
        }
        let now = ISO8601.write(Fixture.now).text
        #expect(
            findings.dropFirst().prefix(4) == [
                "notBefore holds \(now)/\(ISO8601.write(Fixture.now - 60).text) ",
                "notAfter holds \(now)/\(ISO8601.write(Fixture.now + 60).text) ",
                "addresses fails 192.0.2.1/10.0.0.0/8, ::1 the caller's address is not one of the grant's",
                "bucket holds -/media ",
            ])
        let permitted = try Fixture.ask("", from: IPAddress("10.9.9.9"))
        let second = policy.explain(permitted, on: 0, by: anonymous, at: Fixture.instant, in: &workspace)
        guard case .permitted(let given) = second.outcome else { return #expect(Bool(false)) }
        #expect(given.bounds.map { "\($0.limit.name) \($0.seconds)" } == ["grant 600", "grant 60"])
    }

    @Test func `only grants that may be used now and from here are listed`() throws {
        let grants = [
            try Fixture.grant("off", prefix: "a/", availability: Availability(isEnabled: false)),
            try Fixture.grant("past", prefix: "a/", availability: Availability(notAfter: Fixture.now)),
            try Fixture.grant("future", prefix: "a/", availability: Availability(notBefore: Fixture.now + 1)),
            try Fixture.grant("office", prefix: "a/", availability: Availability(addresses: Self.blocks("10.0.0.0/8"))),
            try Fixture.grant("now", prefix: "a/"),
        ]
        let policy = Policy(grants, for: authenticator, routes: 1)
        for (address, names) in [("10.0.0.1", ["office", "now"]), ("192.0.2.1", ["now"])] {
            let ask = try Fixture.ask("", from: IPAddress(address))
            var workspace = PolicyWorkspace()
            var listed: [String] = []
            policy.list(for: anonymous, asking: ask, at: Fixture.instant, in: &workspace) {
                listed.append($0.grant.name.text)
            }
            #expect(listed == names)
        }
    }
}
