import Crypto
import TestKeys
import Testing

@testable import Access
@testable import Bytes

@Suite("Sets of keys: RFC 7517, R10") struct KeySetTests {
    private func read(_ text: String) throws -> JWTKeySet { try JWTKeySet(jwks: Array(text.utf8).span) }

    private func set(_ keys: String...) -> String { "{\"keys\":[\(keys.joined(separator: ","))]}" }

    private func fault(_ text: String) -> String? {
        do throws(JWTKeySet.Fault) {
            _ = try JWTKeySet(jwks: Array(text.utf8).span)
            return nil
        } catch { return error.reason }
    }

    private func jwk(_ algorithm: SignatureAlgorithm, _ members: String = "") throws -> String {
        try TokenFixture.key(algorithm).jwk(members)
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .ps256, .es256, .eddsa])
    func `a key of a set verifies what its other half signed`(algorithm: SignatureAlgorithm) throws {
        let key = try TokenFixture.key(algorithm)
        let text = set(
            key.jwk("\"kid\":\"a\",\"use\":\"sig\",\"alg\":\"\(algorithm.rawValue)\",\"key_ops\":[\"verify\"]"))
        let found = try #require(try read(text).keys.first)
        #expect(found.id == Array("a".utf8) && found.algorithm == algorithm)
        let message = Array("message".utf8)
        let holds = try found.key.verifies(key.sign(message).span, over: message.span, by: algorithm)
        #expect(holds)
    }

    @Test func `keys for something else, and of kinds that are not known, are left out`() throws {
        let text = set(
            try jwk(.rs256, "\"use\":\"enc\""), try jwk(.rs256, "\"key_ops\":[\"encrypt\"]"),
            try jwk(.rs256, "\"key_ops\":[]"), try jwk(.rs256, "\"alg\":\"RS512\""),
            try jwk(.rs256, "\"alg\":\"RSA-OAEP\""),
            try jwk(.hs256), "{\"kty\":\"AKP\"}", "{\"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"AA\",\"y\":\"AA\"}",
            "{\"kty\":\"EC\",\"crv\":\"secp256k1\",\"x\":\"AA\",\"y\":\"AA\"}",
            "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"AA\"}", "{\"kty\":\"OKP\",\"crv\":\"Ed448\",\"x\":\"AA\"}",
            "{\"kty\":\"EC\"}", try jwk(.es256, "\"kid\":\"this\",\"x5c\":[\"MIIB\"],\"x5t\":\"AA\""))
        #expect(try read(text).keys.map(\.id) == [Array("this".utf8)])
        #expect(try read("{\"keys\":[]}").keys.isEmpty)
    }

    @Test func `two keys of one kid are refused, unless one of them is left out`() throws {
        let (one, two) = (try jwk(.es256, "\"kid\":\"a\""), try jwk(.rs256, "\"kid\":\"a\""))
        #expect(fault(set(one, two)) == "keys[1] has the kid of another key")
        #expect(fault(set(one, try jwk(.rs256, "\"kid\":\"a\",\"use\":\"enc\""))) == nil)
        #expect(fault(set(try jwk(.es256), try jwk(.rs256))) == nil)
    }

    @Test func `a set has at most 100 keys and 256 KiB`() throws {
        let oct = "{\"kty\":\"oct\"}"
        #expect(fault("{\"keys\":[\(Array(repeating: oct, count: 100).joined(separator: ","))]}") == nil)
        let more = fault("{\"keys\":[\(Array(repeating: oct, count: 101).joined(separator: ","))]}")
        #expect(more == "has more than 100 keys")
        let spaces = String(repeating: " ", count: 262_144 - 11)
        #expect(fault("{\"keys\":[]}\(spaces)") == nil)
        #expect(fault("{\"keys\":[]}\(spaces) ") == "has more than 256 KiB")
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth"])
    func `a key with its private half is refused`(name: String) throws {
        for algorithm in [SignatureAlgorithm.rs256, .es256, .eddsa] {
            let fault = fault(set(try jwk(algorithm, "\"\(name)\":\"AQAB\"")))
            #expect(fault?.contains("keys[0] has the private half") == true)
        }
    }

    @Test(arguments: [
        "", "x", "null", "[]", "{}", "{\"keys\":null}", "{\"keys\":{}}", "{\"keys\":[],\"keys\":[]}", "{\"keys\":[],}",
        "{\"keys\":[null]}", "{\"keys\":[{}]}", "{\"keys\":[{\"kty\":1}]}", "{\"keys\":[{\"kty\":\"oct\",\"kid\":7}]}",
        "{\"keys\":[{\"kty\":\"oct\",\"use\":1}]}", "{\"keys\":[{\"kty\":\"oct\",\"key_ops\":\"verify\"}]}",
        "{\"keys\":[{\"kty\":\"oct\",\"alg\":[]}]}", "{\"keys\":[{\"kty\":\"RSA\"}]}",
        "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\"}]}",
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"}]}",
        "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AA\"}]}",
        "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"A A\"}]}",
        "{\"keys\":[{\"kty\":\"OKP\",\"crv\":1}]}", "{\"keys\":[[[[[[[[[[]]]]]]]]]]}",
    ])
    func `what is no set of keys is refused`(text: String) {
        #expect(fault(text) != nil)
    }

    @Test func `of a set that is fetched, what is wrong is left out and told, and so are all keys behind the 16th`()
        throws
    {
        var faults: [JWTKeySet.Fault] = []
        let good = (0..<40).map { TestKey(.eddsa).jwk("\"kid\":\"\($0)\"") }
        let keys = try JWTKeySet(published: Array(set("1", good[0], good[0], "{}").utf8).span, leavingOut: &faults)
        #expect(keys.keys.count == 1)
        #expect(
            faults.map(\.reason) == [
                "keys[0] is no object", "keys[2] has the kid of another key", "keys[3] has no kty",
            ])
        faults = []
        let text = "{\"keys\":[\(good.joined(separator: ","))]}"
        let many = try JWTKeySet(published: Array(text.utf8).span, leavingOut: &faults)
        let bounds = "at most 16 are, and RSA of at most 4096 bits"
        #expect(many.keys.map(\.id) == (0..<16).map { Array("\($0)".utf8) })
        #expect(faults.map(\.reason) == ["24 of its keys are not used: \(bounds)"])
    }

    /// RSA of a modulus whose bits are all ones, which no issuer has: it is divisible by 3.
    private func ones(bits: Int) -> String {
        let first = bits % 8 == 0 ? [] : [UInt8(0xFF) >> UInt8(8 - bits % 8)]
        let modulus = first + [UInt8](repeating: 0xFF, count: bits / 8)
        return "{\"kty\":\"RSA\",\"n\":\"\(TestKey.base64(modulus))\",\"e\":\"AQAB\"}"
    }

    @Test func `of a fetched set no key is calculated with that has more than 4096 bits; a configured one may have`()
        throws
    {
        let invalid = "is none that an issuer can have made: its numbers do not belong together"
        let good = TestKey(.eddsa).jwk("\"kid\":\"good\"")
        var faults: [JWTKeySet.Fault] = []
        let text = set(ones(bits: 4097), ones(bits: 8192), ones(bits: 100_000), ones(bits: 4096), good)
        let keys = try JWTKeySet(published: Array(text.utf8).span, leavingOut: &faults)
        #expect(keys.keys.map(\.id) == [Array("good".utf8)])
        #expect(
            faults.map(\.reason) == [
                "3 of its keys are not used: at most 16 are, and RSA of at most 4096 bits", "keys[3] \(invalid)",
            ])
        #expect(fault(set(ones(bits: 4097))) == "keys[0] \(invalid)")
        #expect(fault(set(ones(bits: 8192))) == "keys[0] \(invalid)")
        #expect(fault(set(ones(bits: 8193)))?.contains("2048 to 8192 bits") == true)
    }

    @Test func `keys that are wrong count among the 16 that are looked at, and keys for something else do not`() throws
    {
        var faults: [JWTKeySet.Fault] = []
        let (wrong, other) = (ones(bits: 2048), try jwk(.rs256, "\"use\":\"enc\""))
        let good = (0..<3).map { TestKey(.eddsa).jwk("\"kid\":\"\($0)\"") }
        let entries = Array(repeating: other, count: 40) + Array(repeating: wrong, count: 14) + good
        let text = "{\"keys\":[\(entries.joined(separator: ","))]}"
        let keys = try JWTKeySet(published: Array(text.utf8).span, leavingOut: &faults)
        #expect(keys.keys.map(\.id) == [Array("0".utf8), Array("1".utf8)])
        #expect(faults.count == 15 && faults.first?.reason.hasPrefix("1 of its keys are not used") == true)
    }

    @Test func `numbers have one spelling, and an alg is of its key's kind`() throws {
        let good = try jwk(.eddsa)
        #expect(fault(set(good)) == nil)
        let padded = good.replacing("\"}", with: "=\"}")
        #expect(fault(set(padded))?.contains("keys[0] has no x in canonical base64url") == true)
        #expect(fault(set(try jwk(.eddsa, "\"alg\":\"ES256\"")))?.contains("not of its kty") == true)
        #expect(fault(set(TestKey(.rs256, size: 1024).jwk()))?.contains("2048") == true)
    }
}
