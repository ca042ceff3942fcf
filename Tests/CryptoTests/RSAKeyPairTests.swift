import Testing

@testable import Bytes
@testable import Crypto

/// Key pairs that sign for one process.
@Suite struct RSAKeyPairTests {
    private func verifies(
        _ publicPEM: [UInt8], _ signature: [UInt8], over message: [UInt8], _ algorithm: DigestAlgorithm
    ) throws -> Bool {
        let key = RSAPublicKey(pem: publicPEM.span)
        let claim = try RSASignature(signature, over: message.span, algorithm)
        return try key?.verifies(claim) ?? false
    }

    @Test func `what it signs is verified by the public half that it tells, and nothing else is`() throws {
        let pair = try RSAKeyPair()
        let message = Array("/path?query\nbody".utf8)
        for algorithm in [DigestAlgorithm.md5, .sha256] {
            let signature = try pair.sign(message.span, algorithm)
            #expect(signature.count == 256)
            #expect(try verifies(pair.publicPEM, signature, over: message, algorithm))
            #expect(try !verifies(pair.publicPEM, signature, over: message + [0], algorithm))
            #expect(try !verifies(RSAKeyPair().publicPEM, signature, over: message, algorithm))
        }
    }
}
