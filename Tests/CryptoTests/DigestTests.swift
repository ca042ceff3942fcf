import Testing

@testable import Bytes
@testable import Crypto

@Suite struct DigestTests {
    /// RFC 1321 appendix A.5.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
    ])
    func `MD5 is the RFC's`(text: String, digest: String) throws {
        let found = try Digest(.md5, of: Array(text.utf8).span)
        #expect(Hex.encode(found.bytes.array).text == digest)
        #expect(found.count == DigestAlgorithm.md5.length)
    }

    @Test(arguments: [DigestAlgorithm.md5, .sha1, .sha256])
    func `a secret with bytes behind it has the digest of both together`(algorithm: DigestAlgorithm) throws {
        for secret in ["", "k", String(repeating: "s", count: 200)] {
            for text in ["", "t", "/a%20b", String(repeating: "x", count: 500)] {
                let apart = try Digest(algorithm, of: Secret(Array(secret.utf8)), followedBy: Array(text.utf8).span)
                let joined = try Digest(algorithm, of: Array((secret + text).utf8).span)
                #expect(apart.constantTimeEquals(joined))
            }
        }
    }
}
