import Access
import Bytes
import Crypto

/// A request that a client of Iceberg's REST catalog has signed (`s3-signer-open-api.yaml` and `rest-catalog-open-api.yaml` of
/// apache/iceberg): the whole of it but the body, and with DeleteObjects the body, too.
struct IcebergRequest: AskDetail {
    let parts: RequestParts
    /// Scheme, host and port.
    let origin: [UInt8]
    let bucket: [UInt8]
    /// Whether it deletes several objects.
    let isDeletion: Bool
    /// The hash of the body, or `UNSIGNED-PAYLOAD`.
    let payload: [UInt8]
    /// Whether the client sends that by itself.
    let hasPayload: Bool
    let style: S3.Style

    struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let region = Parameter("region", .text(maximumLength: 64), "The bucket's region.")
        let uri = Parameter("uri", .text(maximumLength: 8192), "The request's URL.")
        let method = Parameter("method", .text(maximumLength: 16), default: "GET", "The request's method")
        let headers = Parameter(
            "headers", .json(maximumLength: 64 << 10), "The request's headers: an object of lists of values.")
        let body = Parameter(
            "body", .text(maximumLength: 2 << 20), "The body of a POST of `delete`, every key of which is judged.")
        let provider = Parameter("provider", .text(maximumLength: 16), default: "s3", "Whose request it is")
        let style = Parameter(
            "style", .text(maximumLength: 8), default: S3.Style.virtual.rawValue,
            "Where the URL has the bucket: virtual, in the host, or path, in the path")
        let properties = Parameter("properties", .ignored, "What the catalog has the client say.")
        let prefix = Parameter("prefix", .ignored, "The catalog's prefix.")
        let namespace = Parameter("namespace", .ignored, "The table's namespace.")
        let table = Parameter("table", .ignored, "The table.")
    }

    /// Reads the ask, and sets its target.
    init(_ ask: inout Ask, _ asked: Parameters) throws(AskError) {
        guard ask.reading(asked.provider, { $0.equals("s3") }) else {
            throw AskError(.invalid, asked.provider.name, "must be s3")
        }
        let style = ask.reading(asked.style) { S3.Style($0) }
        guard let style else { throw AskError(.invalid, asked.style.name, S3.Style.fault) }
        guard let uri = ask[asked.uri]?.array else { throw AskError(.missing, asked.uri.name, "must be the URL") }
        guard let url = URLParts(uri, style) else {
            throw AskError(
                .invalid, asked.uri.name, "must be https://, a host, a path and perhaps a query, of encoded ASCII")
        }
        self.style = style
        (origin, bucket) = (url.origin, url.bucket)
        let method = ask.bytes(of: asked.method)
        try HTTPMethodName.check(method.span)
        isDeletion =
            method.span.equals("POST") && url.key.isEmpty && url.query.contains { $0.name.span.equals("delete") }
        let headers = try IcebergRequest.headers(ask[asked.headers], of: asked.headers.name)
        let told = headers.first { $0.name.span.equals("x-amz-content-sha256") }?.value
        hasPayload = told != nil
        parts = try RequestParts(
            method, url.query, headers: headers.filter { IcebergRequest.isSigned($0.name) }, from: asked.headers.name,
            notedOf: &ask)
        guard isDeletion else {
            guard ask[asked.body] == nil else {
                throw AskError(.invalid, asked.body.name, "is only for a POST of delete, on the bucket")
            }
            payload = told ?? V4Scheme.unsignedPayload.array
            guard S3.v4(style).isPayload(payload.span) else {
                throw AskError(
                    .invalid, asked.headers.name, "must have UNSIGNED-PAYLOAD or a SHA-256 as x-amz-content-sha256")
            }
            ask.setTarget(bucket: url.bucket.span, key: url.key.span, isPrefix: false)
            return
        }
        guard let body = ask[asked.body]?.array else {
            throw AskError(.missing, asked.body.name, "must be there: it names what would be deleted")
        }
        do throws(CryptoError) { payload = Hex.encode(try Digest(.sha256, of: body.span).bytes.array) } catch {
            throw AskError(.invalid, asked.body.name, "cannot be hashed")
        }
        // Nothing else keeps a client from sending another body than the one that is judged.
        guard told == nil || told == payload else {
            throw AskError(
                .invalid, asked.headers.name, "must have the body's SHA-256 as x-amz-content-sha256, or leave that out")
        }
        let keys: DeletedKeys
        do throws(DeletedKeys.Fault) { keys = try DeletedKeys(reading: body) } catch {
            throw AskError(.invalid, asked.body.name, error.reason)
        }
        let target = keys.target
        ask.setTarget(bucket: url.bucket.span, key: target.key.span, isPrefix: target.isPrefix)
    }

    // MARK: Headers

    /// Names in lower case; several values of one are joined by commas.
    private static func headers(_ text: Span<UInt8>?, of name: String) throws(AskError) -> [NameValue] {
        guard let text else { return [] }
        let fault = AskError(.invalid, name, "must be an object of lists of texts")
        guard let value = try? JSONReader.read(text, as: .json, maximumDepth: 3),
            case .object(let members) = value.content
        else { throw fault }
        var headers: [NameValue] = []
        for member in members {
            guard case .array(let values) = member.value.content else { throw fault }
            let texts = values.compactMap(\.text)
            guard texts.count == values.count, !texts.isEmpty else { throw fault }
            let header = NameValue(member.name.map(\.lowercasedASCII), Array(texts.joined(separator: ",".utf8)))
            guard !headers.contains(where: { $0.name == header.name }) else {
                throw AskError(.invalid, name, "must have each name once")
            }
            guard !header.value.span.hasControlCharacters else {
                throw AskError(.invalid, name, "must have no control characters")
            }
            headers.append(header)
        }
        return headers
    }

    /// Whether a client's header is signed: all of the vendor's own must be, and those that the grant speaks of. A client may ask for
    /// another range of what it has a signature for, and its repetitions have other numbers.
    private static func isSigned(_ name: [UInt8]) -> Bool {
        if own.contains(name) || name.span.equals("range") { return false }
        return name.starts(with: "x-amz-".utf8) || OperationTable.has(name, among: S3Operations.table.headers)
    }

    /// Those of the signature itself.
    private static let own: [[UInt8]] = ["x-amz-content-sha256", "x-amz-date", "x-amz-security-token"].map {
        Array($0.utf8)
    }

    // MARK: The URL

    /// A URL of an object or of a bucket, decoded.
    private struct URLParts {
        let origin, bucket, key: [UInt8]
        let query: [NameValue]

        init?(_ text: [UInt8], _ style: S3.Style) {
            guard text.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }),
                let scheme = ["https://", "http://"].first(where: { text.starts(with: $0.utf8) })
            else { return nil }
            let rest = text.dropFirst(scheme.utf8.count)
            let host = Array(rest.prefix { !StaticString("/?").contains($0) })
            origin = Array(scheme.utf8) + host
            let target = rest.dropFirst(host.count)
            let path = target.prefix { $0 != UInt8(ascii: "?") }
            guard let decoded = Percent.decoded(path.dropFirst()), path.isEmpty || path.first == UInt8(ascii: "/")
            else { return nil }
            switch style {
            case .virtual: (bucket, key) = (Array(host.prefix { $0 != UInt8(ascii: ".") }), decoded)
            case .path:
                bucket = Array(decoded.prefix { $0 != UInt8(ascii: "/") })
                key = Array(decoded.dropFirst(bucket.count + 1))
            }
            guard let query = QueryParameter.list(target.dropFirst(path.count + 1)) else { return nil }
            self.query = query.map { NameValue($0.name, $0.value ?? []) }
        }
    }
}
