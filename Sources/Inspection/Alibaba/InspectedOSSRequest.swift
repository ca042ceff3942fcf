import Access
import Bytes
import Crypto
import Providers

/// A request to OSS that was given for inspection, as much of it as its signatures cover.
struct InspectedOSSRequest: InspectedV4Request {
    let bucket: [UInt8]
    let key: [UInt8]
    let request: InspectedRequest
    /// The query's parameters without those of the signature itself.
    private let query: [UInt8]
    private let lines: [UInt8]

    /// Notes what it is about; nil where it cannot be read.
    init?(_ request: InspectedRequest, _ keyring: Keyring, in inspection: inout Inspection) {
        let endpoints = keyring.endpoints(OSS.credential.endpoint)
        guard let object = inspection.object(of: request, "oss", endpoints: endpoints) else { return nil }
        let parameters = request.parameters ?? []
        for parameter in parameters where !InspectedOSSRequest.isOwn(parameter.name) {
            inspection.tell("query." + parameter.name.text, parameter.value ?? [])
        }
        (bucket, key) = object
        self.request = request
        query = QueryText.form(
            parameters.filter { !InspectedOSSRequest.isOwn($0.name) }.map { NameValue($0.name, $0.value ?? []) })
        lines = request.fieldLines
    }

    func signed<Result>(
        by method: [UInt8], _ use: (borrowing ObjectRequest) throws(IssueError) -> Result
    ) throws(IssueError) -> Result {
        let signed = try ObjectRequest(
            OSS.v4, method: method.span, bucket: bucket.span, key: key.span, query: query.span,
            fieldLines: lines.span)
        return try use(signed)
    }

    func signed<Result>(
        by method: [UInt8], with additional: [[UInt8]],
        _ use: (borrowing CanonicalRequest) throws(IssueError) -> Result
    ) throws(IssueError) -> Result {
        let signed = try ObjectRequest(
            OSS.v4, method: method.span, bucket: bucket.span, key: key.span, query: query.span,
            fieldLines: lines.span)
        return try use(try CanonicalRequest(signed, signing: additional))
    }

    /// The region that the host names, as in `oss-cn-hangzhou-internal`; nil where it names none.
    var hostRegion: [UInt8]? {
        let labels = request.authority.split(separator: UInt8(ascii: "."))
        let (start, end) = (Array("oss-".utf8), Array("-internal".utf8))
        guard labels.count >= 3, let label = labels.first(where: { $0.starts(with: start) && $0 != labels[0] }) else {
            return nil
        }
        let name = label.reversed().starts(with: end.reversed()) ? label.dropLast(end.count) : label
        let region = Array(name.dropFirst(start.count))
        return region.starts(with: "accelerate".utf8) ? nil : region
    }

    private static func isOwn(_ name: [UInt8]) -> Bool { own.contains { name.span.equals($0) } }

    private static let own: [StaticString] = [
        "OSSAccessKeyId", "Expires", "Signature", "security-token", "x-oss-additional-headers", "x-oss-credential",
        "x-oss-date", "x-oss-expires", "x-oss-security-token", "x-oss-signature", "x-oss-signature-version",
    ]
}
