import Crypto
import TestKeys
import Testing

@testable import Access
@testable import Bytes

@Suite("Tokens that are not believed: R8, R10") struct HostileTokenTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `of hundreds of tokens that are one edit from a good one none is believed`(
        algorithm: SignatureAlgorithm
    ) throws {
        let key = try TokenFixture.key(algorithm)
        let authenticator = try TokenFixture.authenticator(key)
        let hostile = HostileTokens(of: key)
        #expect(hostile.tokens.count >= 150)
        // Two edits that come to the same would be counted twice.
        #expect(Set(hostile.tokens.map(\.token)).count >= 400)
        #expect(authenticator.caller(hostile.twin)?.principal.subject.text == "42")
        for (what, token) in hostile.tokens {
            #expect(authenticator.caller(token) == nil, "\(what)")
        }
        #expect(authenticator.caller(hostile.twin) != nil)
    }

    /// What surrounds the edits is not what they are refused for.
    @Test(arguments: SignatureAlgorithm.allCases)
    func `the edits that mean nothing are believed`(algorithm: SignatureAlgorithm) throws {
        let key = try TokenFixture.key(algorithm)
        let authenticator = try TokenFixture.authenticator(key)
        let name = algorithm.rawValue
        for header in [
            " { \"alg\" : \"\(name)\" } ", "{\"typ\":\"JWT\",\"alg\":\"\(name)\"}",
            "{\"alg\":\"\(name)\",\"typ\":\"jwt\"}",
            "{\"alg\":\"\(name)\",\"typ\":\"at+jwt\"}", "{\"alg\":\"\(name)\",\"kid\":\"k1\"}",
            "{\"alg\":\"\(name)\",\"x5t\":\"abc\",\"cty\":\"x\",\"any\":[1,{}]}", "{\"\\u0061lg\":\"\(name)\"}",
        ] {
            let token = key.token(header: header, claims: TokenFixture.claims())
            #expect(authenticator.reason(token) == nil, "\(header)")
        }
        for claims in [
            TokenFixture.claims(["aud": "[\"uploads\"]"]),
            TokenFixture.claims(["aud": "[\"a\",\"uploads\",\"uploads\"]"]),
            TokenFixture.claims(["exp": "\(Fixture.now + 600).5"]), TokenFixture.claims(["exp": "\(Fixture.now - 29)"]),
            TokenFixture.claims(["exp": "253402300799"]), TokenFixture.claims(["nbf": "\(Fixture.now + 30)"]),
            TokenFixture.claims(["nbf": "\(Fixture.now + 29).5"]), TokenFixture.claims(["iat": "\(Fixture.now + 30)"]),
            TokenFixture.claims(["iat": "0", "nbf": "0.0"]), TokenFixture.claims(["sub": "\"\\u4e2d/../ \""]),
            TokenFixture.claims(["other": "{\"a\":[1,2,{\"b\":null}]}", "scope": "\"a b\""]),
            TokenFixture.claims(["iss": "\"https:\\/\\/id.example.com\""]),
        ] {
            #expect(authenticator.reason(key.token(claims: claims)) == nil, "\(claims)")
        }
    }
}
