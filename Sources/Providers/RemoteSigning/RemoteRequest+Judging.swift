import Access
import Bytes
import Crypto

/// What every grant wants of strings that clients have put together.
extension RemoteRequest {
    static var noURLs: Objection { Objection("presign", "the grant signs no URLs, only headers") }

    /// A client's clock may be this much ahead, in seconds.
    private static let clockLead: Int32 = 60

    /// - Parameters:
    ///   - presign: the longest life of a URL, in seconds; nil where none is signed.
    ///   - tolerance: how long the vendor takes a dated signature, in seconds.
    func objectionToTime(presign: Int64?, tolerance: Int64) -> Objection? {
        guard age <= tolerance, age >= -RemoteRequest.clockLead else {
            return Objection("date", "the date must lie at most 15 minutes back and 60 seconds ahead")
        }
        guard isURL else { return nil }
        guard let presign else { return RemoteRequest.noURLs }
        guard rest > 0, rest <= presign else {
            return Objection("presign", "the expiry must lie ahead, within the grant's presign")
        }
        return nil
    }

    /// - Parameter text: the string to sign, of version 4.
    func objectionToScope(in text: Span<UInt8>, _ scheme: V4Scheme, region: [UInt8]?) -> Objection? {
        guard let string = string(in: text, scheme) else { return Objection("contentToSign", "was not read") }
        guard let region, string.region.equals(region), string.product.equals(scheme.service) else {
            return Objection(
                "region", "the string's region and product must be the credential's, which are of one region")
        }
        return nil
    }

    /// - Parameter canonical: the canonical request.
    func objectionToKey(in canonical: Span<UInt8>, _ scheme: V4Scheme, accessKey: [UInt8]) -> Objection? {
        guard isURL else { return nil }
        let query = query(in: canonical)
        guard let credential = query.value(of: scheme.parameters.credential),
            let end = ParsedCanonicalRequest.accessKeyEnd(of: credential),
            ParsedCanonicalRequest.isEncoding(credential.extracting(0..<end), of: accessKey.span)
        else { return Objection("accessKeyId", "the URL's credential names another access key than the grant's") }
        return nil
    }

    /// What a temporary key's request carries, in a header or in the query.
    /// - Parameter canonical: the canonical request.
    func token(in canonical: Span<UInt8>, _ scheme: V4Scheme) -> [UInt8]? {
        guard isURL else { return headers(in: canonical).value(of: scheme.fields.token)?.array }
        let query = query(in: canonical)
        var position = 0
        while let pair = query.next(&position) {
            if query.bytes(pair.name).equals(scheme.parameters.token) { return pair.value.map { query.decoded($0) } }
        }
        return nil
    }

    /// Writes the signature over a string of version 4, in lower-case hex.
    /// - Parameter text: the string to sign.
    func writeSignature(
        over text: Span<UInt8>, _ scheme: V4Scheme, region: [UInt8], with key: SigningKey, into out: inout ByteWriter
    ) throws(IssueError) {
        guard let string = string(in: text, scheme) else { throw .nothingToSign }
        let scoped = try ScopedKey.kept(by: key, scheme, region: region, at: string.moment)
        try string.writeSignature(with: scoped, into: &out)
    }
}
