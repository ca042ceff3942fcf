import Access
import Bytes
import Crypto

/// A request that a client of Iceberg's REST catalog has signed (`s3-signer-open-api.yaml` and `rest-catalog-open-api.yaml` of
/// apache/iceberg): the whole of it but the body, and with DeleteObjects the body, too. What `RequestParts` are is in the ask's notes.
///
/// It has so few bytes that an ask keeps it in place.
struct IcebergRequest: AskDetail {
    let style: S3.Style
    /// Whether it deletes several objects.
    let isDeletion: Bool
    /// Whether the client sends the body's hash by itself.
    let hasPayload: Bool
    /// Where that is among the ask's parameters.
    private let payloadStart, payloadEnd: UInt32

    struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let region = Parameter("region", .text(maximumLength: 64), "The bucket's region.")
        let uri = Parameter("uri", .text(maximumLength: 8192), "The request's URL.")
        let method = Parameter("method", .text(maximumLength: 16), default: "GET", "The request's method")
        let headers = Parameter(
            "headers", .json(maximumLength: 64 << 10),
            "The request's headers, at most \(IcebergRequest.mostHeaders): an object of lists of values.")
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

    /// Reads the ask, notes the request, and sets its target.
    init(_ ask: inout Ask, _ asked: Parameters) throws(AskError) {
        guard ask.reading(asked.provider, { $0.equals("s3") }) else {
            throw AskError(.invalid, asked.provider.name, "must be s3")
        }
        let style = ask.reading(asked.style) { S3.Style($0) }
        guard let style else { throw AskError(.invalid, asked.style.name, S3.Style.fault) }
        let url = try URLParts(ask, asked.uri, style)
        let headers = try IcebergRequest.keepHeaders(of: &ask, asked)
        try ask.note { ask, notes throws(AskError) in
            let start = try RequestParts.begin(asked.method, of: ask, in: &notes)
            if let uri = ask[asked.uri] { url.writeQuery(of: uri, into: &notes, at: start) }
            try IcebergRequest.noteSigned(ask.parameters.bytes(headers), to: &notes, from: asked.headers.name)
        }
        let told = NamedValues(lines: ask.parameters.bytes(headers)).rangeOfValue(where: {
            $0.equals("x-amz-content-sha256")
        }).map { headers.lowerBound + $0.lowerBound..<headers.lowerBound + $0.upperBound }
        self.style = style
        hasPayload = told != nil
        isDeletion = IcebergRequest.isDeletion(ask, of: url.key)
        let payload: Range<Int>
        if isDeletion {
            payload = try IcebergRequest.readDeletion(of: &ask, asked, from: url, told: told)
        } else {
            guard ask[asked.body] == nil else {
                throw AskError(.invalid, asked.body.name, "is only for a POST of delete, on the bucket")
            }
            payload = told ?? ask.parameters.keep(V4Scheme.unsignedPayload.bytes)
            guard S3.v4(style).isPayload(ask.parameters.bytes(payload)) else {
                throw AskError(
                    .invalid, asked.headers.name, "must have UNSIGNED-PAYLOAD or a SHA-256 as x-amz-content-sha256")
            }
            ask.setTarget(bucket: url.bucket, key: url.key, isEncoded: true, in: asked.uri)
        }
        payloadStart = UInt32(clamping: payload.lowerBound)
        payloadEnd = UInt32(clamping: payload.upperBound)
    }

    /// The hash of the body, or `UNSIGNED-PAYLOAD`.
    /// - Parameter ask: the one that it was read from, with its parameters.
    @_lifetime(borrow ask)
    func payload(in ask: borrowing Ask) -> Span<UInt8> {
        ask.parameters.bytes(Int(min(payloadStart, payloadEnd))..<Int(payloadEnd))
    }

    // MARK: Deletions

    private static func isDeletion(_ ask: borrowing Ask, of key: Range<Int>) -> Bool {
        let request = JudgedRequest(ask.notes.bytes)
        return request.method.equals("POST") && key.isEmpty && request.has("delete")
    }

