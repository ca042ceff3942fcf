import Access
import Bytes
import Crypto

/// Where the buckets of a grant's credential are, and how requests about them are signed.
struct V4Place: Sendable {
    let endpoint: BaseURL
    let region: [UInt8]
    let scheme: V4Scheme

    /// The key of the moment's day.
    /// - Parameter moment: seconds since 1970.
    func key(_ key: SigningKey, at moment: Int64) throws(IssueError) -> ScopedKey {
        try ScopedKey.kept(by: key, scheme, region: region, at: moment)
    }

    /// Writes the Host field, which every signature covers where the scheme names all fields.
    func writeHost(of bucket: Span<UInt8>, into lines: inout ByteWriter) {
        lines.append("host: ")
        if scheme.hasBucketInHost {
            endpoint.writeAuthority(of: bucket, into: &lines)
        } else {
            lines.append(endpoint.authority)
        }
        lines.append("\r\n")
    }

    /// Whether the Host field of a request about a bucket is so.
    func isHost(_ value: Span<UInt8>, of bucket: Span<UInt8>) -> Bool {
        guard scheme.hasBucketInHost else { return value.equals(endpoint.authority) }
        return value.count > bucket.count && value.begins(with: bucket)
            && value[bucket.count] == UInt8(ascii: ".")
            && value.extracting(bucket.count + 1..<value.count).equals(endpoint.authority)
    }

    /// Writes the URL of a bucket, which ends in `/`, or of an object.
    func writeURL(of bucket: Span<UInt8>, key: Span<UInt8> = Span(), into out: inout ByteWriter) {
        scheme.writeOrigin(of: bucket, on: endpoint, into: &out)
        scheme.writePath(of: bucket, key, into: &out)
    }

    /// Writes the value of the Authorization field.
    /// - Parameter canonical: of the request with all its fields, those of `HeaderSignatureV4.writeFields` among them.
    func writeAuthorization(
        of canonical: borrowing CanonicalRequest, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        try HeaderSignatureV4.write(
            for: canonical, with: self.key(key, at: instant.unixSeconds), into: &out, using: &scratch)
    }

    /// Writes a URL that carries its signature, for as long as a permit holds.
    /// - Parameter canonical: of the request with the fields that the client has to send.
    func writeSignedURL(
        of canonical: borrowing CanonicalRequest, under permit: borrowing Permit, with key: SigningKey,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let begin = permit.expiresAt - permit.lifetime
        try PresignedURLV4.write(
            for: canonical, on: endpoint, lasting: permit.lifetime,
            by: V4Signer(self.key(key, at: begin), at: begin, token: key.securityToken), into: &out, using: &scratch)
    }

    /// The same of a request about the permit's object that has no fields but the host.
    func writeSignedURL(
        _ method: Span<UInt8>, _ query: Span<UInt8>, under permit: borrowing Permit, with key: SigningKey,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        try ByteWriter.lending { lines throws(IssueError) in
            writeHost(of: permit.bucket, into: &lines)
            let canonical = try CanonicalRequest(
                ObjectRequest(
                    scheme, method: method, bucket: permit.bucket, key: permit.key, query: query,
                    fieldLines: lines.bytes))
            try writeSignedURL(of: canonical, under: permit, with: key, into: &out, using: &scratch)
        }
    }
}

extension V4Scheme {
    /// Writes scheme and host of requests about a bucket; about the service, where it is empty.
    func writeOrigin(of bucket: Span<UInt8>, on endpoint: BaseURL, into out: inout ByteWriter) {
        if hasBucketInHost, !bucket.isEmpty {
            endpoint.write(bucket: bucket, into: &out)
        } else {
            endpoint.write(into: &out)
        }
    }

    /// Writes the path of an object; of a bucket or of the service, where key and bucket are empty.
    func writePath(of bucket: Span<UInt8>, _ key: Span<UInt8>, into out: inout ByteWriter) {
        out.append(UInt8(ascii: "/"))
        if !hasBucketInHost, !bucket.isEmpty {
            out.append(bucket)
            out.append(UInt8(ascii: "/"))
        }
        Percent.encode(key, keeping: .unreservedPath, into: &out)
    }
}
