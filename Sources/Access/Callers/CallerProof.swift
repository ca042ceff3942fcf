import Bytes
import Crypto

/// The credential that identified a caller, kept so that another configuration can check whether it is still valid.
package enum CallerProof: Sendable {
    /// Anonymous callers prove nothing.
    case nothing
    /// SHA-256 of an API key.
    case apiKey(Digest)
    /// What tells the settings of a token's issuer from others (`JWTIssuer.fingerprint`), and the key that has signed the token.
    case issuer(Digest, key: Digest)
    /// The name by which a certificate is the caller's, and what the authorities have made of it (`ClientAuthorities.proof`).
    case certificate(AlternativeName, [UInt8])
}

extension CallerProof {
    /// A certificate's proof as tickets carry it: kind and length of the name, the name, and what the authorities have made.
    static func mark(_ name: AlternativeName, _ proof: [UInt8]) -> [UInt8] {
        let length = UInt16(clamping: name.value.count)
        return [name.kind.code, UInt8(length >> 8), UInt8(length & 0xFF)] + name.value + proof
    }

    /// - Parameter mark: of a certificate's proof; nil for anything else.
    init?(certificateMark mark: [UInt8]) {
        guard mark.count >= 3, let kind = AlternativeName.Kind.allCases.first(where: { $0.code == mark[0] }) else {
            return nil
        }
        let end = 3 + (Int(mark[1]) << 8 | Int(mark[2]))
        guard mark.count >= end else { return nil }
        self = .certificate(AlternativeName(kind, Array(mark[3..<end])), Array(mark[end...]))
    }
}

extension AlternativeName.Kind {
    /// Kinds have numbers of their own in tickets, which never change.
    fileprivate var code: UInt8 {
        switch self {
        case .dns: 1
        case .uri: 2
        case .email: 3
        }
    }
}
