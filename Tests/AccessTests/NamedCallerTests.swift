import Crypto
import Testing

@testable import Access
@testable import Bytes

/// Callers who are named and do not prove who they are.
@Suite struct NamedCallerTests {
    private func name(_ caller: String, _ claims: String = "{}", now: Int64 = Fixture.now) throws
        -> Authenticator.Finding
    {
        let login = try JWTIssuer(
            id: Array("login".utf8), issuer: Array("https://id.example.com".utf8), audience: Array("a".utf8),
            algorithms: [.rs256], keys: .fetched(from: []), leeway: 30)
        let authenticator = Authenticator(
            .init(
                apiKeys: [
                    try Fixture.key("app", "one", notAfter: Fixture.now + 100),
                    try Fixture.key("app", "two", notAfter: Fixture.now + 900),
                    try Fixture.key("old", "three", notAfter: Fixture.now),
                    try Fixture.key("free", "four", notAfter: 7),
                    try Fixture.key("free", "five"),
                ], issuers: [login], claimNames: ["sub", "iss", "role"].reduce(into: []) { $0.insert(Array($1.utf8)) },
                denied: [Principal(.jwt, id: Array("login".utf8), subject: Array("mallory".utf8))]))
        let value = try JSONReader.read(Array(claims.utf8), as: .json)
        guard case .object(let members) = value.content else { throw AskError(.invalid, "claims", "is no object") }
        let principal = try #require(Principal(written: Array(caller.utf8)), "\(caller)")
        return authenticator.caller(principal, claiming: members, at: now)
    }

    private func caller(_ text: String, _ claims: String = "{}") throws -> Caller {
        guard case .caller(let caller) = try name(text, claims) else { throw AskError(.invalid, text, "is nobody") }
        return caller
    }

    @Test func `of several keys of an id the one that holds longest counts`() throws {
        #expect(try caller("apiKey:app").endsAt == Fixture.now + 900)
        #expect(try caller("apiKey:free").endsAt == nil)
        #expect(try caller("anonymous").principal == .anonymous)
    }

    @Test func `a subject has its own name, its issuer's, and the claims that are said`() throws {
        let anne = try caller("jwt:login/anne", #"{"role":["a","b"],"other":"x","exp":\#(Fixture.now + 60)}"#)
        #expect(anne.claims.text(Array("sub".utf8))?.text == "anne")
        #expect(anne.claims.text(Array("iss".utf8))?.text == "https://id.example.com")
        guard case .list(let roles)? = anne.claims[Array("role".utf8)] else { return #expect(Bool(false)) }
        #expect(roles == [.text(Array("a".utf8)), .text(Array("b".utf8))])
        #expect(anne.claims.entries.count == 3 && anne.endsAt == Fixture.now + 60 && !anne.isDenied)
        #expect(try caller("jwt:login/a/b").principal.subject.text == "a/b")
        #expect(try caller("jwt:login/mallory").isDenied)
        #expect(try caller("jwt:login/anne", #"{"sub":"anne"}"#).claims.entries.count == 2)
    }

    @Test(arguments: [
        ("apiKey:nobody", "{}", "no such id"), ("apiKey:old", "{}", "has ended"),
        ("apiKey:app", #"{"role":"a"}"#, "only callers of authentication.jwt"),
        ("anonymous", #"{"role":"a"}"#, "only callers of authentication.jwt"),
        ("jwt:other/anne", "{}", "no such issuer"),
        ("jwt:login/anne", #"{"sub":"bob"}"#, "must be the caller's own"),
        ("jwt:login/anne", #"{"iss":"other"}"#, "must be the caller's own"),
        ("jwt:login/anne", #"{"sub":7}"#, "must be the caller's own"),
        ("jwt:login/anne", #"{"exp":"soon"}"#, "no time"), ("jwt:login/anne", #"{"exp":1000}"#, "in the past"),
    ])
    func `who cannot be is nobody`(_ caller: String, _ claims: String, _ reason: String) throws {
        guard case .refused(let found, _) = try name(caller, claims) else {
            Issue.record("\(caller) is somebody")
            return
        }
        #expect(found.description.contains(reason), "\(found)")
    }

    @Test func `callers are written as they are read`() throws {
        for text in ["anonymous", "apiKey:app", "apiKey:a:b", "jwt:login/anne", "jwt:login/a/b:c"] {
            #expect(Principal(written: Array(text.utf8))?.written.text == text)
        }
        for text in [
            "", ":", "app", "apiKey:", "apikey:app", "jwt:login", "jwt:login/", "anonymous:", "anonymous:x", "ticket:1",
        ] {
            #expect(Principal(written: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
