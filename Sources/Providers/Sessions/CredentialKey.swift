import Access
import Bytes
import Crypto

/// What a credential is remembered under: a digest of everything that shapes it (R17). Requests with an equal key may get the
/// same credential; no other request does.
package struct CredentialKey: Sendable, Hashable {
    /// The digest, as four numbers.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// - Parameter principal: the caller; nil where the grant lets callers share (`shareAcrossCallers`).
    package init(
        _ source: any SessionSource, _ request: any SessionRequest, for principal: Principal?
    ) throws(CryptoError) {
        var tuple = TupleDigest("countersign credential")
        tuple.append(source.fingerprint)
        request.add(to: &tuple)
        tuple.append(principal == nil ? Int64(0) : 1)
        if let principal { tuple.append(principal) }
        self.init(try tuple.digest())
    }

    /// The key that the service itself is given to sign its calls with.
    package init(serviceKeyOf source: any SessionSource) throws(CryptoError) {
        var tuple = TupleDigest("countersign own key")
        tuple.append(source.fingerprint)
        self.init(try tuple.digest())
    }

    private init(_ digest: Digest) {
        func word(at start: Int) -> UInt64 {
            (start..<start + 8).reduce(0) { $0 << 8 | UInt64(digest.bytes[$1]) }
        }
        words = (word(at: 0), word(at: 8), word(at: 16), word(at: 24))
    }

    /// The digest, as replicas name it.
    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    package static func == (first: CredentialKey, second: CredentialKey) -> Bool { first.words == second.words }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
