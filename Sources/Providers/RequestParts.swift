import Access
import Bytes

/// What a caller says of a request beside bucket and object, read once, in the form in which it is signed and sent.
struct RequestParts: Sendable {
    /// What it is asked with.
    struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let key = Parameter("key", .key(maximumLength: ObjectKeyRule.maximumLength), "The object's whole key.")
        let fileExtension = Parameter.fileExtension
        let method = Parameter("method", .text(maximumLength: 16), default: "GET", "The method")
        let header = Parameter(
            "header", .pairs(separator: UInt8(ascii: ":"), maximumCount: 32, maximumLength: 2048),
            "A header that shall be signed, and sent, as name:value.")
        let query = Parameter(
            "query", .pairs(separator: UInt8(ascii: "="), maximumCount: 16, maximumLength: 1024),
            "A parameter of the request's query, as name or name=value, such as uploads.")
    }

    /// What a request that is signed in its URL is asked with beside them.
    struct URLParameters: ParameterGroup {
        let expires = Parameter.expires
        let contentType = Parameter(
            "contentType", .text(maximumLength: 256), "The Content-Type that shall be signed, and sent.")
        let contentMD5 = Parameter(
            "contentMd5", .text(maximumLength: 24), "The Content-MD5, in base64, that shall be signed, and sent.")
    }

    let method: [UInt8]
    let parameters: [NameValue]
    /// The headers' names, in lower case.
    private(set) var names: [[UInt8]] = []
    /// The headers as lines of a request.
    private(set) var lines: [UInt8] = []
    private(set) var contentType: [UInt8]?
    /// The value of If-None-Match.
    private(set) var condition: [UInt8]?
    /// In bytes.
    private(set) var contentLength: Int64?

    /// A request without headers.
    init(_ method: [UInt8], _ parameters: [NameValue]) {
        self.method = method
        self.parameters = parameters
    }

    /// What a client says of its request.
    /// - Parameter headers: names in lower case, once each.
    /// - Throws: if a header has another form than its name wants.
    init(
        _ method: [UInt8], _ parameters: [NameValue], headers: [NameValue], from parameter: String
    ) throws(AskError) {
        self.init(method, parameters)
        for header in headers { try add(header.name, header.value.span, from: parameter) }
    }

    /// The service's own request that begins an upload, with its type.
    init(contentType: [UInt8]?) {
        self.init([], [])
        self.contentType = contentType
    }

    /// - Throws: if a header has another form than its name wants.
    init(_ ask: borrowing Ask, _ asked: Parameters, _ more: URLParameters) throws(AskError) {
        method = ask.bytes(of: asked.method)
        try HTTPMethodName.check(method)
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
        if let type = ask[more.contentType] {
            try add(RequestParts.contentType, type, from: "contentType")
        }
        if let digest = ask[more.contentMD5] {
            try add(RequestParts.contentMD5, digest, from: "contentMd5")
        }
    }

    /// What a canonical request says beside its signature's own fields and parameters.
    /// - Parameter canonical: what the request was read from.
    /// - Throws: if a header has another form than its name wants.
    init(_ request: RemoteRequest, in canonical: Span<UInt8>, _ scheme: V4Scheme) throws(AskError) {
        method = request.verb?.name.array ?? []
        let query = request.query(in: canonical)
        var parameters: [NameValue] = []
        var position = 0
        while let pair = query.next(&position) {
            if scheme.isCarrier(query: query.bytes(pair.name)) { continue }
            parameters.append(
                NameValue(
                    query.decoded(pair.name),
                    pair.value.map { query.decoded($0) } ?? []))
        }
        self.parameters = parameters
        let headers = request.headers(in: canonical)
        position = 0
        while let header = headers.next(&position) {
            let name = headers.bytes(header.name)
            guard let value = header.value, !scheme.isCarrier(header: name) else { continue }
            try add(name.array, headers.bytes(value), from: "canonicalRequest")
        }
    }

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
        } else if name.equals("content-length") {
            guard let length = Decimal.parse(value) else {
                throw AskError(.invalid, parameter, "must have content-length as a number of bytes, in digits")
            }
            contentLength = length
        } else if name.equals("if-none-match") {
            condition = value.array
        }
    }

    /// Whether the query has a parameter of this name.
    func has(_ name: StaticString) -> Bool { parameters.contains { $0.name.span.equals(name) } }

    /// Whether it puts an object whole, or completes one of its parts.
    var endsUpload: Bool {
        if method.span.equals("PUT") { return !has("partNumber") }
        return method.span.equals("POST") && has("uploadId")
    }

    private static let contentType = Array("content-type".utf8)
    private static let contentMD5 = Array("content-md5".utf8)
}

extension JSONObject {
    /// Header lines as members.
    mutating func add(_ lines: Span<UInt8>) throws(IssueError) {
        var start = 0
        while let line = try HeaderLine.next(&start, of: lines) {
            add(named: lines.extracting(line.name), lines.extracting(line.value))
        }
    }
}
