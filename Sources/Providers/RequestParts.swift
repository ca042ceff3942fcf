import Access
import Bytes

/// What a caller says of a request beside bucket and object, read once: method and headers are in the ask's notes. It has so few
/// bytes that an ask keeps it in place.
struct RequestParts: AskDetail {
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

    let parameters: [NameValue]
    /// Where in the ask's notes the method ends, and the headers behind it.
    private let methodEnd, headersEnd: UInt32

    private init(method: Int, headers: Int, _ parameters: [NameValue]) {
        methodEnd = UInt32(clamping: method)
        headersEnd = UInt32(clamping: headers)
        self.parameters = parameters
    }

    /// Reads what is asked for.
    /// - Throws: if a header has another form than its name wants.
    init(_ ask: inout Ask, _ asked: Parameters, _ more: URLParameters) throws(AskError) {
        self = try ask.note { ask, notes throws(AskError) in
            ask.reading(asked.method) { notes.append($0) }
            let methodEnd = notes.count
            try HTTPMethodName.check(notes.bytes)
            var index = 0
            while let pair = ask.pair(&index, of: asked.header) {
                guard let value = pair.value else { throw AskError(.invalid, "header", "must be name:value") }
                let (name, text) = (ask.parameters.bytes(pair.name), ask.parameters.bytes(value))
                try RequestParts.add(name, text, to: &notes, behind: methodEnd, from: "header")
            }
            if let type = ask[more.contentType] {
                let name = StaticString("content-type").bytes
                try RequestParts.add(name, type, to: &notes, behind: methodEnd, from: "contentType")
            }
            if let digest = ask[more.contentMD5] {
                let name = StaticString("content-md5").bytes
                try RequestParts.add(name, digest, to: &notes, behind: methodEnd, from: "contentMd5")
            }
            return RequestParts(method: methodEnd, headers: notes.count, RequestParts.query(ask, asked.query))
        }
    }

    private static func query(_ ask: borrowing Ask, _ asked: Parameter<[Ask.Pair]>) -> [NameValue] {
        var (query, index) = ([NameValue](), 0)
        while let pair = ask.pair(&index, of: asked) {
            query.append(
                NameValue(
                    ask.parameters.bytes(pair.name).array, pair.value.map { ask.parameters.bytes($0).array } ?? []))
        }
        return query
    }

    /// What a client says of its request.
    /// - Parameter headers: names in lower case, once each.
    /// - Throws: if a header has another form than its name wants.
    init(
        _ method: [UInt8], _ parameters: [NameValue], headers: [NameValue] = [], from parameter: String = "",
        notedOf ask: inout Ask
    ) throws(AskError) {
        self = try ask.note { _, notes throws(AskError) in
            notes.append(method)
            for header in headers {
                try RequestParts.add(
                    header.name.span, header.value.span, to: &notes, behind: method.count, from: parameter)
            }
            return RequestParts(method: method.count, headers: notes.count, parameters)
        }
    }

    /// Has an ask note the method of a canonical request, and the headers that are not its signature's own.
    /// - Parameter parameter: what the request was read from.
    /// - Throws: if a header has another form than its name wants.
    static func note(
        _ request: RemoteRequest, _ scheme: V4Scheme, from parameter: Parameter<Span<UInt8>>, in ask: inout Ask
    ) throws(AskError) {
        try ask.note { ask, notes throws(AskError) in
            guard let canonical = ask[parameter] else { throw AskError(.missing, parameter.name, "must be there") }
            if let verb = request.verb { notes.append(verb.name) }
            let methodEnd = notes.count
            let headers = request.headers(in: canonical)
            var position = 0
            while let header = headers.next(&position) {
                let name = headers.bytes(header.name)
                guard let value = header.value, !scheme.isCarrier(header: name) else { continue }
                try RequestParts.add(
                    name, headers.bytes(value), to: &notes, behind: methodEnd, from: parameter.name)
            }
        }
    }

    /// What has been noted of a canonical request, and the parameters that are not its signature's own.
    /// - Parameter notes: all of the ask's.
    init(noted request: RemoteRequest, _ scheme: V4Scheme, in canonical: Span<UInt8>, _ notes: Span<UInt8>) {
        let query = request.query(in: canonical)
        var (parameters, position) = ([NameValue](), 0)
        while let pair = query.next(&position) {
            if scheme.isCarrier(query: query.bytes(pair.name)) { continue }
            parameters.append(NameValue(query.decoded(pair.name), pair.value.map { query.decoded($0) } ?? []))
        }
        self.init(method: request.verb?.name.utf8CodeUnitCount ?? 0, headers: notes.count, parameters)
    }

