import Access
import Bytes

/// What a caller says of a request beside bucket and object, as an ask's notes have it: a line with the method, a line with the
/// query, percent-encoded, and a line `name:value` for each header, the names in lower case.
enum RequestParts {
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

    /// Has an ask note what it asks for.
    /// - Throws: if a header has another form than its name wants.
    static func note(_ asked: Parameters, _ more: URLParameters, in ask: inout Ask) throws(AskError) {
        try ask.note { ask, notes throws(AskError) in
            let start = try begin(asked.method, of: ask, in: &notes)
            var index = 0
            while let pair = ask.pair(&index, of: asked.query) {
                notes.append(
                    parameter: ask.parameters.bytes(pair.name), ask.parameters.bytes(pair.value ?? 0..<0),
                    toQueryAt: start)
            }
            index = 0
            while let pair = ask.pair(&index, of: asked.header) {
                guard let value = pair.value else { throw AskError(.invalid, "header", "must be name:value") }
                try note(
                    header: ask.parameters.bytes(pair.name), ask.parameters.bytes(value), in: &notes, from: "header")
            }
            if let type = ask[more.contentType] {
                try note(header: StaticString("content-type").bytes, type, in: &notes, from: "contentType")
            }
            if let digest = ask[more.contentMD5] {
                try note(header: StaticString("content-md5").bytes, digest, in: &notes, from: "contentMd5")
            }
        }
    }

    /// Has an ask note a canonical request without the headers and parameters of its signature.
    /// - Parameter parameter: what the request was read from.
    /// - Throws: if a header has another form than its name wants.
    static func note(
        _ request: RemoteRequest, _ scheme: V4Scheme, from parameter: Parameter<Span<UInt8>>, in ask: inout Ask
    ) throws(AskError) {
        try ask.note { ask, notes throws(AskError) in
            guard let canonical = ask[parameter] else { throw AskError(.missing, parameter.name, "must be there") }
            if let verb = request.verb { notes.append(verb.name) }
            notes.append(UInt8(ascii: "\n"))
            let query = request.query(in: canonical)
            let start = notes.count
            var position = 0
            while let pair = query.next(&position) {
                if scheme.isCarrier(query: query.bytes(pair.name)) { continue }
                if notes.count > start { notes.append(UInt8(ascii: "&")) }
                // It was read as encoded in the one way there is.
                notes.append(query.bytes(pair.name.lowerBound..<(pair.value ?? pair.name).upperBound))
            }
            let headers = request.headers(in: canonical)
            position = 0
            while let header = headers.next(&position) {
                let name = headers.bytes(header.name)
                guard let value = header.value, !scheme.isCarrier(header: name) else { continue }
                try note(header: name, headers.bytes(value), in: &notes, from: parameter.name)
            }
        }
    }

    /// Notes the method, before all else.
    /// - Returns: where the query begins, which comes next.
    /// - Throws: if it is the name of no method.
    static func begin(
        _ method: Parameter<Span<UInt8>>, of ask: borrowing Ask, in notes: inout ByteWriter
    ) throws(AskError) -> Int {
        ask.reading(method) { notes.append($0) }
        try HTTPMethodName.check(notes.bytes)
        // A line break would begin a query.
        guard ByteSet.token.contains(all: notes.bytes) else {
            throw AskError(.invalid, method.name, "must be the name of a method, such as GET")
        }
        notes.append(UInt8(ascii: "\n"))
        return notes.count
    }

    /// Notes a header behind the query and other headers: its name in lower case, a colon and its value without spaces around it.
    /// - Throws: if it has another form than its name wants.
    static func note(
        header name: Span<UInt8>, _ text: Span<UInt8>, in notes: inout ByteWriter, from parameter: String
    ) throws(AskError) {
        guard !name.isEmpty, ByteSet.label.contains(all: name) else {
            throw AskError(.invalid, parameter, "must be name:value, the name of letters, digits and -")
        }
        var value = text
        while value.count > 0, value[0] == UInt8(ascii: " ") { value = value.extracting(droppingFirst: 1) }
        while value.count > 0, value[value.count - 1] == UInt8(ascii: " ") { value = value.extracting(droppingLast: 1) }
        guard !value.isEmpty else { throw AskError(.invalid, parameter, "must have a value") }
        let isKnown = JudgedRequest(notes.bytes).headers.contains { $0.equals(ignoringCase: name) }
        guard !isKnown else { throw AskError(.invalid, parameter, "is given as a header, too") }
        notes.append(UInt8(ascii: "\n"))
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
}

/// A request as grants judge it, be it one that a caller has described, or one that a client has put together.
struct JudgedRequest: ~Escapable {
    let method: Span<UInt8>
    /// Without the parameters of a signature.
    let query: NamedValues
    /// Names in lower case.
    let headers: NamedValues

    /// - Parameter notes: an ask's, in which `RequestParts` has noted the request. A request of no method, which nobody may send and
    ///   which cannot be signed, if it has not.
    @_lifetime(copy notes)
    init(_ notes: Span<UInt8>) {
        let methodEnd = notes.firstIndex(of: UInt8(ascii: "\n")) ?? notes.count
        let queryStart = min(methodEnd + 1, notes.count)
        let queryEnd = notes.firstIndex(of: UInt8(ascii: "\n"), from: queryStart) ?? notes.count
        method = notes.extracting(0..<methodEnd)
        query = NamedValues(query: notes.extracting(queryStart..<queryEnd))
        headers = NamedValues(lines: notes.extracting(min(queryEnd + 1, notes.count)..<notes.count))
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
                        scheme, method: method, bucket: bucket, key: key, query: query.text, fieldLines: lines.bytes))
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
    func has(_ name: StaticString) -> Bool { query.contains(name) }

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
        while let line = try NamedRange.nextLine(&start, of: lines) {
            add(named: lines.extracting(line.name), lines.extracting(line.value))
        }
    }
}
