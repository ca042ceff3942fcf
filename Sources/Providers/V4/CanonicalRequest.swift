import Access
import Bytes

/// The form of a request whose hash version 4 signs (Amazon S3 API reference, "Signature Calculations for the Authorization
/// Header"; OSS API reference, "Include a V4 signature in the Authorization header").
package struct CanonicalRequest: ~Escapable {
    let request: ObjectRequest
    /// The fields that are signed beside those that always are: in lower case, ascending.
    let additional: [[UInt8]]

    /// - Parameter additional: names in any case. One that the request does not have is refused, since a client that relies on
    ///   its signature would do so in vain.
    @_lifetime(copy request)
    package init(_ request: ObjectRequest, signing additional: [[UInt8]] = []) throws(IssueError) {
        let names = additional.map { $0.map(\.lowercasedASCII) }.sorted { $0.precedes($1) }
        for (index, name) in names.enumerated() {
            guard !request.scheme.isAlwaysSigned(name.span), request.fields.hasValue(name) else {
                throw .unsignable("an additional field must be in the request, and not be signed without it")
            }
            guard index == 0 || names[index - 1] != name else {
                throw .unsignable("an additional field must not be named twice")
            }
        }
        self.request = request
        self.additional = names
    }

    /// - Parameters:
    ///   - parameters: the query's, with those of the signature itself.
    ///   - payload: the body's hash, or `V4Scheme.unsignedPayload`.
    func write(
        _ parameters: [NameValue], payload: Span<UInt8> = V4Scheme.unsignedPayload.bytes, into out: inout ByteWriter
    ) {
        let scheme = request.scheme
        out.append(request.method)
        out.append("\n/")
        if !request.bucket.isEmpty, scheme.hasBucketInPath {
            out.append(request.bucket)
            out.append(UInt8(ascii: "/"))
        }
        Percent.encode(request.key, keeping: .unreservedPath, into: &out)
        out.append(UInt8(ascii: "\n"))
        for (index, parameter) in parameters.inOrder({ $0.precedesEncoded($1) }).enumerated() {
            if index > 0 { out.append(UInt8(ascii: "&")) }
            parameter.writeCanonical(isBare: !scheme.endsBareNames, into: &out)
        }
        out.append(UInt8(ascii: "\n"))
        let additional = additional
        request.fields.write(into: &out) { name in
            scheme.isAlwaysSigned(name) || additional.contains { name.equals(ignoringCaseOf: $0) }
        }
        out.append(UInt8(ascii: "\n"))
        writeNames(into: &out)
        out.append(UInt8(ascii: "\n"))
        out.append(payload)
    }

    /// Whether the signature has to name any fields.
    var hasNames: Bool { request.scheme.signed == .all || !additional.isEmpty }

    /// Writes the names of the fields that the signature has to name, with `;` between them.
    func writeNames(into out: inout ByteWriter) {
        switch request.scheme.signed {
        case .all: request.fields.writeNames(into: &out)
        case .own:
            for (index, name) in additional.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ";")) }
                out.append(name)
            }
        }
    }
}
