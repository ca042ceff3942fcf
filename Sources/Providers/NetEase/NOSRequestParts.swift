import Access
import Bytes

/// What a caller says of a request to NOS beside bucket and object, read once, in the form in which it is signed and sent.
struct NOSRequestParts: AskDetail {
    struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let object = Parameter(
            "object", aliases: ["key"], .key(maximumLength: NOS.maximumKeyLength), "The object's whole name.")
        let fileExtension = Parameter.fileExtension
        let method = Parameter("method", .text(maximumLength: 16), default: "GET", "The method")
        let header = Parameter(
            "header", .pairs(separator: UInt8(ascii: ":"), maximumCount: 32, maximumLength: 2048),
            "A header that shall be signed, as name:value; all that the grant's `headers` may hold are signed.")
        let query = Parameter(
            "query", .pairs(separator: UInt8(ascii: "="), maximumCount: 8, maximumLength: 1024),
            "A sub-resource, as name or name=value, such as uploads.")
    }

    let method: [UInt8]
    /// Names in lower case.
    let headers: [(name: [UInt8], value: [UInt8])]
    let parameters: [QueryParameter]
    /// The headers as lines of a request.
    private let lines: [UInt8]
    private let contentMD5, contentType: [UInt8]

    /// - Throws: if the request could not be signed whatever the grant says.
    init(_ ask: borrowing Ask, _ asked: Parameters) throws(AskError) {
        let method = ask.bytes(of: asked.method)
        try HTTPMethodName.check(method.span)
        self.method = method
        var list: [(name: [UInt8], value: [UInt8])] = []
        for pair in ask[asked.header] { list.append(try NOSRequestParts.header(pair, ask)) }
        headers = list
        var lines: [UInt8] = []
        for header in list {
            lines += header.name
            lines += ": ".utf8
            lines += header.value
            lines += "\r\n".utf8
        }
        self.lines = lines
        contentMD5 = list.first { $0.name.span.equals("content-md5") }?.value ?? []
        contentType = list.first { $0.name.span.equals("content-type") }?.value ?? []
        parameters = ask[asked.query].map { pair in
            let value = pair.value.map { ask.parameters.bytes($0).array }
            // In a JSON object, a name alone is one with an empty value.
            return QueryParameter(
                name: ask.parameters.bytes(pair.name).array, value: value?.isEmpty == true ? nil : value)
        }
        if let bucket = ask.bucket, !NOS.isHostLabel(bucket) { throw AskError(.invalid, "bucket", NOS.bucketFault) }
        // Which object it is about makes no difference to whether it can be signed.
        let name = Array("x".utf8)
        do throws(IssueError) { _ = try request(bucket: name.span, key: name.span) } catch {
            throw AskError(unsignable: error)
        }
    }

    private static func header(_ pair: Ask.Pair, _ ask: borrowing Ask) throws(AskError) -> (
        name: [UInt8], value: [UInt8]
    ) {
        let name = ask.parameters.bytes(pair.name).array.map(\.lowercasedASCII)
        guard ByteSet.label.contains(all: name), let value = pair.value else {
            throw AskError(.invalid, "header", "must be name:value, the name of letters, digits and -")
        }
        var text = ask.parameters.bytes(value).array.drop { $0 == UInt8(ascii: " ") }
        while text.last == UInt8(ascii: " ") { text.removeLast() }
        guard !text.isEmpty else { throw AskError(.invalid, "header", "must have a value") }
        return (name, Array(text))
    }

    @_lifetime(copy bucket, copy key, borrow self)
    func request(bucket: Span<UInt8>, key: Span<UInt8>) throws(IssueError) -> NOSRequest {
        try NOSRequest(
            method: method.span, bucket: bucket, key: key, parameters: parameters,
            content: .init(md5: contentMD5.span, type: contentType.span), fieldLines: lines.span)
    }
}
