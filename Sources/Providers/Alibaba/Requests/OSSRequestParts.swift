import Access
import Bytes

/// What a caller says of a request to OSS beside bucket and object, read once, in the form in which it is signed and sent.
struct OSSRequestParts: AskDetail {
    enum Version: CaseIterable {
        case v4, v1

        var name: StaticString {
            switch self {
            case .v4: "v4"
            case .v1: "v1"
            }
        }
    }

    /// The parameters of a request that is signed in a field.
    struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let key = Parameter("key", .key(maximumLength: OSS.maximumKeyLength), "The object's whole key.")
        let fileExtension = Parameter.fileExtension
        let method = Parameter("method", .text(maximumLength: 16), default: "GET", "The method")
        let header = Parameter(
            "header", .pairs(separator: UInt8(ascii: ":"), maximumCount: 32, maximumLength: 2048),
            "A header that shall be signed, and sent, as name:value.")
        let query = Parameter(
            "query", .pairs(separator: UInt8(ascii: "="), maximumCount: 16, maximumLength: 1024),
            "A parameter of the request's query, as name or name=value, such as uploads.")
        let version = Parameter(
            "version", .text(maximumLength: 8), default: "v4", "The signature's version, v4 or v1")
    }

    /// Those of a request that is signed in its URL.
    struct URLParameters: ParameterGroup {
        let request: Parameters
        let expires = Parameter.expires
        let contentType = Parameter(
            "contentType", .text(maximumLength: 256), "The Content-Type that shall be signed, and sent.")
        let contentMD5 = Parameter(
            "contentMd5", .text(maximumLength: 24), "The Content-MD5, in base64, that shall be signed, and sent.")

        init(_ request: Parameters) { self.request = request }
    }

    let version: Version
    let method: [UInt8]
    let parameters: [NameValue]
    /// The headers' names, in lower case.
    private(set) var names: [[UInt8]] = []
    /// The headers as lines of a request.
    private(set) var lines: [UInt8] = []
    private(set) var contentType: [UInt8]?
    /// In bytes.
    private(set) var contentLength: Int64?

    /// - Throws: if the request could not be signed whatever the grant says.
    init(_ ask: borrowing Ask, _ all: URLParameters) throws(AskError) {
        let asked = all.request
        version = try OSSRequestParts.version(ask, asked.version)
        method = ask.bytes(of: asked.method)
        parameters = ask[asked.query].map { pair in
            NameValue(
                ask.parameters.bytes(pair.name).array, pair.value.map { ask.parameters.bytes($0).array } ?? [])
        }
        for pair in ask[asked.header] {
            guard let value = pair.value else { throw AskError(.invalid, "header", "must be name:value") }
            try add(
                ask.parameters.bytes(pair.name).array.map(\.lowercasedASCII), ask.parameters.bytes(value),
                from: "header"
            )
        }
        if let type = ask[all.contentType] {
            try add(OSSRequestParts.contentType, type, from: "contentType")
        }
        if let digest = ask[all.contentMD5] {
            try add(OSSRequestParts.contentMD5, digest, from: "contentMd5")
        }
        try check(ask)
    }

    private static func version(
        _ ask: borrowing Ask, _ parameter: Parameter<Span<UInt8>>
    ) throws(AskError) -> Version {
        let version = ask.reading(parameter) { text in Version.allCases.first { text.equals($0.name) } }
        guard let version else { throw AskError(.invalid, "version", "must be v4 or v1") }
        return version
    }

    // MARK: Headers

    private mutating func add(
        _ name: [UInt8], _ text: Span<UInt8>, from parameter: String
    ) throws(AskError) {
        guard !name.isEmpty, ByteSet.label.contains(all: name) else {
            throw AskError(.invalid, parameter, "must be name:value, the name of letters, digits and -")
        }
        var value = text
        while value.count > 0, value[0] == UInt8(ascii: " ") { value = value.extracting(droppingFirst: 1) }
        while value.count > 0, value[value.count - 1] == UInt8(ascii: " ") { value = value.extracting(droppingLast: 1) }
        guard !value.isEmpty else { throw AskError(.invalid, parameter, "must have a value") }
        guard !names.contains(name) else { throw AskError(.invalid, parameter, "is given as a header, too") }
        try read(name.span, value, from: parameter)
        lines.reserveCapacity(lines.count + name.count + value.count + 4)
        lines += name
        lines += ": ".utf8
        for index in value.indices { lines.append(value[index]) }
        lines += "\r\n".utf8
        names.append(name)
    }

    private mutating func read(_ name: Span<UInt8>, _ value: Span<UInt8>, from parameter: String) throws(AskError) {
        if name.equals("content-type") {
            let type = value.array
            guard type.count <= 256, type.allSatisfy({ $0.isVisible || $0 == UInt8(ascii: " ") }) else {
                throw AskError(.invalid, parameter, "must be a content type of at most 256 ASCII characters")
            }
            contentType = type
        } else if name.equals("content-md5") {
            guard value.count == 24, Base64.standard.decode(value)?.count == 16 else {
                throw AskError(.invalid, parameter, "must be the standard base64 of an MD5's 16 bytes")
            }
        } else if version == .v1, !RequestFields.isOwn(name) {
            throw AskError(
                .invalid, parameter, "version v1 signs content-type, content-md5 and x-oss- headers alone")
        } else if name.equals("content-length") {
            guard let length = Decimal.parse(value) else {
                throw AskError(.invalid, parameter, "must have content-length as a number of bytes, in digits")
            }
            contentLength = length
        }
    }

    /// Whether it is one of the requests of which OSS makes callbacks: an object that is put whole, or completed of its parts
    /// (OSS API reference, "Callback").
    var endsUpload: Bool {
        func has(_ name: StaticString) -> Bool { parameters.contains { $0.name.span.equals(name) } }
        if method.span.equals("PUT") { return !has("partNumber") }
        return method.span.equals("POST") && has("uploadId")
    }

    // MARK: The request

    /// Whether it could be signed, whatever the grant says.
    private func check(_ ask: borrowing Ask) throws(AskError) {
        if let bucket = ask.bucket, !OSS.isBucket(bucket) { throw AskError(.invalid, "bucket", OSS.bucketFault) }
        do throws(IssueError) {
            // Which bucket it is makes no difference; the key is judged when it is known which one is signed.
            try check(key: OSSRequestParts.anyKey.span)
        } catch {
            throw AskError(unsignable: error)
        }
    }

    /// Why a request about this key could not be signed; nil when it can.
    func fault(ofKey key: Span<UInt8>) -> StaticString? {
        switch version {
        case .v1: OSSRequest.faultV1(ofKey: key)
        case .v4: nil
        }
    }

    private func check(key: Span<UInt8>) throws(IssueError) {
        let request = try request(bucket: OSSRequestParts.anyBucket.span, key: key, lines: lines.span)
        switch version {
        case .v1:
            var text = ByteWriter(capacity: 256)
            try request.writeEndV1(parameters, into: &text)
        case .v4: _ = try CanonicalRequest(request, signing: additional)
        }
    }

    private static let contentType = Array("content-type".utf8)
    private static let contentMD5 = Array("content-md5".utf8)
    private static let anyBucket = Array("any".utf8)
    private static let anyKey = Array("x".utf8)

    /// - Parameters:
    ///   - lines: the headers, and perhaps more.
    ///   - more: what the service adds to the query.
    @_lifetime(copy bucket, copy key, copy lines, borrow self)
    func request(
        bucket: Span<UInt8>, key: Span<UInt8>, lines: Span<UInt8>, adding more: [NameValue] = []
    ) throws(IssueError) -> OSSRequest {
        try OSSRequest(method: method.span, bucket: bucket, key: key, parameters: parameters + more, fieldLines: lines)
    }

    /// The headers that version 4 signs only where it is told to.
    var additional: [[UInt8]] { names.filter { !CanonicalRequest.isAlwaysSigned($0.span) } }
}
