import Crypto

/// The credential that identified a caller, kept so that another configuration can check whether it is still valid.
package enum CallerProof: Sendable {
    /// Anonymous callers prove nothing.
    case nothing
    /// SHA-256 of an API key.
    case apiKey(Digest)
    /// What tells the settings of a token's issuer from others (`JWTIssuer.fingerprint`).
    case issuer(Digest)
    /// What the authorities have made of a certificate (`ClientAuthorities.proof`).
    case certificate([UInt8])
}
