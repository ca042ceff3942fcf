import Bytes

/// The key by which a signature is verified: the secret that both sides know, or the public half of a pair.
package struct VerificationKey: Sendable {
    private enum Material {
        case secret(Secret)
        case publicKey(PublicKey)
    }

    private let material: Material
    package let kind: SignatureAlgorithm.KeyKind

    /// The shortest secret, in bytes: as long as the digest (RFC 7518 section 3.2).
    package static let shortestSecret = 32

    /// - Returns: nil where the secret is too short.
    package init?(_ secret: Secret) {
        guard secret.count >= VerificationKey.shortestSecret else { return nil }
        material = .secret(secret)
        kind = .secret
    }

    package init(_ key: PublicKey) {
        material = .publicKey(key)
        kind = key.kind
    }

    /// SHA-256 of the secret, or of the public key in DER: what tells it from other keys.
    package func fingerprint() throws(CryptoError) -> Digest {
        switch material {
        case .secret(let secret):
            let nothing: [UInt8] = []
            return try Digest(.sha256, of: secret, followedBy: nothing.span)
        case .publicKey(let key):
            let text = try key.encoded()
            return try Digest(.sha256, of: text.span)
        }
    }

    /// Whether `signature` is of this key over `message`; never where the key is of another kind than the algorithm's.
    package func verifies(
        _ signature: Span<UInt8>, over message: Span<UInt8>, by algorithm: SignatureAlgorithm
    ) throws(CryptoError) -> Bool {
        guard algorithm.keyKind == kind else { return false }
        switch material {
        case .secret(let secret):
            let code = try HMACKey(.sha256, secret).sign(message)
            return Digest(signature.array)?.constantTimeEquals(code) == true
        case .publicKey(let key): return try key.verifies(signature, over: message, by: algorithm)
        }
    }
}
