import Access
import Bytes

/// A request to OSS, as much of it as its signatures cover. What the vendor's SDKs would sign differently is refused.
package struct OSSRequest: ~Escapable {
    /// As they were given.
    let parameters: [NameValue]
    let fields: RequestFields
    let method: Span<UInt8>
    /// Empty for the service itself.
    let bucket: Span<UInt8>
    /// Empty for the bucket itself.
    let key: Span<UInt8>

    /// - Parameters:
    ///   - key: the whole object key, not encoded.
    ///   - parameters: those of the query without the signature's own.
    ///   - fieldLines: the header fields that are sent, each line ended by CR LF; others may be sent beside them only if the
    ///     vendor does not sign them.
    @_lifetime(copy method, copy bucket, copy key, copy fieldLines)
    package init(
        method: Span<UInt8>, bucket: Span<UInt8>, key: Span<UInt8>, parameters: [NameValue] = [],
        fieldLines: Span<UInt8>
    ) throws(IssueError) {
        for index in method.indices where method[index] < UInt8(ascii: "A") || method[index] > UInt8(ascii: "Z") {
            throw .unsignable("a method must be of capital letters")
        }
        guard !method.isEmpty else { throw .unsignable("a request must have a method") }
        guard bucket.isEmpty ? key.isEmpty : OSS.isBucket(bucket) else {
            throw .unsignable("a bucket must be 3 to 63 of a-z 0-9 and inner hyphens")
        }
        guard key.count <= OSS.maximumKeyLength, OSSRequest.isText(key) else {
            throw .unsignable("a key must be at most 1023 bytes of UTF-8 without control characters")
        }
        try OSSRequest.check(parameters)
        self.parameters = parameters
        self.method = method
        self.bucket = bucket
        self.key = key
        fields = try RequestFields(fieldLines)
    }

    /// Writes `https://bucket.endpoint/key?parameters`, the parameters sorted by name, as the vendor's Go SDK does.
    func writeURL(on endpoint: BaseURL, _ parameters: [NameValue], into out: inout ByteWriter) {
        if bucket.isEmpty { endpoint.write(into: &out) } else { endpoint.write(bucket: bucket, into: &out) }
        out.append(UInt8(ascii: "/"))
        OSSRequest.encode(key, into: &out)
        for (index, parameter) in parameters.sorted(by: { $0.name.precedes($1.name) }).enumerated() {
            out.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            parameter.write(into: &out)
        }
    }

    /// Writes a key as it stands in a path.
    static func encode(_ key: Span<UInt8>, into out: inout ByteWriter) {
        Percent.encode(key, keeping: .unreservedPath, into: &out)
    }

    /// For a URL that carries its signature: the fields that would carry one are not there.
    func checkCarriesNothing() throws(IssueError) {
        for name in OSSRequest.carriers where fields.contains(name) {
            throw .unsignable("a signed URL must have no fields of a signature beside it")
        }
    }

    private static let carriers: [StaticString] = [
        "authorization", "x-oss-content-sha256", "x-oss-date", "x-oss-security-token",
    ]

    private static func check(_ parameters: [NameValue]) throws(IssueError) {
        for (index, parameter) in parameters.enumerated() {
            guard !parameter.name.isEmpty, isText(parameter.name.span), isText(parameter.value.span) else {
                throw .unsignable("a query parameter must have a name, and be UTF-8 without control characters")
            }
            for name in reserved where parameter.name.span.equals(ignoringCase: name) {
                throw .unsignable("a query parameter must not be the signature's")
            }
            if parameters[..<index].contains(where: { $0.name == parameter.name }) {
                throw .unsignable("a query parameter must not come twice")
            }
        }
    }

    /// The parameters by which URLs carry signatures of any version.
    private static let reserved: [StaticString] = [
        "ossaccesskeyid", "expires", "signature", "security-token", "x-oss-access-key-id", "x-oss-additional-headers",
        "x-oss-credential", "x-oss-date", "x-oss-expires", "x-oss-security-token", "x-oss-signature",
        "x-oss-signature-version",
    ]

    static func isText(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F { return false }
        return UTF8Text.isWellFormed(bytes)
    }
}
