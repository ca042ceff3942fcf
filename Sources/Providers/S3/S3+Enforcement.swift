import Access
import Bytes

extension [Enforcement] {
    static let s3Request = [
        .operation,
        Enforcement(.vendor, "headers", "all that the answer names are signed; the client must send them as they are"),
        Enforcement(.vendor, "end", "the date of a request, or the lifetime of a URL, that is signed"),
        Enforcement(
            .vendor, "size of an upload that is put whole",
            "Content-Length is signed, where the grant has maxSize"),
        Enforcement(
            .nobody, "size without maxSize", "a body's size is then not signed; maxSize or s3.post-policy limits it"),
        .newOnly,
        Enforcement(.nobody, "content", "a body is signed only by a Content-MD5, where the caller gives one"),
        .reuse,
    ]

    static let s3String = [
        Enforcement(
            .service, "method, bucket, key, query and headers", "the canonical request is read before it is signed"),
        Enforcement(.vendor, "what the canonical request says", "a request that is otherwise has another signature"),
        Enforcement(.vendor, "end", "the date of a request, or the lifetime of a URL, that the string holds"),
        Enforcement(
            .vendor, "size of an upload that is put whole",
            "Content-Length must be signed, where the grant has maxSize"),
        Enforcement(
            .vendor, "overwriting",
            "If-None-Match: * must be signed, unless the grant has overwrite: true; not every server knows it"),
        Enforcement(.nobody, "content", "a body is signed only by its hash, if the client has signed that"),
        .reuse,
    ]

    static let s3Iceberg = [
        Enforcement(.service, "what a deletion names", "every key of the body is read"),
        Enforcement(
            .vendor, "what a deletion names", "the body's SHA-256 is signed; SeaweedFS 4.48 does not compare them"),
        .operation,
        Enforcement(.vendor, "headers of the vendor's own", "all are signed; a range and others are not"),
        Enforcement(.vendor, "end", "the date of the request"),
        .newOnly,
        Enforcement(.nobody, "content", "a body is signed only by its hash, if the client has one"),
        .reuse,
    ]

    static let s3Multipart = [
        Enforcement(.service, "beginning, ending and listing", "the service asks S3 by itself"),
        Enforcement(.service, "upload", "its id is sealed for the caller, the bucket and the key"),
        Enforcement(.service, "type", "the service names it when it begins the upload"),
        Enforcement(.service, "overwriting", "If-None-Match: * ends the upload, unless the grant has overwrite: true"),
        Enforcement(.vendor, "part, key and end", "the URL of each part signs them"),
        Enforcement(.nobody, "size", "parts may be of any size"),
        .reuse,
    ]

    static let s3Form = [
        Enforcement(.vendor, "bucket, key and end", "conditions and expiration of the policy"),
        Enforcement(.vendor, "size", "content-length-range of the policy"),
        Enforcement(.vendor, "type", "a condition on Content-Type, where the grant has contentTypes"),
        Enforcement(
            .vendor, "other fields",
            "Amazon S3 takes no field that no condition names; SeaweedFS takes an ACL and a redirect"),
        Enforcement(.nobody, "overwriting", "a policy cannot forbid it; a URL of s3.presigned-url can"),
        .reuse,
    ]
}

extension GrantContext {
    /// The clauses of a grant that lets objects be written and that servers other than Amazon's do not enforce.
    var unenforcedByS3Servers: [Enforcement] {
        let endpoint = Settings(credential, of: S3.credential).endpoint
        return endpoint.map { S3.isAmazon($0.text) } ?? true ? [] : [.unsignedHeaders]
    }
}

extension Enforcement {
    fileprivate static let unsignedHeaders = Enforcement(
        .nobody, "unsigned headers",
        "the endpoint is not Amazon's; some servers obey headers of a signed PUT that are not signed, such as x-amz-copy-source; "
            + "use sessions (s3.credentials), or one key per tenant")

    fileprivate static let operation = Enforcement(.vendor, "method, bucket, key and query", "version 4 signs them")
    fileprivate static let newOnly = Enforcement(
        .vendor, "overwriting",
        "If-None-Match: * is signed, unless the grant has overwrite: true; not every server knows it")
}
