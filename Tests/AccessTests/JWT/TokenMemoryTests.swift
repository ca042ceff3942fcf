import Crypto
import TestKeys
import Testing

@testable import Access
@testable import Bytes

@Suite("Remembered tokens: R5, R12, R19") struct TokenMemoryTests {
    private let key: TestKey

    init() throws { key = try TokenFixture.key(.hs256) }

    private func token(_ subject: Int, exp: Int64 = Fixture.now + 600) -> String {
        key.token(claims: TokenFixture.claims(["sub": "\"\(subject)\"", "exp": "\(exp)", "nbf": "\(Fixture.now)"]))
    }

    private func caller(_ finding: Authenticator.Finding) -> Caller? {
        if case .caller(let caller) = finding { caller } else { nil }
    }

    @Test func `a token that is remembered is the same caller, and is judged again for its times`() throws {
        let authenticator = try TokenFixture.authenticator(key, remembered: 8)
        var memory = authenticator.makeMemory()
        let token = token(1)
        let first = try #require(caller(authenticator.finding(token, &memory)))
        #expect(memory.count == 1)
        for (now, holds) in [(0, true), (629, true), (630, false), (-30, true), (-31, false), (0, true)] {
            let again = caller(authenticator.finding(token, at: Fixture.now + Int64(now), &memory))
            #expect((again === first) == holds, "\(now)")
        }
        #expect(memory.count == 1)
    }

    @Test func `what is not believed is not remembered`() throws {
        let authenticator = try TokenFixture.authenticator(key, remembered: 8)
        var memory = authenticator.makeMemory()
        for token in [TestKey(.hs256).token(claims: TokenFixture.claims()), "a.b.c", "wrong", token(1) + "x"] {
            #expect(caller(authenticator.finding(token, &memory)) == nil)
        }
        #expect(memory.count == 0)
    }

    @Test func `one changed character is another token`() throws {
        let authenticator = try TokenFixture.authenticator(key, remembered: 8)
        var memory = authenticator.makeMemory()
        let token = token(1)
        _ = authenticator.finding(token, &memory)
        for index in token.indices {
            var changed = token
            changed.replaceSubrange(index...index, with: token[index] == "x" ? "y" : "x")
            #expect(caller(authenticator.finding(changed, &memory)) == nil)
        }
        #expect(memory.count == 1)
    }

    @Test(arguments: [0, 1, 4, 10, 100])
    func `so many are remembered and no more, and all are believed all the same`(capacity: Int) throws {
        let authenticator = try TokenFixture.authenticator(key, remembered: capacity)
        var memory = authenticator.makeMemory()
        for round in 0..<2 {
            for subject in 0..<300 {
                let caller = caller(authenticator.finding(token(subject), &memory))
                #expect(caller?.principal.subject.text == "\(subject)", "round \(round)")
            }
        }
        #expect(memory.count <= (capacity + 3) / 4 * 4)
        #expect(memory.count >= capacity / 2)
    }

    @Test func `the one that was not used for longest gives way`() throws {
        let authenticator = try TokenFixture.authenticator(key, remembered: 4)
        var memory = authenticator.makeMemory()
        let kept = try #require(caller(authenticator.finding(token(0), &memory)))
        for subject in 1..<50 {
            _ = authenticator.finding(token(subject), &memory)
            #expect(caller(authenticator.finding(token(0), &memory)) === kept)
        }
        let gone = caller(authenticator.finding(token(1), &memory))
        #expect(gone != nil)
    }

    @Test func `R12, R19: another configuration has another memory, and another deny list`() throws {
        let authenticator = try TokenFixture.authenticator(key, remembered: 8)
        var memory = authenticator.makeMemory()
        #expect(caller(authenticator.finding(token(1), &memory))?.isDenied == false)
        let denied = Principal(.jwt, id: Array("login".utf8), subject: Array("1".utf8))
        let next = try TokenFixture.authenticator(key, remembered: 8, denied: [denied])
        var nextMemory = next.makeMemory()
        #expect(caller(next.finding(token(1), &nextMemory))?.isDenied == true)
    }

    @Test func `R19: keys that were fetched believe tokens until they are too old, and other keys forget them`() throws
    {
        let (one, two) = (TestKey(.eddsa), TestKey(.eddsa))
        let issuer = try JWTIssuer(
            id: Array("login".utf8), issuer: Array(TokenFixture.issuer.utf8),
            audience: Array(TokenFixture.audience.utf8),
            algorithms: [.eddsa], keys: .fetched(from: []), leeway: 0)
        let authenticator = Authenticator(.init(apiKeys: [], issuers: [issuer], rememberedTokens: 8, denied: []))
        var memory = authenticator.makeMemory()
        let token = one.token(claims: TokenFixture.claims())
        func fault(_ finding: Authenticator.Finding) -> JWTFault? {
            if case .refused(_, let fault) = finding { fault?.token } else { nil }
        }
        let unknown = try #require(fault(authenticator.finding(token, &memory)))
        #expect(unknown.issuerWithoutKey == 0 && !unknown.isByOldKeys)
        memory.take(JWTKeySet([.init(try TokenFixture.verifier(one))]), of: 0, areOther: true, until: Fixture.now + 60)
        let first = try #require(caller(authenticator.finding(token, &memory)))
        memory.take(JWTKeySet([.init(try TokenFixture.verifier(one))]), of: 0, areOther: false, until: Fixture.now + 90)
        #expect(caller(authenticator.finding(token, at: Fixture.now + 89, &memory)) === first)
        let old = try #require(fault(authenticator.finding(token, at: Fixture.now + 90, &memory)))
        #expect(old.issuerWithoutKey == 0 && old.isByOldKeys)
        memory.take(JWTKeySet([.init(try TokenFixture.verifier(two))]), of: 0, areOther: true, until: Fixture.now + 90)
        #expect(memory.count == 0)
        #expect(caller(authenticator.finding(token, &memory)) == nil)
    }
}