    /// Reads the body, and sets the target to what its keys have in common.
    /// - Parameter told: where the hash is that the client says the body has.
    /// - Returns: where its hash is.
    private static func readDeletion(
        of ask: inout Ask, _ asked: Parameters, from url: URLParts, told: Range<Int>?
    ) throws(AskError) -> Range<Int> {
        guard let body = ask[asked.body]?.array else {
            throw AskError(.missing, asked.body.name, "must be there: it names what would be deleted")
        }
        let hash: [UInt8]
        do throws(CryptoError) { hash = Hex.encode(try Digest(.sha256, of: body.span).bytes.array) } catch {
            throw AskError(.invalid, asked.body.name, "cannot be hashed")
        }
        // Nothing else keeps a client from sending another body than the one that is judged.
        if let told, !ask.parameters.bytes(told).equals(hash) {
            throw AskError(
                .invalid, asked.headers.name, "must have the body's SHA-256 as x-amz-content-sha256, or leave that out")
        }
        let keys: DeletedKeys
        do throws(DeletedKeys.Fault) { keys = try DeletedKeys(reading: body) } catch {
            throw AskError(.invalid, asked.body.name, error.reason)
        }
        let target = keys.target
        let bucket = ask[asked.uri]?.extracting(url.bucket).array ?? []
        ask.setTarget(bucket: bucket.span, key: target.key.span, isPrefix: target.isPrefix)
        return ask.parameters.keep(hash.span)
    }

    // MARK: Headers

    /// Keeps the client's headers as lines `name:value`, with the names in lower case, and the values of one name joined by commas.
    private static func keepHeaders(of ask: inout Ask, _ asked: Parameters) throws(AskError) -> Range<Int> {
        try ByteWriter.lending { lines throws(AskError) in
            if let text = ask[asked.headers] {
                let fault: String?
                do throws(JSONError) { fault = try read(text, into: &lines) } catch { fault = notHeaders }
                if let fault { throw AskError(.invalid, asked.headers.name, fault) }
            }
            return ask.parameters.keep(lines.bytes)
        }
    }

    /// Each is compared with all before it.
    private static let mostHeaders = 64
    private static let notHeaders = "must be an object of lists of texts"

    /// - Returns: what is wrong with them, if anything is.
    private static func read(_ text: Span<UInt8>, into lines: inout ByteWriter) throws(JSONError) -> String? {
        var reader = JSONReader(text, as: .json, maximumDepth: 3)
        try reader.start()
        guard case .object = try reader.beginValue() else { return notHeaders }
        var object = try reader.open("}")
        var count = 0
        while let name = try reader.readName(in: &object) {
            count += 1
            guard count <= mostHeaders else { return "must be at most \(mostHeaders)" }
            if let fault = begin(reader.text(name), in: &lines) { return fault }
            guard case .array = try reader.beginValue() else { return notHeaders }
            var mark = UInt8(ascii: ":")
            var values = try reader.open("]")
            while try reader.findItem(of: &values) {
                guard case .string = try reader.beginValue() else { return notHeaders }
                let value = try reader.readString()
                guard !reader.text(value).hasControlCharacters else { return "must have no control characters" }
                lines.append(mark)
                lines.append(reader.text(value))
                mark = UInt8(ascii: ",")
            }
            if values.newest == nil { return notHeaders }
        }
        try reader.finish()
        return nil
    }

    /// Begins the line of a header.
    private static func begin(_ name: Span<UInt8>, in lines: inout ByteWriter) -> String? {
        guard !name.isEmpty, ByteSet.token.contains(all: name) else { return "must have the names of headers" }
        guard !NamedValues(lines: lines.bytes).contains(where: { $0.equals(ignoringCase: name) }) else {
            return "must have each name once"
        }
        if !lines.isEmpty { lines.append(UInt8(ascii: "\n")) }
        lines.append(lowercasing: name)
        return nil
    }

