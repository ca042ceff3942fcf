import Bytes
import Crypto

/// The keys of an issuer of tokens.
package struct JWTKeySet: Sendable {
    package struct Key: Sendable {
        /// What tokens call it; nil where it has no name, so that tokens may call it anything.
        package let id: [UInt8]?
        package let key: VerificationKey
        /// The one algorithm that it is for; nil for all of its kind.
        package let algorithm: SignatureAlgorithm?
        /// What tells it from other keys; nil where OpenSSL could not tell, so that no ticket is bound to it.
        let fingerprint: Digest?

        package init(id: [UInt8]? = nil, _ key: VerificationKey, for algorithm: SignatureAlgorithm? = nil) {
            self.id = id
            self.key = key
            self.algorithm = algorithm
            fingerprint = try? key.fingerprint()
        }

        package func fits(_ algorithm: SignatureAlgorithm) -> Bool {
            key.kind == algorithm.keyKind && (self.algorithm ?? algorithm) == algorithm
        }
    }

    package let keys: [Key]

    /// How many keys are tried for one token.
    static let mostTries = 4

    package init(_ keys: [Key]) { self.keys = keys }

    /// The keys that a token of this algorithm may be signed with: those of its name, or all that fit if it gives none.
    func candidates(for algorithm: SignatureAlgorithm, named id: [UInt8]?) -> [Key] {
        let fitting = keys.filter { $0.fits(algorithm) }
        guard let id else { return fitting }
        let named = fitting.filter { $0.id == id }
        return named.isEmpty ? fitting.filter { $0.id == nil } : named
    }
}
