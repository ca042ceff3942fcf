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
    /// All names of a certificate, and what the authorities have made of it (`ClientAuthorities.proof`).
    case certificate([AlternativeName], [UInt8])
}

extension CallerProof {
    /// Stands behind the last name, where a name would begin with its kind.
    private static let endOfNames: UInt8 = 0

    /// A certificate's proof as tickets carry it: each name with its kind and length before it, then what the authorities have made.
    static func mark(_ names: [AlternativeName], _ proof: [UInt8]) -> [UInt8] {
        var mark: [UInt8] = []
        for name in names {
            let length = UInt16(clamping: name.value.count)
            mark.append(name.kind.code)
            mark.append(UInt8(length >> 8))
            mark.append(UInt8(length & 0xFF))
            mark += name.value
        }
        mark.append(endOfNames)
        return mark + proof
    }

    /// - Parameter mark: of a certificate's proof; nil for anything else.
    init?(certificateMark mark: [UInt8]) {
        var rest = mark[...]
        var names: [AlternativeName] = []
        while let code = rest.popFirst(), code != CallerProof.endOfNames {
            guard let kind = AlternativeName.Kind.allCases.first(where: { $0.code == code }),
                let high = rest.popFirst(), let low = rest.popFirst(), rest.count >= Int(high) << 8 | Int(low)
            else { return nil }
            let value = rest.prefix(Int(high) << 8 | Int(low))
            names.append(AlternativeName(kind, Array(value)))
            rest = rest[value.endIndex...]
        }
        guard !names.isEmpty else { return nil }
        self = .certificate(names, Array(rest))
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
