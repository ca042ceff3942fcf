import Access

/// What a vendor is to the service. Configuration, parameters, answers and documentation are read off it.
package struct ProviderDescription: Sendable {
    /// The name in a credential's `provider`.
    package let name: String
    /// The vendor's name for people.
    package let title: String
    /// What a credential may hold beside `provider`, `accessKey` and `secretKey`.
    package let credentialFields: [FieldDescription]
    package let routes: [RouteDescription]

    /// - Returns: why the access key cannot be this vendor's, nil when it can.
    package let accessKeyFault: @Sendable ([UInt8]) -> String?
}
