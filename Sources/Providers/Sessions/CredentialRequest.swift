import Bytes
import Crypto

/// A credential that a vendor is asked for: a session, or the service's own key. It is the same at every try; each attempt
/// makes a new call of it.
package protocol CredentialRequest: Sendable {
    var proof: CredentialProof { get }
    /// How long it is to hold, in seconds; nil where the vendor decides.
    var lifetime: Int64? { get }
    /// The call that an attempt begins with.
    func exchange(for attempt: CredentialAttempt) throws(CredentialCallFault) -> CredentialExchange
}

/// A session that a vendor is asked for.
package protocol SessionRequest: CredentialRequest {
    /// What it may do, as JSON; nil for all that the account may.
    var policy: [UInt8]? { get }
    /// Adds all that shapes the session (R17), the account aside.
    func add(to tuple: inout TupleDigest)
}

/// What proves to the vendor who asks; it must be there before a call is made.
package enum CredentialProof: Sendable {
    /// The service's own key.
    case ownKey
    /// The token in this file, read anew for each call.
    case tokenFile([UInt8])
    /// Where the call comes from.
    case origin
}

/// What one attempt's calls are made of.
package struct CredentialAttempt {
    /// The endpoint's host and port, exactly as they go on the wire.
    package let authority: [UInt8]
    /// The service's own key; nil where no key proves.
    package let key: SigningKey?
    /// The line of the token's file; empty where none proves.
    package let token: [UInt8]
    /// Random bytes that no other attempt has.
    package let nonce: InlineArray<16, UInt8>
    /// The service's clock, in seconds since 1970.
    package let now: Int64

    package init(
        to authority: [UInt8], with key: SigningKey?, token: [UInt8], nonce: InlineArray<16, UInt8>, at now: Int64
    ) {
        self.authority = authority
        self.key = key
        self.token = token
        self.nonce = nonce
        self.now = now
    }

    /// Its key, which a request has that names it as its proof.
    func requireKey() throws(CredentialCallFault) -> SigningKey {
        guard let key else { throw CredentialCallFault("the service has no key of its own") }
        return key
    }
}

/// Why a call cannot be made.
package struct CredentialCallFault: Error {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// A call, and how its answer is read.
package struct CredentialExchange {
    package let call: UpstreamCall
    /// - Parameter now: the service's clock, in seconds since 1970.
    package let read: (_ answer: UpstreamAnswer, _ now: Int64) throws(SessionFault) -> CredentialReply

    /// An answer longer than this is nobody's credential, in bytes.
    package static let answerLimit = 64 * 1024

    init(
        _ call: UpstreamCall, read: @escaping (UpstreamAnswer, Int64) throws(SessionFault) -> CredentialReply
    ) {
        self.call = call
        self.read = read
    }
}

/// What an answer leads to.
package enum CredentialReply {
    case credential(SessionCredential)
    /// It is only the beginning.
    case next(CredentialExchange)
}