    private static func noteSigned(
        _ lines: Span<UInt8>, to notes: inout ByteWriter, from parameter: String
    ) throws(AskError) {
        let headers = NamedValues(lines: lines)
        var position = 0
        while let header = headers.next(&position) {
            let name = headers.bytes(header.name)
            guard let value = header.value, isSigned(name) else { continue }
            try RequestParts.note(header: name, headers.bytes(value), in: &notes, from: parameter)
        }
    }

    /// Whether a client's header is signed: all of the vendor's own must be, and those that the grant speaks of. A client may ask for
    /// another range of what it has a signature for, and its repetitions have other numbers.
    private static func isSigned(_ name: Span<UInt8>) -> Bool {
        if name.equals("x-amz-content-sha256") || name.equals("x-amz-date") || name.equals("x-amz-security-token")
            || name.equals("range")
        {
            return false
        }
        return name.begins(with: "x-amz-") || OperationTable.has(name, among: S3Operations.table.headers)
    }

    // MARK: The URL

    /// A URL of an object or of a bucket, as ranges in it.
    private struct URLParts {
        let bucket, key: Range<Int>
        private let query: Range<Int>

        init(_ ask: borrowing Ask, _ parameter: Parameter<Span<UInt8>>, _ style: S3.Style) throws(AskError) {
            guard let text = ask[parameter] else { throw AskError(.missing, parameter.name, "must be the URL") }
            guard let url = URLParts(text, style) else {
                throw AskError(
                    .invalid, parameter.name, "must be https://, a host, a path and perhaps a query, of encoded ASCII")
            }
            self = url
        }

        private init?(_ text: Span<UInt8>, _ style: S3.Style) {
            for index in text.indices where !text[index].isVisible || text[index] == UInt8(ascii: "#") { return nil }
            guard let start = text.begins(with: "https://") ? 8 : text.begins(with: "http://") ? 7 : nil else {
                return nil
            }
            let target = text.firstIndex(of: UInt8(ascii: "?"), from: start) ?? text.count
            let host = start..<min(text.firstIndex(of: UInt8(ascii: "/"), from: start) ?? target, target)
            let path = min(host.upperBound + 1, target)..<target
            query = min(target + 1, text.count)..<text.count
            switch style {
            case .virtual:
                let end = text.firstIndex(of: UInt8(ascii: "."), from: start) ?? host.upperBound
                (bucket, key) = (start..<min(end, host.upperBound), path)
            case .path:
                let end = min(text.firstIndex(of: UInt8(ascii: "/"), from: path.lowerBound) ?? target, target)
                (bucket, key) = (path.lowerBound..<end, min(end + 1, target)..<target)
            }
            guard URLParts.canDecode(text.extracting(path)), URLParts.canDecode(text.extracting(query)) else {
                return nil
            }
        }

        private static func canDecode(_ text: Span<UInt8>) -> Bool {
            ByteWriter.lending { Percent.decode(text, plusIsSpace: false, into: &$0) }
        }

        /// Writes the query as notes have it: another client may have encoded other characters.
        func writeQuery(of text: Span<UInt8>, into notes: inout ByteWriter, at start: Int) {
            let parameters = NamedValues(query: text.extracting(query))
            var position = 0
            while let pair = parameters.next(&position) {
                let value = pair.value ?? pair.name.upperBound..<pair.name.upperBound
                // An ampersand with nothing beside it is no parameter.
                if pair.name.isEmpty, pair.value == nil { continue }
                ByteWriter.lending { decoded in
                    // It was found to be well encoded.
                    _ = Percent.decode(parameters.bytes(pair.name), plusIsSpace: false, into: &decoded)
                    let end = decoded.count
                    _ = Percent.decode(parameters.bytes(value), plusIsSpace: false, into: &decoded)
                    notes.append(
                        parameter: decoded.bytes.extracting(0..<end), decoded.bytes.extracting(end..<decoded.count),
                        toQueryAt: start)
                }
            }
        }
    }
}
