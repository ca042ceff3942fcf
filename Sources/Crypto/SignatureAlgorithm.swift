/// How tokens are signed, by the names of RFC 7518 and RFC 8037.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// HMAC with SHA-256.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256, and a salt as long as its digest.
    case ps256 = "PS256"
    /// ECDSA with P-256 and SHA-256, `r` and `s` of 32 bytes each one after the other.
    case es256 = "ES256"
    /// Ed25519.
    case eddsa = "EdDSA"

    /// What keys of the algorithm are.
    package enum KeyKind: Sendable {
        case secret, rsa, p256, ed25519
    }

    package var keyKind: KeyKind {
        switch self {
        case .hs256: .secret
        case .rs256, .ps256: .rsa
        case .es256: .p256
        case .eddsa: .ed25519
        }
    }
}
