import Bytes

/// Why a token is not believed.
package struct JWTFault: Error, Sendable {
    /// What of a token is looked at, in this order.
    package enum Part: String, Sendable {
        case form, issuer, algorithm, key, signature, audience, time
    }

    /// Which part of the token it is that fails.
    package let part: Part
    /// For the log; nothing of the token's.
    package let reason: StaticString
    /// For whom a genuine token is meant and who is configured, where these differ; nil for all other faults.
    let mismatch: AudienceMismatch?
    /// Whether the token is its issuer's, so that its holder may be told why it is refused.
    package let isGenuine: Bool
    /// The index of the issuer whose keys, as far as they have been fetched, have none for the token; nil for all other faults.
    package let issuerWithoutKey: Int?
    /// Whether the token's signature holds by keys of its issuer that are too old to be believed. Only a holder of such a token
    /// may learn that newer keys are waited for; everybody else would learn which issuers are configured.
    package let isByOldKeys: Bool

    init(
        _ reason: StaticString, in part: Part = .form, isGenuine: Bool = false, issuerWithoutKey: Int? = nil,
        isByOldKeys: Bool = false, mismatch: AudienceMismatch? = nil
    ) {
        self.mismatch = mismatch
        self.part = part
        self.reason = reason
        self.isGenuine = isGenuine
        self.issuerWithoutKey = issuerWithoutKey
        self.isByOldKeys = isByOldKeys
    }

    /// The reason for operators, to whom it may tell more than to the token's holder.
    package var words: String {
        guard let mismatch else { return reason.description }
        return "\(reason): its aud is \(mismatch.told), and audience of the configuration is \(mismatch.wanted.text)"
    }
}

/// For whom a token is meant, and who is configured.
struct AudienceMismatch {
    let names: [[UInt8]]
    let wanted: [UInt8]

    /// As much of the names as a line of a log has room for.
    var told: String {
        let all = names.map(\.text).joined(separator: ", ")
        return all.isEmpty ? "empty" : all.count > 200 ? "\(all.prefix(200))…" : all
    }
}
