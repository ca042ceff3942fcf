import Access
import Bytes
import Crypto
import Providers

/// A request to S3 that was given for inspection, as much of it as its signatures cover.
struct InspectedS3Request: InspectedV4Request {
    private let bucket, key: [UInt8]
    private let request: InspectedRequest
    private let scheme: V4Scheme
    /// The query's parameters without those of the signature itself.
    private let query: [UInt8]

    static let url: Inspector = Inspector(
        "S3 presigned URL", "The URL, with `X-Amz-Credential` and `X-Amz-Signature`, alone or in its request.",
        read: { input, keyring, now in
            guard case .request(let request) = input.content,
                let credential = request.parameter("X-Amz-Credential")
            else { return nil }
            return inspected(url.kind, keyring).url(request, credential, keyring, now)
        })

    static let authorization: Inspector = Inspector(
        "S3 Authorization", "`AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`, alone or in its request.",
        read: { input, keyring, now in
            input.authorization("AWS4-HMAC-SHA256 ").map { value, request in
                inspected(authorization.kind, keyring).authorization(value, request, keyring, now)
            }
        })

    private static func inspected(_ kind: String, _ keyring: Keyring) -> InspectedV4<InspectedS3Request> {
        // Only the place of the bucket differs between the styles, and that is read off the request.
        InspectedV4(S3.v4(.virtual), kind, tolerance: S3.dateTolerance) { InspectedS3Request($0, keyring, in: &$1) }
    }

    /// Notes what it is about; nil where it cannot be read.
    init?(_ request: InspectedRequest, _ keyring: Keyring, in inspection: inout Inspection) {
        let endpoints = keyring.endpoints(S3.credential.endpoint)
        guard let object = inspection.object(of: request, "s3", endpoints: endpoints) else { return nil }
        (bucket, key) = object
        self.request = request
        scheme = S3.v4(request.decodedPath == key ? .virtual : .path)
        let parameters = request.parameters ?? []
        let own = scheme.parameters
        let names = [
            own.algorithm, own.credential, own.date, own.expires, own.signedHeaders, own.token, own.signature,
        ]
        for parameter in parameters where !names.contains(parameter.name) {
            inspection.tell("query." + parameter.name.text, parameter.value ?? [])
        }
        query = QueryText.form(
            parameters.filter { !names.contains($0.name) }.map { NameValue($0.name, $0.value ?? []) })
    }

    /// Hosts have too many forms to tell where one names a region.
    var hostRegion: [UInt8]? { nil }

    func signed<Result>(
        by method: [UInt8], with names: [[UInt8]], _ use: (borrowing CanonicalRequest) throws(IssueError) -> Result
    ) throws(IssueError) -> Result {
        let lines = request.fieldLines(named: names)
        let signed = try ObjectRequest(
            scheme, method: method.span, bucket: bucket.span, key: key.span, query: query.span,
            fieldLines: lines.span)
        return try use(try CanonicalRequest(signed))
    }
}
