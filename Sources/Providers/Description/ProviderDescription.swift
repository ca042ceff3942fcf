import Access
import Crypto

/// What a vendor is to the service. Configuration, parameters, answers and documentation are read off it.
package struct ProviderDescription: Sendable {
    /// The name in a credential's `provider`.
    package let name: String
    /// The vendor's name for people.
    package let title: String
    /// What a credential may hold beside what credentials of every provider may.
    package let credentialFields: [FieldDescription]
    /// Which of them is the host of the buckets that its signed URLs lead to; nil where none is.
    package var endpoint: Field<[UInt8]?>?
    package let routes: [RouteDescription]
    /// What `countersign init` writes for it.
    package let sample: StartingSample
    /// - Returns: why the access key cannot be this vendor's, nil when it can.
    package let accessKeyFault: @Sendable ([UInt8]) -> String?
    /// In which of a credential's fields is the token of a temporary key; nil where the vendor's keys have none.
    package var sessionToken: Field<Secret?>?
    /// What ends what was issued with a credential, by the credential's fields: at least one thing.
    package let revocations: @Sendable (FieldValues) -> [Revocation]
    /// Checks what the types of a credential's fields do not tell.
    package var check: @Sendable (FieldValues) throws(FieldProblem) -> Void = { _ throws(FieldProblem) in }
    /// Of a provider whose credentials are for asking the vendor for sessions; nil where they sign what clients get.
    package var sessions: SessionDescription?
}
