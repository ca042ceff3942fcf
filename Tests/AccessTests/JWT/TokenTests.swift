import Crypto
import TestKeys
import Testing

@testable import Access
@testable import Bytes

@Suite("Tokens: R8, R9, R10, R12, R19") struct TokenTests {
    private let key: TestKey
    private let authenticator: Authenticator

    init() throws {
        key = try TokenFixture.key(.es256)
        authenticator = try TokenFixture.authenticator(key, claims: ["scope", "tenant", "groups", "age"])
    }

    @Test func `R9: the caller of a token is its issuer's id and its sub, byte for byte`() throws {
        let caller = try #require(
            authenticator.caller(key.token(claims: TokenFixture.claims(["sub": "\"Zo\\u00e9\""]))))
        #expect(caller.principal == Principal(.jwt, id: Array("login".utf8), subject: Array("Zo\u{e9}".utf8)))
        #expect(caller.principal.source == Array("jwt-login".utf8))
        #expect(caller.principal != Principal(.jwt, id: Array("login".utf8), subject: Array("Zoe\u{301}".utf8)))
        #expect(caller.endsAt == Fixture.now + 600)
    }

    @Test func `R8: API keys are found beside tokens, and a token is none in X-API-Key`() throws {
        #expect(authenticator.caller("first-key")?.principal.kind == .apiKey)
        let token = Array(key.token(claims: TokenFixture.claims()).utf8)
        if case .caller = authenticator.identify(apiKey: token.span, at: Fixture.now) { Issue.record("it is one") }
    }

    @Test func `an API key of somebody's own making may have two dots`() throws {
        let authenticator = Authenticator(
            .init(
                apiKeys: [try Fixture.key("odd", "a.b.c")], issuers: [try TokenFixture.entry([], [.es256])], denied: [])
        )
        #expect(authenticator.caller("a.b.c")?.principal.subject.text == "odd")
        #expect(authenticator.caller("a.b.d") == nil)
    }

    @Test func `without issuers no token is looked at`() throws {
        let authenticator = Authenticator(.init(apiKeys: [try Fixture.key("android", "first-key")], denied: []))
        #expect(authenticator.reason(key.token(claims: TokenFixture.claims())) == "the API key or token is not valid")
    }

    @Test func `who has a token of the issuer's is told why it will not do, and nobody else is`() throws {
        func told(_ token: String) -> String? {
            if case .refused(let reason, _) = authenticator.finding(token) { reason.description } else { nil }
        }
        let ended = TokenFixture.claims(["exp": "\(Fixture.now - 100)"])
        #expect(told(key.token(claims: ended)) == "the token has ended")
        #expect(told(TestKey(.es256).token(claims: ended)) == "the API key or token is not valid")
        #expect(
            told(key.token(claims: TokenFixture.claims(["nbf": "\(Fixture.now + 100)"])))
                == "the token is not valid yet")
        #expect(told(key.token(claims: TokenFixture.claims(["aud": "\"x\""]))) == "the token is for another audience")
        #expect(told(key.token(claims: TokenFixture.claims(["iss": "\"x\""]))) == "the API key or token is not valid")
    }

    @Test func `the log says what is wrong with its times, and for whom a token is`() throws {
        func logged(_ claims: String) -> String? {
            guard case .refused(_, .token(let fault)?) = authenticator.finding(key.token(claims: claims)) else {
                return nil
            }
            return fault.words
        }
        let audience = "and audience of the configuration is \(TokenFixture.audience)"
        #expect(
            logged(TokenFixture.claims(["aud": "[\"x\",\"y\"]"]))
                == "the token is for another audience: its aud is x, y, \(audience)")
        let long = String(repeating: "x", count: 300)
        #expect(
            logged(TokenFixture.claims(["aud": "\"\(long)\""]))
                == "the token is for another audience: its aud is \(long.prefix(200))…, \(audience)")
        let claims = TokenFixture.claims(["exp": "\(Fixture.now - 100)", "iat": "\(Fixture.now)"])
        #expect(logged(claims) == "its exp is before its iat or nbf")
    }

    @Test func `R5: a token holds until its exp, and the leeway longer`() throws {
        let token = key.token(claims: TokenFixture.claims(["nbf": "\(Fixture.now)"]))
        for (now, holds) in [(-31, false), (-30, true), (0, true), (599, true), (629, true), (630, false)] {
            #expect((authenticator.caller(token, at: Fixture.now + Int64(now)) != nil) == holds, "\(now)")
        }
        let strict = try TokenFixture.authenticator(key, leeway: 0)
        for (now, holds) in [(-1, false), (0, true), (599, true), (600, false)] {
            #expect((strict.caller(token, at: Fixture.now + Int64(now)) != nil) == holds, "\(now)")
        }
    }

    @Test func `R12: a subject that is denied is known, and denied`() throws {
        let denied = Principal(.jwt, id: Array("login".utf8), subject: Array("42".utf8))
        let authenticator = try TokenFixture.authenticator(key, denied: [denied])
        #expect(authenticator.caller(key.token(claims: TokenFixture.claims()))?.isDenied == true)
        let other = key.token(claims: TokenFixture.claims(["sub": "\"4\""]))
        #expect(authenticator.caller(other)?.isDenied == false)
    }

    @Test func `of the claims those are kept that grants look at, if they can be compared`() throws {
        let text = TokenFixture.claims([
            "scope": "\"a b\"", "groups": "[\"x\",\"y\"]", "tenant": "7.5", "age": "[\"x\",null]", "email": "\"e\"",
        ])
        let claims = try #require(authenticator.caller(key.token(claims: text))).claims
        #expect(claims.text(Array("scope".utf8)) == Array("a b".utf8))
        for (name, isKept) in [("groups", true), ("tenant", false), ("age", false), ("email", false), ("sub", false)] {
            #expect((claims[Array(name.utf8)] != nil) == isKept, "\(name)")
        }
    }

    // MARK: Issuers

    @Test func `R9: the same sub of two issuers is two callers`() throws {
        let (one, two) = (try TokenFixture.key(.es256), try TokenFixture.key(.rs256))
        let authenticator = Authenticator(
            .init(
                apiKeys: [],
                issuers: [
                    try TokenFixture.entry([.init(try TokenFixture.verifier(one))], [.es256], id: "one", issuer: "i1"),
                    try TokenFixture.entry([.init(try TokenFixture.verifier(two))], [.rs256], id: "two", issuer: "i2"),
                ], denied: []))
        func caller(_ key: TestKey, _ issuer: String) -> Caller? {
            authenticator.caller(key.token(claims: TokenFixture.claims(["iss": "\"\(issuer)\""])))
        }
        let (first, second) = (try #require(caller(one, "i1")), try #require(caller(two, "i2")))
        #expect(first.principal != second.principal && first.index != second.index)
        // Neither signs for the other.
        #expect(caller(one, "i2") == nil && caller(two, "i1") == nil)
    }

    // MARK: Keys

    private func believes(_ keys: [JWTKeySet.Key], _ header: String, _ key: TestKey) throws -> Bool {
        let issuer = try TokenFixture.entry(keys, [key.algorithm])
        let authenticator = Authenticator(.init(apiKeys: [], issuers: [issuer], denied: []))
        return authenticator.caller(key.token(header: header, claims: TokenFixture.claims())) != nil
    }

    @Test func `kid says which key, and without one every key that fits is tried, up to four`() throws {
        let keys = (0..<5).map { _ in TestKey(.eddsa) }
        let named = try keys.enumerated().map { number, key in
            JWTKeySet.Key(id: Array("k\(number)".utf8), try TokenFixture.verifier(key))
        }
        let stranger = JWTKeySet.Key(try TokenFixture.verifier(try TokenFixture.key(.rs256)))
        for (number, key) in keys.enumerated() {
            #expect(try believes(named, "{\"alg\":\"EdDSA\",\"kid\":\"k\(number)\"}", key))
            #expect(try !believes(named, "{\"alg\":\"EdDSA\",\"kid\":\"k\((number + 1) % 5)\"}", key))
            #expect(try !believes(named, "{\"alg\":\"EdDSA\"}", key), "five are too many to try")
            let four = named[..<4] + [stranger]
            #expect(try believes(Array(four), "{\"alg\":\"EdDSA\"}", key) == (number < 4))
        }
    }

    @Test func `a key without a name is there for tokens of any kid, but not beside one that has it`() throws {
        let (mine, other) = (TestKey(.eddsa), TestKey(.eddsa))
        let unnamed = JWTKeySet.Key(try TokenFixture.verifier(mine))
        let named = JWTKeySet.Key(id: Array("k".utf8), try TokenFixture.verifier(other))
        #expect(try believes([unnamed, named], "{\"alg\":\"EdDSA\",\"kid\":\"any\"}", mine))
        #expect(try !believes([unnamed, named], "{\"alg\":\"EdDSA\",\"kid\":\"k\"}", mine))
        #expect(try believes([unnamed, named], "{\"alg\":\"EdDSA\"}", mine))
    }

    @Test func `a key that is for one algorithm is for no other`() throws {
        let key = try TokenFixture.key(.rs256)
        let verifier = try TokenFixture.verifier(key)
        let issuer = try TokenFixture.entry([.init(verifier, for: .ps256)], [.rs256, .ps256])
        let authenticator = Authenticator(.init(apiKeys: [], issuers: [issuer], denied: []))
        let claims = Array(TokenFixture.claims().utf8)
        func believes(_ algorithm: SignatureAlgorithm) -> Bool {
            let header = Array(TokenFixture.header(algorithm).utf8)
            return authenticator.caller(key.token(header: header, claims: claims, by: algorithm)) != nil
        }
        #expect(believes(.ps256))
        #expect(!believes(.rs256))
    }

    // MARK: Grants

    private func decide(_ claims: String, where conditions: [ClaimCondition], prefix: String = "p/") throws -> String? {
        let grant = Grant(
            Grant.Entry(Array("g".utf8), at: 0),
            for: Grant.Principals([.identity(.jwt, id: Array("login".utf8))], where: conditions),
            of: Grant.Resources(
                .prefix(try KeyTemplate(Array(prefix.utf8))), in: .named(Array("media".utf8)), withoutKey: .prefix),
            lasting: Grant.Lifetimes(usual: 600, longest: 3600),
            Grant.Issuance(by: Fixture.Limited(), on: 0, with: 0))
        let authenticator = try TokenFixture.authenticator(key, claims: grant.claimNames.map(\.text))
        let caller = try #require(authenticator.caller(key.token(claims: claims)))
        var workspace = PolicyWorkspace()
        let policy = Policy([grant], for: authenticator, routes: 1)
        switch policy.decide(try Fixture.ask(""), on: 0, by: caller, at: Fixture.instant, in: &workspace) {
        case .permitted(let permit): return "\(permit.key.text) \(permit.lifetime) \(permit.limitedBy)"
        case .denied(.notInGrant(let objection)): return objection?.clause.description
        case .denied(let denial): return "\(denial)"
        }
    }

    @Test(arguments: [
        ("\"upload\"", true), ("\"read upload\"", true), ("\"upload read\"", true), ("[\"read\",\"upload\"]", true),
        ("\"uploads\"", false), ("\"Upload\"", false), ("\"read,upload\"", false), ("\"\"", false), ("[]", false),
        ("[\"read upload\"]", false), ("null", false), ("true", false), ("[\"upload\",1]", true),
        ("[\"upload\",null]", false), ("[\"upload\",1.5]", false),
        ("{\"upload\":1}", false), ("\"read\\tupload\"", false),
    ])
    func `where: a scope has one of the words that the grant asks for`(value: String, holds: Bool) throws {
        let values = [ClaimValue.text(Array("upload".utf8)), .text(Array("all".utf8))]
        let condition = ClaimCondition(name: Array("scope".utf8), values: values)
        let outcome = try decide(TokenFixture.claims(["scope": value]), where: [condition])
        #expect(outcome == (holds ? "p/ 600 grant" : nil))
    }

    @Test func `where: any other claim is compared whole, and every condition has to hold`() throws {
        for (role, scope, holds) in [
            ("\"editor of all\"", "\"upload\"", true), ("\"editor\"", "\"upload\"", false),
            ("\"editor of all\"", "\"x\"", false), ("[\"a\",\"editor of all\"]", "\"upload\"", true),
        ] {
            let claims = TokenFixture.claims(["role": role, "scope": scope])
            let outcome = try decide(
                claims, where: [self.condition("role", "editor of all"), self.condition("scope", "upload")])
            #expect((outcome == "p/ 600 grant") == holds, "\(claims)")
        }
    }

    private func condition(_ name: String, _ value: String) -> ClaimCondition {
        ClaimCondition(name: Array(name.utf8), values: [.text(Array(value.utf8))])
    }

    @Test func `R14: claims stand in a prefix, as they are or as their SHA-256`() throws {
        #expect(
            try decide(TokenFixture.claims(["t": "\"acme\""]), where: [], prefix: "t/${claims.t}/")
                == "t/acme/ 600 grant"
        )
        #expect(
            try decide(TokenFixture.claims(), where: [], prefix: "u/${claims.sub}/${caller.id}/")
                == "u/42/42/ 600 grant")
        let digest = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
        #expect(
            try decide(TokenFixture.claims(["sub": "\"foo\""]), where: [], prefix: "u/${sha256:claims.sub}/")
                == "u/\(digest)/ 600 grant")
        #expect(
            try decide(TokenFixture.claims(["sub": "\"a|b/../c\""]), where: [], prefix: "u/${sha256:claims.sub}/")?
                .count
                == 77)
    }

    @Test(arguments: ["", ".", "..", ".a", "a/b", "a b", "\\u4e2d", "a\\u0000", "a|b", "${uuid}", "%2e", "a\\\\b"])
    func `R14: a claim that may not stand in a key denies, and nothing is rewritten`(value: String) throws {
        #expect(try decide(TokenFixture.claims(["t": "\"\(value)\""]), where: [], prefix: "t/${claims.t}/") == "key")
        if value.isEmpty {
            let outcome = try decide(TokenFixture.claims(["t": "\"\""]), where: [], prefix: "t/${sha256:claims.t}/")
            #expect(outcome == "key")
        }
    }

    @Test(arguments: ["7", "null", "true", "[\"acme\"]", "{}"])
    func `R14: a claim that is no string denies`(value: String) throws {
        #expect(try decide(TokenFixture.claims(["t": value]), where: [], prefix: "t/${claims.t}/") == "key")
        #expect(try decide(TokenFixture.claims(["t": value]), where: [], prefix: "t/${sha256:claims.t}/") == "key")
        #expect(try decide(TokenFixture.claims(), where: [], prefix: "t/${claims.t}/") == "key")
    }

    @Test func `R5: what is issued ends with the caller's token, within the leeway with that`() throws {
        for (exp, lifetime) in [
            (60, "60 caller"), (1, "1 caller"), (0, "30 caller"), (-29, "1 caller"), (600, "600 grant"),
        ] {
            let claims = TokenFixture.claims(["exp": "\(Fixture.now + Int64(exp))"])
            #expect(try decide(claims, where: []) == "p/ \(lifetime)", "\(exp)")
        }
    }
}
