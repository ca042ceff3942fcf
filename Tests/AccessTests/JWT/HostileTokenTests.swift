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
        let key = try TokenHouse.key(algorithm)
        let authenticator = try TokenHouse.authenticator(key)
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
        let key = try TokenHouse.key(algorithm)
        let authenticator = try TokenHouse.authenticator(key)
        let name = algorithm.rawValue
        for header in [
            " { \"alg\" : \"\(name)\" } ", "{\"typ\":\"JWT\",\"alg\":\"\(name)\"}",
            "{\"alg\":\"\(name)\",\"typ\":\"jwt\"}",
            "{\"alg\":\"\(name)\",\"typ\":\"at+jwt\"}", "{\"alg\":\"\(name)\",\"kid\":\"k1\"}",
            "{\"alg\":\"\(name)\",\"x5t\":\"abc\",\"cty\":\"x\",\"any\":[1,{}]}", "{\"\\u0061lg\":\"\(name)\"}",
        ] {
            let token = key.token(header: header, claims: TokenHouse.claims())
            #expect(authenticator.reason(token) == nil, "\(header)")
        }
        for claims in [
            TokenHouse.claims(["aud": "[\"uploads\"]"]), TokenHouse.claims(["aud": "[\"a\",\"uploads\",\"uploads\"]"]),
            TokenHouse.claims(["exp": "\(House.now + 600).5"]), TokenHouse.claims(["exp": "\(House.now - 29)"]),
            TokenHouse.claims(["exp": "253402300799"]), TokenHouse.claims(["nbf": "\(House.now + 30)"]),
            TokenHouse.claims(["nbf": "\(House.now + 29).5"]), TokenHouse.claims(["iat": "\(House.now + 30)"]),
            TokenHouse.claims(["iat": "0", "nbf": "0.0"]), TokenHouse.claims(["sub": "\"\\u4e2d/../ \""]),
            TokenHouse.claims(["other": "{\"a\":[1,2,{\"b\":null}]}", "scope": "\"a b\""]),
            TokenHouse.claims(["iss": "\"https:\\/\\/id.example.com\""]),
        ] {
            #expect(authenticator.reason(key.token(claims: claims)) == nil, "\(claims)")
        }
    }
}
