/// An RSA signature and what it claims to be over, which is kept as its digest, so that it can wait for the key that it is by.
package struct RSASignature: Sendable {
    let bytes: [UInt8]
    let algorithm: DigestAlgorithm
    let digest: Digest

    package init(
        _ bytes: [UInt8], over message: Span<UInt8>, _ algorithm: DigestAlgorithm
    ) throws(CryptoError) {
        self.bytes = bytes
        self.algorithm = algorithm
        digest = try Digest(algorithm, of: message)
    }
}
