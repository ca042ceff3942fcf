import TestKeys
import TestTraits
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto

@Suite("Tickets (R11)")
struct TicketTests {
    private static let secret = Secret([UInt8](repeating: 0x5A, count: 32))
    let key: TicketKey
    let signer: TicketSigner

    init() throws {
        key = try TicketKey(Self.secret, maximumLifetime: 3600, denied: [Array("denied-id".utf8)])
        signer = try key.makeSigner()
    }

    private static let claims = CallerClaims([
        (Array("tenant".utf8), .single(.text(Array("t1".utf8)))),
        (Array("groups".utf8), .list([.text(Array("a".utf8)), .text([])])),
    ])

    static func ticket(
        _ id: String = "an-id", subject: String = "42", kind: Principal.Kind = .jwt,
        until end: Int64 = Fixture.now + 60,
        grant: String = "photos", fixing parameters: [(String, String)] = [("key", "users/42/a.jpg")],
        mark: [UInt8] = [1, 2, 3]
    ) throws -> Ticket {
        let principal = Principal(kind, id: Array("login".utf8), subject: Array(subject.utf8))
        let terms = TicketTerms(
            grant: Array(grant.utf8),
            parameters: parameters.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) })
        return try #require(
            Ticket(Array(id.utf8), for: Caller(principal, index: 1, claims: claims), until: end, terms, mark: mark))
    }

    @Test(arguments: Principal.Kind.allCases.filter { $0 != .anonymous })
    func `what is written is read again, whole`(kind: Principal.Kind) throws {
        let ticket = try Self.ticket(kind: kind)
        let text = try #require(try signer.write(ticket))
        let read = try #require(try signer.read(text.span))
        #expect(read.id == ticket.id && read.principal == ticket.principal && read.endsAt == ticket.endsAt)
        #expect(read.terms.grant == ticket.terms.grant && read.terms.parameters == ticket.terms.parameters)
        #expect(read.claims.text(Array("tenant".utf8)) == Array("t1".utf8))
        let names = text.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        #expect(names, "it needs no escapes in a URL")
    }

    @Test func `no ticket is read with any of its characters changed, left out or doubled`() throws {
        let text = try #require(try signer.write(try Self.ticket()))
        for index in text.indices {
            for other in [UInt8(ascii: "A"), UInt8(ascii: "b"), UInt8(ascii: "-"), UInt8(ascii: "="), 0, 0xFF]
            where other != text[index] {
                var changed = text
                changed[index] = other
                #expect(try signer.read(changed.span) == nil)
            }
            var shorter = text
            shorter.remove(at: index)
            #expect(try signer.read(shorter.span) == nil)
            var longer = text
            longer.insert(text[index], at: index)
            #expect(try signer.read(longer.span) == nil)
        }
        for end in text.indices {
            let start = Array(text[..<end])
            #expect(try signer.read(start.span) == nil)
        }
        let padded = text + [UInt8(ascii: "=")]
        #expect(try signer.read(padded.span) == nil)
    }

    @Test func `another secret knows nothing of it, nor does the secret itself as a key`() throws {
        let text = try #require(try signer.write(try Self.ticket()))
        let other = try TicketKey(Secret([UInt8](repeating: 0x5B, count: 32)), maximumLifetime: 3600, denied: [])
        #expect(try other.makeSigner().read(text.span) == nil)
        let raw = try TicketSigner(HMACKey(.sha256, Self.secret))
        #expect(try raw.read(text.span) == nil)
        let forged = try #require(try raw.write(try Self.ticket()))
        #expect(try signer.read(forged.span) == nil)
    }

    @Test func `no two tickets are written alike`() throws {
        let tickets = [
            try Self.ticket(), try Self.ticket("an-i", subject: "d42"), try Self.ticket(subject: "4"),
            try Self.ticket(kind: .apiKey), try Self.ticket(kind: .certificate),
            try Self.ticket(grant: "photo", fixing: [("skey", "users/42/a.jpg")]),
            try Self.ticket(fixing: [("keyu", "sers/42/a.jpg")]), try Self.ticket(fixing: []),
            try Self.ticket(until: Fixture.now), try Self.ticket(mark: [1, 2]),
        ]
        let texts = try tickets.map { try signer.write($0) }
        #expect(Set(texts).count == tickets.count)
    }

    @Test func `one that no URL could hold is not made`() throws {
        #expect(try signer.write(try Self.ticket(fixing: [("text", String(repeating: "a", count: 4096))])) == nil)
        let long = [UInt8](repeating: UInt8(ascii: "A"), count: TicketSigner.maximumLength + 4)
        #expect(try signer.read(long.span) == nil)
    }

    @Test func `nobody in particular has one, and a ticket makes none`() throws {
        let ticket = try Self.ticket()
        let terms = ticket.terms
        #expect(Ticket([1], for: Caller(.anonymous, index: 0), until: 1, terms, mark: []) == nil)
        let bearer = Caller(Principal(.apiKey, id: [97], subject: [97]), index: 1, by: .init(ticket: ticket))
        #expect(Ticket([1], for: bearer, until: 1, terms, mark: []) == nil)
    }

    // MARK: Who that is

    static let apiKey = "a-key-0123456789"

    private func finding(
        _ ticket: Ticket, denied: Set<Principal> = [], keys: [Authenticator.APIKey]? = nil
    ) throws -> Authenticator.Finding {
        let authenticator = Authenticator(
            .init(
                apiKeys: try keys ?? [Fixture.key("login", Self.apiKey)], ticketKey: key, denied: denied))
        let text = try #require(try signer.write(ticket))
        var memory = authenticator.makeMemory()
        return authenticator.identify(ticket: text.span, by: signer, at: Fixture.now, remembering: &memory)
    }

    func caller(_ finding: Authenticator.Finding) -> Caller? {
        if case .caller(let caller) = finding { caller } else { nil }
    }

    /// The caller of a ticket that was never seen before.
    private func caller(of text: [UInt8], to authenticator: Authenticator) -> Caller? {
        var memory = authenticator.makeMemory()
        return caller(authenticator.identify(ticket: text.span, by: signer, at: Fixture.now, remembering: &memory))
    }

    func mark(_ key: String = apiKey) throws -> [UInt8] {
        try signer.mark(of: .apiKey(try Fixture.digest(key)))
    }

    @Test func `its principal is who asks, until it ends, while it is known and not denied (R12)`() throws {
        let ticket = try Self.ticket(kind: .apiKey, mark: mark())
        let caller = caller(try finding(ticket))
        #expect(caller?.principal == ticket.principal)
        #expect(caller?.endsAt == Fixture.now + 60)
        #expect(caller?.isDenied == false)
        #expect(caller?.ticket?.terms.grant == ticket.terms.grant)
        for refused in [
            try Self.ticket(kind: .apiKey, until: Fixture.now, mark: mark()), try Self.ticket(kind: .jwt, mark: mark()),
        ] {
            let isCaller = if case .caller = try finding(refused) { true } else { false }
            #expect(!isCaller)
        }
        for (ticket, denied) in [
            (ticket, Set([ticket.principal])),
            (try Self.ticket("denied-id", kind: .apiKey, mark: mark()), Set<Principal>()),
        ] {
            let isDenied =
                if case .caller(let caller) = try finding(ticket, denied: denied) { caller.isDenied } else {
                    false
                }
            #expect(isDenied)
        }
    }

    // MARK: What had proved its maker

    @Test func `R19: it ends with the API key that made it, whatever other keys its maker has`() throws {
        let ticket = try Self.ticket(kind: .apiKey, mark: mark())
        let (own, other) = (try Fixture.key("login", Self.apiKey), try Fixture.key("login", "another"))
        #expect(caller(try finding(ticket, keys: [other, own, try Fixture.key("else", "third")])) != nil)
        let ended = try Fixture.key("login", Self.apiKey, notAfter: Fixture.now)
        let later = try Fixture.key("login", Self.apiKey, notAfter: Fixture.now + 1)
        #expect(caller(try finding(ticket, keys: [later, other])) != nil)
        for keys in [[other], [ended, other], [other, try Fixture.key("else", Self.apiKey)]] {
            #expect(caller(try finding(ticket, keys: keys)) == nil)
        }
        #expect(caller(try finding(try Self.ticket(kind: .apiKey, mark: []))) == nil)
        #expect(
            caller(try finding(try Self.ticket(kind: .apiKey, mark: Fixture.digest(Self.apiKey).bytes.array))) == nil)
    }

    static func issuer(
        _ key: TestKey, id: String = "login", audience: String = TokenFixture.audience, source: String? = nil,
        leeway: Int64 = 0
    ) throws -> JWTIssuer {
        try JWTIssuer(
            id: Array(id.utf8), issuer: Array(TokenFixture.issuer.utf8), audience: Array(audience.utf8),
            algorithms: [key.algorithm],
            keys: source.map { .fetched(from: Array($0.utf8)) }
                ?? .known(JWTKeySet([JWTKeySet.Key(try TokenFixture.verifier(key))])), leeway: leeway)
    }

    /// What identifies the holder of a token that a key has signed.
    static func proof(_ key: TestKey, source: String? = nil) throws -> CallerProof {
        .issuer(try issuer(key, source: source).fingerprint, key: try TokenFixture.verifier(key).fingerprint())
    }

    @Test func `R19: it ends when the key that signed its maker's token is gone from the set that is fetched`() throws {
        let (one, two) = (TestKey(.eddsa), TestKey(.eddsa))
        let url = "https://id.example.com/keys"
        let ticket = try Self.ticket(mark: signer.mark(of: Self.proof(one, source: url)))
        let text = try #require(try signer.write(ticket))
        let authenticator = Authenticator(
            .init(
                apiKeys: [], issuers: [try Self.issuer(one, source: url)], ticketKey: key, denied: []))
        func finding(_ keys: [TestKey]?, until end: Int64 = Fixture.now + 60) throws -> Authenticator.Finding {
            var memory = authenticator.makeMemory()
            if let keys {
                let set = JWTKeySet(try keys.map { JWTKeySet.Key(try TokenFixture.verifier($0)) })
                memory.take(set, of: 0, areOther: true, until: end)
            }
            return authenticator.identify(ticket: text.span, by: signer, at: Fixture.now, remembering: &memory)
        }
        #expect(caller(try finding([two, one]))?.principal == ticket.principal)
        // Nobody can tell yet, or any more.
        for unknown in [try finding(nil), try finding([one], until: Fixture.now)] {
            let isToWait = if case .refused(_, .token(let fault)?) = unknown { fault.isByOldKeys } else { false }
            #expect(isToWait)
        }
        let isRefused =
            if case .refused(_, .token(let fault)?) = try finding([two]) { !fault.isByOldKeys } else { false }
        #expect(isRefused)
    }

    @Test func `R19: it ends when the issuer of its maker's token has another key, audience, id or source`() throws {
        let (one, two) = (TestKey(.eddsa), TestKey(.eddsa))
        let ticket = try Self.ticket(mark: signer.mark(of: Self.proof(one)))
        let text = try #require(try signer.write(ticket))
        func asks(_ issuer: JWTIssuer) -> Caller? {
            let authenticator = Authenticator(.init(apiKeys: [], issuers: [issuer], ticketKey: key, denied: []))
            return caller(of: text, to: authenticator)
        }
        #expect(asks(try Self.issuer(one))?.principal == ticket.principal)
        for other in [
            try Self.issuer(two), try Self.issuer(one, id: "logan"), try Self.issuer(one, audience: "else"),
            try Self.issuer(one, source: "https://id.example.com/keys"),
        ] { #expect(asks(other) == nil) }
        let fetched = try Self.issuer(one, source: "https://id.example.com/keys")
        #expect(
            try Self.issuer(two, source: "https://id.example.com/keys").fingerprint.constantTimeEquals(
                fetched.fingerprint))
        #expect(
            !(try Self.issuer(one, source: "https://id.example.com/k").fingerprint.constantTimeEquals(
                fetched.fingerprint)))
    }

    @Test func `R19: it ends with the authorities of its maker's certificate, and when their list has it`() throws {
        let authorities = try ClientAuthorities(Array(Authorities.root.utf8), revocations: nil)
        let id = Array("login".utf8)
        let name = AlternativeName(.dns, Array("backend.example.com".utf8))
        let second = AlternativeName(.email, Array("ops@example.com".utf8))
        let proof = CallerProof.certificate([name, second], authorities.proof)
        let ticket = try Self.ticket(kind: .certificate, mark: signer.mark(of: proof))
        let text = try #require(try signer.write(ticket))
        func asks(
            _ authorities: ClientAuthorities?, knowing names: [AlternativeName] = [name],
            beside others: [AlternativeName] = []
        ) -> Caller? {
            let certificates = [
                Authenticator.Certificate(id: id, names: names),
                Authenticator.Certificate(id: Array("other".utf8), names: others),
            ]
            let authenticator = Authenticator(
                .init(
                    apiKeys: [], certificates: certificates, authorities: authorities, ticketKey: key, denied: []))
            return caller(of: text, to: authenticator)
        }
        #expect(asks(authorities) != nil)
        let listing = try ClientAuthorities(
            Array(Authorities.root.utf8), revocations: Array(Authorities.revokesDirect.utf8))
        let strangers = try ClientAuthorities(Array(Authorities.stranger.utf8), revocations: nil)
        for other in [nil, strangers, listing] { #expect(asks(other) == nil) }
        // The certificate is not the caller's any more by the name that it has.
        #expect(asks(authorities, knowing: [AlternativeName(.uri, name.value)]) == nil)
        #expect(asks(authorities, knowing: []) == nil)
        // Any of its names is enough, unless another is somebody else's.
        for names in [[second], [name, second]] { #expect(asks(authorities, knowing: names) != nil) }
        #expect(
            asks(authorities, beside: [second]) == nil && asks(authorities, knowing: [second], beside: [name]) == nil)
    }

    @Test func `R12, R19: another configuration serves a caller that it knows by the same proof and does not deny`()
        throws
    {
        func authenticator(_ keys: [String], denied: [String] = [], tickets: [String] = []) throws -> Authenticator {
            Authenticator(
                .init(
                    apiKeys: try keys.map { try Fixture.key("login", $0) },
                    ticketKey: try TicketKey(
                        Self.secret, maximumLifetime: 60, denied: Set(tickets.map { Array($0.utf8) })),
                    denied: Set(denied.map { Principal(.apiKey, id: Array($0.utf8), subject: Array($0.utf8)) })))
        }
        func serves(_ authenticator: Authenticator, _ caller: Caller, at now: Int64 = Fixture.now) -> Bool {
            authenticator.serves(caller, at: now, authenticator.makeMemory())
        }
        let before = try authenticator(["one", "two"])
        let key = Array("one".utf8)
        let caller = try #require(self.caller(before.identify(apiKey: key.span, at: Fixture.now)))
        #expect(serves(before, caller) && serves(before, before.anonymous))
        #expect(try serves(authenticator(["one"], denied: ["other"]), caller))
        #expect(try !serves(authenticator(["two"]), caller))
        #expect(try !serves(authenticator(["one"], denied: ["login"]), caller))
        let principal = Principal(.apiKey, id: Array("login".utf8), subject: Array("login".utf8))
        let made = try #require(
            Ticket(Array("t1".utf8), for: caller, until: Fixture.now + 9, Self.ticket().terms, mark: mark("one")))
        let text = try #require(try signer.write(made))
        let ticket = try #require(try signer.read(text.span))
        let bearer = Caller(principal, index: 1, by: .init(ticket: ticket, proof: caller.proof))
        #expect(try serves(authenticator(["one"]), bearer))
        let ending = Caller(
            principal, index: 1, by: .init(endsAt: Fixture.now + 9, ticket: ticket, proof: caller.proof))
        #expect(try serves(authenticator(["one"]), ending, at: Fixture.now + 8))
        #expect(try !serves(authenticator(["one"]), ending, at: Fixture.now + 9))
        #expect(try !serves(authenticator(["two"]), bearer))
        let keys = [try Fixture.key("login", "one")]
        let otherKey = try TicketKey(Secret([UInt8](repeating: 0x5B, count: 32)), maximumLifetime: 60, denied: [])
        #expect(!serves(Authenticator(.init(apiKeys: keys, ticketKey: otherKey, denied: [])), bearer))
        #expect(!serves(Authenticator(.init(apiKeys: keys, denied: [])), bearer))
    }

    @Test
    func
        `R12, R19: a token that holds by what clocks may differ is judged by what the newest configuration says of them`()
        throws
    {
        let key = TestKey(.eddsa)
        func serves(_ leeway: Int64) throws -> Bool {
            let issuer = try Self.issuer(key, leeway: leeway)
            let authenticator = Authenticator(.init(apiKeys: [], issuers: [issuer], denied: []))
            let caller = Caller(
                Principal(.jwt, id: issuer.id, subject: Array("42".utf8)), index: 1,
                by: .init(endsAt: Fixture.now - 5, leeway: 30, proof: try Self.proof(key)))
            return authenticator.serves(caller, at: Fixture.now, authenticator.makeMemory())
        }
        #expect(try serves(30) && serves(6) && !serves(5) && !serves(0))
    }

    @Test func `random bytes are no ticket`() throws {
        var random = SplitMix64(seed: 13)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(Ticket(reading: bytes.span) == nil || bytes.first == 2)
            #expect(try signer.read(bytes.span) == nil)
        }
    }
}
