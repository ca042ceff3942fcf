import Bytes

/// For whom a token is meant (RFC 7519 section 4.1.3).
struct JWTAudience {
    private let names: [[UInt8]]

    /// - Parameter claim: the claim `aud`; nil for none.
    init(_ claim: JSONValue?) throws(JWTFault) {
        guard let names = claim?.texts else { throw JWTFault("its aud is neither a string nor a list of strings") }
        self.names = names
    }

    /// What is wrong with a genuine token where it is not meant for this audience; nil where it is.
    func fault(for audience: [UInt8]) -> JWTFault? {
        if names.contains(audience) { return nil }
        return JWTFault(
            "the token is for another audience", in: .audience, isGenuine: true,
            mismatch: AudienceMismatch(names: names, wanted: audience))
    }
}
