import Access
import Bytes

/// A request about a bucket or an object, as much of it as signatures cover. What the vendor's SDKs would sign
/// differently is refused.
package struct ObjectRequest: ~Escapable {
    let scheme: V4Scheme
    let query: NamedValues
    let fields: RequestFields
    let method: Span<UInt8>
    /// Empty for the service itself.
    let bucket: Span<UInt8>
    /// Empty for the bucket itself.
    let key: Span<UInt8>

    /// - Parameters:
    ///   - scheme: that of the vendor's version 4.
    ///   - key: the whole object key, not encoded.
    ///   - query: without the signature's own parameters, names and values percent-encoded: `name=value&name`.
    ///   - fieldLines: the header fields that are sent, each line ended by CR LF; others may be sent beside them only if the
    ///     vendor does not sign them.
    @_lifetime(copy method, copy bucket, copy key, copy query, copy fieldLines)
    package init(
        _ scheme: V4Scheme, method: Span<UInt8>, bucket: Span<UInt8>, key: Span<UInt8>,
        query: Span<UInt8> = Span(), fieldLines: Span<UInt8>
    ) throws(IssueError) {
        for index in method.indices where method[index] < UInt8(ascii: "A") || method[index] > UInt8(ascii: "Z") {
            throw .unsignable("a method must be of capital letters")
        }
        guard !method.isEmpty else { throw .unsignable("a request must have a method") }
        guard bucket.isEmpty ? key.isEmpty : scheme.isBucket(bucket) else {
            throw .unsignable(
                "a bucket must be 3 to 63 of a-z 0-9 and inner hyphens, or dots where only the path names it")
        }
        guard key.count <= ObjectKeyRule.maximumLength, ObjectRequest.isText(key) else {
            throw .unsignable("a key must be at most 1023 bytes of UTF-8 without control characters")
        }
        self.query = NamedValues(query: query)
        try ObjectRequest.check(self.query, scheme)
        self.scheme = scheme
        self.method = method
        self.bucket = bucket
        self.key = key
        fields = try RequestFields(fieldLines, scheme)
    }

    /// Writes `https://bucket.endpoint/key?parameters`, or `https://endpoint/bucket/key?parameters`, the parameters sorted by
    /// name, as OSS's Go SDK does.
    func writeURL(on endpoint: BaseURL, into out: inout ByteWriter) {
        writeURL(on: endpoint, carrying: NoURLSignature(), into: &out)
    }

    /// The same with a signature of version 1.
    func writeURL<Signature: URLSignature & ~Escapable>(
        on endpoint: BaseURL, carrying signature: borrowing Signature, into out: inout ByteWriter
    ) {
        writeStart(on: endpoint, into: &out)
        query.write(signature, from: "?", in: .asNamed, isBare: false, into: &out)
    }

    /// Writes the URL without its query.
    func writeStart(on endpoint: BaseURL, into out: inout ByteWriter) {
        scheme.writeOrigin(of: bucket, on: endpoint, into: &out)
        scheme.writePath(of: bucket, key, into: &out)
    }

    /// For a URL that carries its signature: the fields that would carry one are not there.
    func checkCarriesNothing() throws(IssueError) {
        guard !fields.contains(where: { scheme.fields.isOfSignature($0) || $0.equals(ignoringCase: "authorization") })
        else { throw .unsignable("a signed URL must have no fields of a signature beside it") }
    }

    private static func check(_ query: NamedValues, _ scheme: V4Scheme) throws(IssueError) {
        var (position, count) = (0, 0)
        while let parameter = query.next(&position) {
            let name = query.bytes(parameter.name)
            guard !name.isEmpty, isEncodedText(name), isEncodedText(query.bytes(parameter.value ?? 0..<0)) else {
                throw .unsignable("a query parameter must have a name, and be UTF-8 without control characters")
            }
            for reserved in scheme.parameters.reserved where name.equals(ignoringCase: reserved) {
                throw .unsignable("a query parameter must not be the signature's")
            }
            var (before, others) = (0, 0)
            while others < count, let other = query.next(&before) {
                others += 1
                guard !query.bytes(other.name).equals(name) else {
                    throw .unsignable("a query parameter must not come twice")
                }
            }
            count += 1
        }
    }

    /// Whether a text is percent-encoded in the one way there is, and none that is refused once it is decoded.
    private static func isEncodedText(_ encoded: Span<UInt8>) -> Bool {
        if ByteSet.unreserved.contains(all: encoded) { return true }
        return ByteWriter.lending { text in
            var position = 0
            while let byte = Percent.nextEncoded(&position, of: encoded) { text.append(byte) }
            return position == encoded.count && isText(text.bytes)
        }
    }

    static func isText(_ bytes: Span<UInt8>) -> Bool {
        !bytes.hasControlCharacters && UTF8Text.isWellFormed(bytes)
    }
}
