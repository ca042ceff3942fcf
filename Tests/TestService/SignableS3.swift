import Foundation

/// Puts a string to sign for S3 together, and the canonical request that it is of, by AWS's documents ("Signature Calculations for the
/// Authorization Header", "Using Query Parameters") and an encoder of its own.
struct SignableS3: Sendable {
    var method = "GET"
    var bucket = "demo-bucket"
    var key = "in/a.txt"
    /// Beside the signature's own.
    var query: [(String, String)] = []
    /// Beside the signature's own; in lower case.
    var headers: [(String, String)] = [("content-type", "text/plain")]
    /// Nil for the endpoint's, with the bucket or without.
    var host: String?
    var isPath = false
    var moment = now
    var region = Setup.s3Region
    var service = "s3"
    var accessKey = Setup.s3AccessKey
    var token: String?
    /// A URL's life in seconds; nil for a header.
    var lifetime: String?
    var payload = "UNSIGNED-PAYLOAD"
    /// Whether the header of the payload's hash is signed, too.
    var namesPayload = true

    static var url: SignableS3 { SignableS3(headers: [], lifetime: "280") }
    /// In the endpoint of the credential that has buckets in the path.
    static var path: SignableS3 {
        SignableS3(
            bucket: "my.dotted.bucket", key: "dots/a b.txt", headers: [], host: "storage.example.com:9000",
            isPath: true, region: "auto")
    }

    func with(_ change: (inout SignableS3) -> Void) -> SignableS3 {
        var changed = self
        change(&changed)
        return changed
    }

    var date: String { iso8601(moment).filter { $0 != "-" && $0 != ":" } }
    var scope: String { "\(date.prefix(8))/\(region)/\(service)/aws4_request" }

    var canonical: String {
        var (query, headers) = (query, headers)
        headers.append(("host", host ?? "\(bucket).\(Setup.s3Endpoint)"))
        if lifetime == nil {
            headers.append(("x-amz-date", date))
            if namesPayload { headers.append(("x-amz-content-sha256", payload)) }
            if let token { headers.append(("x-amz-security-token", token)) }
        }
        headers.sort { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        let names = headers.map(\.0).joined(separator: ";")
        if let lifetime {
            query += [
                ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(accessKey)/\(scope)"),
                ("X-Amz-Date", date), ("X-Amz-Expires", lifetime), ("X-Amz-SignedHeaders", names),
            ]
            if let token { query.append(("X-Amz-Security-Token", token)) }
        }
        let pairs = query.map { (SignableV4.encoded($0.0), SignableV4.encoded($0.1)) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        let path = "/" + (isPath ? "\(bucket)/" : "") + SignableV4.encoded(key, keeping: "/")
        return [
            method, path, pairs.map { "\($0.0)=\($0.1)" }.joined(separator: "&"),
            headers.map { "\($0.0):\($0.1)\n" }.joined(), names, payload,
        ].joined(separator: "\n")
    }

    var string: String {
        "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(Digests.hex(Digests.sha256(Array(canonical.utf8))))"
    }

    /// The signature of the string.
    var signature: String {
        var key = Array("AWS4\(Setup.s3Secret)".utf8)
        for part in scope.components(separatedBy: "/") + [string] {
            key = Digests.hmacSHA256(key: key, Array(part.utf8))
        }
        return Digests.hex(key)
    }

    /// What is asked, as the text of a form.
    func form(_ more: String = "") -> String {
        let style = isPath ? "&style=path" : ""
        return "stringToSign=\(percent(string))&canonicalRequest=\(percent(canonical))\(style)\(more)"
    }
}
