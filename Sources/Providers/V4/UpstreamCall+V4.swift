import Access
import Bytes
import Crypto

extension UpstreamCall {
    /// Signs the service's own call by version 4: its host and all the headers that it has by now.
    /// - Parameters:
    ///   - bucket: what it is about; empty for a service that has none.
    ///   - key: the object's; empty for the bucket.
    ///   - payload: the hash of its body, or `V4Scheme.unsignedPayload`.
    mutating func sign(
        about bucket: Span<UInt8> = Span(), key: Span<UInt8> = Span(),
        payload: Span<UInt8> = V4Scheme.unsignedPayload.bytes, by signer: V4Signer
    ) throws(IssueError) {
        var parts = ByteWriter(capacity: 512)
        parts.append(field: "host", authority.span)
        for header in headers { parts.append(field: header) }
        let end = parts.count
        QueryText.write(query, into: &parts)
        let canonical = try CanonicalRequest(
            ObjectRequest(
                signer.key.scheme, method: method.name.bytes, bucket: bucket, key: key,
                query: parts.bytes.extracting(end..<parts.count), fieldLines: parts.bytes.extracting(0..<end)))
        var text = ByteWriter(capacity: 1024)
        canonical.write(payload: payload, into: &text)
        let code = try signer.key.code(ofRequest: &text, at: signer.moment)
        text.reset()
        HeaderSignatureV4.write(code, of: canonical, with: signer.key, into: &text)
        headers.append(NameValue("Authorization", text.array))
    }
}

extension V4Signer {
    /// The headers that say when a call is signed, and by which temporary key.
    var headers: [NameValue] {
        var date = ByteWriter(capacity: 16)
        ISO8601.writeBasic(moment, into: &date)
        let names = key.scheme.fields
        return [NameValue(names.date, date.array)] + (token.map { [NameValue(names.token, $0)] } ?? [])
    }
}
