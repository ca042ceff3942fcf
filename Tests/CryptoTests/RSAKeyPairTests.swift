import Testing

@testable import Bytes
@testable import Crypto

/// Key pairs that sign for one process.
@Suite struct RSAKeyPairTests {
    @Test func `what it signs is verified by the public half that it tells, and nothing else is`() throws {
        let pair = try RSAKeyPair()
        let message = Array("/path?query\nbody".utf8)
        let key = try #require(RSAPublicKey(pem: pair.publicPEM.span))
        for algorithm in [DigestAlgorithm.md5, .sha256] {
            let signature = try pair.sign(message.span, algorithm)
            #expect(signature.count == 256)
            #expect(try key.verifies(RSASignature(signature, over: message.span, algorithm)))
            #expect(!(try key.verifies(RSASignature(signature, over: [0].span, algorithm))))
        }
        let other = try #require(RSAPublicKey(pem: try RSAKeyPair().publicPEM.span))
        #expect(!(try other.verifies(RSASignature(pair.sign(message.span, .md5), over: message.span, .md5))))
    }
}
