import Access
import Bytes

/// What a caller says of a request to NOS beside bucket and object, read once, in the form in which it is signed and sent.
struct NOSRequestParts: AskDetail {
    let method: [UInt8]
    /// Names in lower case.
    let headers: [(name: [UInt8], value: [UInt8])]
    let parameters: [NOSRequest.Parameter]
    /// The headers as lines of a request.
    private let lines: [UInt8]
    private let contentMD5, contentType: [UInt8]

    /// - Parameters: the places of the parameters in the ask.
    /// - Throws: if the request could not be signed whatever the grant says.
    init(_ ask: borrowing Ask, method: Int, headers: Int, query: Int) throws(AskError) {
        self.method = ask.text(at: method)?.array ?? Array("GET".utf8)
        var list: [(name: [UInt8], value: [UInt8])] = []
        for pair in ask.pairs(at: headers) { list.append(try NOSRequestParts.header(pair, ask)) }
        self.headers = list
        lines = list.flatMap { $0.name + Array(": ".utf8) + $0.value + Array("\r\n".utf8) }
        contentMD5 = list.first { $0.name.span.equals("content-md5") }?.value ?? []
        contentType = list.first { $0.name.span.equals("content-type") }?.value ?? []
        parameters = ask.pairs(at: query).map { pair in
            let value = pair.value.map { ask.parameters.bytes($0).array }
            // In a JSON object, a name alone is one with an empty value.
            return NOSRequest.Parameter(
                name: ask.parameters.bytes(pair.name).array, value: value?.isEmpty == true ? nil : value)
        }
        if let bucket = ask.bucket, !NOS.isHostLabel(bucket) { throw AskError(.invalid, "bucket", NOS.bucketFault) }
        // Which object it is about makes no difference to whether it can be signed.
        let name = Array("x".utf8)
        do throws(IssueError) { _ = try request(bucket: name.span, key: name.span) } catch {
            guard case .unsignable(let reason) = error else { throw AskError(.invalid, "", "cannot be signed") }
            throw AskError(.invalid, "", reason.description)
        }
    }

    private static func header(_ pair: Ask.Pair, _ ask: borrowing Ask) throws(AskError) -> (
        name: [UInt8], value: [UInt8]
    ) {
        let name = ask.parameters.bytes(pair.name).array.map(\.lowercasedASCII)
        guard name.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }), let value = pair.value else {
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
            method: method.span, bucket: bucket, key: key, parameters: parameters, contentMD5: contentMD5.span,
            contentType: contentType.span, fieldLines: lines.span)
    }
}
