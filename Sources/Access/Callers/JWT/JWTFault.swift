/// Why a token is not believed.
package struct JWTFault: Error, Sendable {
    /// For the log; nothing of the token's.
    package let reason: StaticString
    /// Whether the token is its issuer's, so that its holder may be told why it is refused.
    package let isGenuine: Bool
    /// The index of the issuer whose keys, as far as they have been fetched, have none for the token; nil for all other faults.
    package let issuerWithoutKey: Int?
    /// Whether the token's signature holds by keys of its issuer that are too old to be believed. Only a holder of such a token
    /// may learn that newer keys are waited for; everybody else would learn which issuers are configured.
    package let isByOldKeys: Bool

    init(
        _ reason: StaticString, isGenuine: Bool = false, issuerWithoutKey: Int? = nil, isByOldKeys: Bool = false
    ) {
        self.reason = reason
        self.isGenuine = isGenuine
        self.issuerWithoutKey = issuerWithoutKey
        self.isByOldKeys = isByOldKeys
    }
}
