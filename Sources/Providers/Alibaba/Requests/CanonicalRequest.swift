import Access
import Bytes

/// The form of a request whose hash version 4 signs (OSS API reference, "Include a V4 signature in the Authorization header").
package struct CanonicalRequest: ~Escapable {
    static let payload: StaticString = "UNSIGNED-PAYLOAD"

    let request: OSSRequest
    /// The fields that are signed beside those that always are: in lower case, ascending.
    let additional: [[UInt8]]

    /// - Parameter additional: names in any case. One that the request does not have is refused, since a client that relies on
    ///   its signature would do so in vain.
    @_lifetime(copy request)
    package init(_ request: OSSRequest, signing additional: [[UInt8]] = []) throws(IssueError) {
        let names = additional.map { $0.map(\.lowercasedASCII) }.sorted { $0.precedes($1) }
        for (index, name) in names.enumerated() {
            guard !CanonicalRequest.isAlwaysSigned(name.span), request.fields.hasValue(name) else {
                throw .unsignable("an additional field must be in the request, and not be signed without it")
            }
            guard index == 0 || names[index - 1] != name else {
                throw .unsignable("an additional field must not be named twice")
            }
        }
        self.request = request
        self.additional = names
    }

    /// - Parameter parameters: the query's, with those of the signature itself.
    func write(_ parameters: [NameValue], into out: inout ByteWriter) {
        out.append(request.method)
        out.append("\n/")
        // In the path even where the bucket is in the host.
        if !request.bucket.isEmpty {
            out.append(request.bucket)
            out.append(UInt8(ascii: "/"))
        }
        OSSRequest.encode(request.key, into: &out)
        out.append(UInt8(ascii: "\n"))
        for (index, parameter) in parameters.sorted(by: { $0.precedesEncoded($1) }).enumerated() {
            if index > 0 { out.append(UInt8(ascii: "&")) }
            parameter.writeCanonical(into: &out)
        }
        out.append(UInt8(ascii: "\n"))
        let additional = additional
        request.fields.write(into: &out) { name in
            CanonicalRequest.isAlwaysSigned(name) || additional.contains { name.equals(ignoringCaseOf: $0) }
        }
        out.append(UInt8(ascii: "\n"))
        writeAdditional(into: &out)
        out.append(UInt8(ascii: "\n"))
        out.append(CanonicalRequest.payload)
    }

    /// Writes the names of the additional fields with `;` between them.
    func writeAdditional(into out: inout ByteWriter) {
        for (index, name) in additional.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ";")) }
            out.append(name)
        }
    }

    /// Whether a header is signed wherever it is there.
    static func isAlwaysSigned(_ name: Span<UInt8>) -> Bool {
        RequestFields.isOwn(name) || name.equals(ignoringCase: "content-type")
            || name.equals(ignoringCase: "content-md5")
    }
}
