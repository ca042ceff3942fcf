import Bytes
import Crypto

/// Where a vendor publishes a public key that it signs callbacks with.
package struct PublishedKey: Sendable, Hashable {
    /// Who is asked for it.
    package let host: VendorEndpoint
    /// On that host; begins with `/`, and needs no encoding.
    package let path: [UInt8]
    /// Whether it is where the vendor has its key. A forged callback can name any other URL, so those are asked
    /// on a small budget of their own.
    package let isUsual: Bool

    /// The most bytes of an answer.
    package static let answerLimit = 16 * 1024

    package func call() -> UpstreamCall { UpstreamCall(.get, authority: host.authority, path: path) }

    package func read(_ answer: UpstreamAnswer) throws(VendorFault) -> RSAPublicKey {
        guard answer.status == 200 else { throw .status(answer.status) }
        guard let key = RSAPublicKey(pem: answer.body.span) else { throw .unreadable }
        return key
    }
}

/// What a callback comes down to that is signed by a published key: that is all that is kept of it while the key is fetched.
package struct CallbackClaim: Sendable {
    package let key: PublishedKey
    let signature: RSASignature

    /// Whether the vendor has signed the callback, by the key that it names.
    package func judge(by key: RSAPublicKey) throws(CryptoError) -> CallbackVerdict {
        try key.verifies(signature)
            ? .genuine : .refused(CallbackFault("the signature is not that of this request by the vendor's key"))
    }
}
