import Access
import Bytes

/// The form of a request whose hash version 4 signs (Amazon S3 API reference, "Signature Calculations for the Authorization
/// Header"; OSS API reference, "Include a V4 signature in the Authorization header").
package struct CanonicalRequest: ~Escapable {
    let request: ObjectRequest
    /// The fields that are signed beside those that always are.
    private let additional: Additional

    private enum Additional {
        /// All that the request has.
        case all
        /// In lower case.
        case named([[UInt8]])
    }

    /// A request all of whose fields are signed.
    @_lifetime(copy request)
    init(signingAllOf request: ObjectRequest) {
        self.request = request
        additional = .all
    }

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
        self.additional = .named(names)
    }

    /// Writes that of a request that is signed in its URL.
    /// - Parameter query: the query with all that the URL says of its signature, as it is signed.
    func write(query: Span<UInt8>, into out: inout ByteWriter) {
        writeTarget(into: &out)
        out.append(query)
        writeFields(payload: V4Scheme.unsignedPayload.bytes, into: &out)
    }

    /// Writes that of a request that is signed in a field.
    /// - Parameter payload: the body's hash, or `V4Scheme.unsignedPayload`.
    func write(payload: Span<UInt8> = V4Scheme.unsignedPayload.bytes, into out: inout ByteWriter) {
        writeTarget(into: &out)
        writeQuery(carrying: NoURLSignature(), into: &out)
        writeFields(payload: payload, into: &out)
    }

    /// Writes the query as it is signed.
    /// - Parameter signature: what the URL says of it.
    func writeQuery<Signature: URLSignature & ~Escapable>(
        carrying signature: borrowing Signature, into out: inout ByteWriter
    ) {
        request.query.write(signature, in: .asEncoded, isBare: !request.scheme.endsBareNames, into: &out)
    }

    private func writeTarget(into out: inout ByteWriter) {
        let scheme = request.scheme
        out.append(request.method)
        out.append("\n/")
        if !request.bucket.isEmpty, scheme.hasBucketInPath {
            out.append(request.bucket)
            out.append(UInt8(ascii: "/"))
        }
        Percent.encode(request.key, keeping: .unreservedPath, into: &out)
        out.append(UInt8(ascii: "\n"))
    }

    private func writeFields(payload: Span<UInt8>, into out: inout ByteWriter) {
        let scheme = request.scheme
        out.append(UInt8(ascii: "\n"))
        request.fields.write(into: &out) { scheme.isAlwaysSigned($0) || isNamed($0) }
        out.append(UInt8(ascii: "\n"))
        writeNames(isEncoded: false, into: &out)
        out.append(UInt8(ascii: "\n"))
        out.append(payload)
    }

    /// Whether the signature has to name any fields.
    var hasNames: Bool { request.scheme.signed == .all || request.fields.contains { isNamed($0) } }

    /// Writes the names of the fields that the signature has to name, with `;` between them.
    /// - Parameter isEncoded: whether it is for a query.
    func writeNames(isEncoded: Bool, into out: inout ByteWriter) {
        request.fields.writeNames(isEncoded: isEncoded, into: &out) { isNamed($0) }
    }

    private func isNamed(_ name: Span<UInt8>) -> Bool {
        switch (request.scheme.signed, additional) {
        case (.all, _): true
        case (.own, .all): !request.scheme.isAlwaysSigned(name)
        case (.own, .named(let names)): names.contains { name.equals(ignoringCaseOf: $0) }
        }
    }
}