    /// Notes a header: a line of its name in lower case, a colon and its value without spaces around it.
    /// - Parameter start: where the first header is.
    private static func add(
        _ name: Span<UInt8>, _ text: Span<UInt8>, to notes: inout ByteWriter, behind start: Int, from parameter: String
    ) throws(AskError) {
        guard !name.isEmpty, ByteSet.label.contains(all: name) else {
            throw AskError(.invalid, parameter, "must be name:value, the name of letters, digits and -")
        }
        var value = text
        while value.count > 0, value[0] == UInt8(ascii: " ") { value = value.extracting(droppingFirst: 1) }
        while value.count > 0, value[value.count - 1] == UInt8(ascii: " ") { value = value.extracting(droppingLast: 1) }
        guard !value.isEmpty else { throw AskError(.invalid, parameter, "must have a value") }
        let isKnown = NamedValues(lines: notes.bytes.extracting(start..<notes.count)).contains {
            $0.equals(ignoringCase: name)
        }
        guard !isKnown else { throw AskError(.invalid, parameter, "is given as a header, too") }
        if notes.count > start { notes.append(UInt8(ascii: "\n")) }
        let line = notes.count
        notes.append(lowercasing: name)
        try check(notes.bytes.extracting(line..<notes.count), value, from: parameter)
        guard value.firstIndex(of: UInt8(ascii: "\n")) == nil else {
            throw AskError(.invalid, parameter, "must have no line breaks")
        }
        notes.append(UInt8(ascii: ":"))
        notes.append(value)
    }

    /// Checks that a header has the form that its name wants.
    /// - Parameter name: in lower case.
    private static func check(_ name: Span<UInt8>, _ value: Span<UInt8>, from parameter: String) throws(AskError) {
        if name.equals("content-type") {
            guard value.count <= 256, contentType.contains(all: value) else {
                throw AskError(.invalid, parameter, "must be a content type of at most 256 ASCII characters")
            }
        } else if name.equals("content-md5") {
            guard value.count == 24, Base64.standard.decode(value)?.count == 16 else {
                throw AskError(.invalid, parameter, "must be the standard base64 of an MD5's 16 bytes")
            }
        } else if name.equals("content-length"), Decimal.parse(value) == nil {
            throw AskError(.invalid, parameter, "must have content-length as a number of bytes, in digits")
        }
    }

    private static let contentType = ByteSet(0x20...0x7E)

    /// The request, by the notes of the ask that it was read from.
    @_lifetime(copy notes)
    func request(in notes: Span<UInt8>) -> JudgedRequest {
        let end = min(Int(headersEnd), notes.count)
        let middle = min(Int(methodEnd), end)
        return JudgedRequest(
            notes.extracting(0..<middle), parameters, NamedValues(lines: notes.extracting(middle..<end)))
    }
}

/// A request as grants judge it, be it one that a caller has described, or one that a client has put together.
struct JudgedRequest: ~Escapable {
    let method: Span<UInt8>
    /// Without those of a signature.
    let parameters: [NameValue]
    /// Names in lower case.
    let headers: NamedValues

    @_lifetime(copy method, copy headers)
    init(_ method: Span<UInt8>, _ parameters: [NameValue], _ headers: NamedValues) {
        self.method = method
        self.parameters = parameters
        self.headers = headers
    }

    var contentType: Span<UInt8>? {
        @_lifetime(copy self)
        get { headers.value(of: "content-type") }
    }

    /// The value of If-None-Match.
    var condition: Span<UInt8>? {
        @_lifetime(copy self)
        get { headers.value(of: "if-none-match") }
    }

    /// In bytes.
    var contentLength: Int64? {
        guard let text = headers.value(of: "content-length") else { return nil }
        return Decimal.parse(text)
    }

    /// Checks that the request could be signed, whatever it is about and whatever the grant says.
    /// - Parameter check: checks what else there is.
    func checkSignable(
        _ scheme: V4Scheme, _ check: (borrowing ObjectRequest) throws(IssueError) -> Void = { _ in }
    ) throws(AskError) {
        let (bucket, key) = (StaticString("any").bytes, StaticString("x").bytes)
        do throws(IssueError) {
            try ByteWriter.lending { lines throws(IssueError) in
                writeLines(into: &lines)
                try check(
                    ObjectRequest(
                        scheme, method: method, bucket: bucket, key: key, parameters: parameters,
                        fieldLines: lines.bytes))
            }
        } catch {
            throw AskError(unsignable: error)
        }
    }

    /// Writes the headers as lines of a request.
    func writeLines(into out: inout ByteWriter) {
        var position = 0
        while let header = headers.next(&position) {
            out.append(field: headers.bytes(header.name), headers.bytes(header.value ?? header.name))
        }
    }

    /// Whether the query has a parameter of this name.
    func has(_ name: StaticString) -> Bool { parameters.contains { $0.name.span.equals(name) } }

    /// Whether it puts an object whole, or completes one of its parts.
    var endsUpload: Bool {
        if method.equals("PUT") { return !has("partNumber") }
        return method.equals("POST") && has("uploadId")
    }
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
