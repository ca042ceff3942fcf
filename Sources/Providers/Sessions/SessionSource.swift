import Access
import Bytes

/// A vendor's account that gives sessions, as a provider compiles it from a credential (`SessionDescription`): whom to ask, and with
/// what.
package protocol SessionSource: Sendable, Equatable {
    /// Whom sessions are asked of; tried in this order.
    var endpoints: [VendorEndpoint] { get }
    /// What gives the service the key that it asks with; nil where the key is configured, or none is needed.
    var ownKey: OwnKeySource? { get }
    /// The file that proves to the vendor who the service is; nil where a key does.
    var tokenFile: [UInt8]? { get }
    /// How long the sessions hold with which the service itself signs, in seconds.
    var signingLifetime: Int64 { get }
    /// The most bytes of a session's name.
    var longestName: Int { get }
    /// Different for different identities, keys and endpoints; tells nothing of the secret.
    var fingerprint: [UInt8] { get }

    /// A session that the vendor can be asked for.
    /// - Parameter policy: what it may do, as JSON.
    func request(
        named name: SessionName, lasting seconds: Int64, allowing policy: [UInt8]
    ) throws(SessionRequestFault) -> any SessionRequest
}

extension SessionSource {
    package var ownKey: OwnKeySource? { nil }
    package var longestName: Int { SessionName.maximumLength }

    package func equals(_ other: any SessionSource) -> Bool { other as? Self == self }
}

/// What gives the service its own key while it runs.
package struct OwnKeySource: Sendable {
    package let request: any CredentialRequest
    /// Whom to ask; nil for those whom sessions are asked of.
    package let endpoint: VendorEndpoint?
}
