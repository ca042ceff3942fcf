import Access
import Bytes

/// The canonical request of a version 4 signature, as read from a client that asks for a signature. What our own signatures
/// write is a `CanonicalRequest`.
///
///     VERB \n /[bucket/]key \n name[=value]*(&name[=value]) \n *(name:value \n) \n [name*(;name)] \n payload
///
/// Where bucket and payload stand, what an empty value looks like and which headers the last line but one names is the scheme's.
/// It has one reading only: key, names and values of the query are encoded, each byte in one way; a header's line has a colon, so
/// the empty line behind them is the first; every list is in ascending order, and names nothing twice. It does not judge:
/// allowed verbs, dates, prefixes and sub-resources are the operation table's. It is a view of the text, and allocates nothing.
package struct ParsedCanonicalRequest: ~Escapable {
    /// Where the signature goes.
    enum Form: Sendable, Equatable {
        case header
        /// With the URL's life, in seconds.
        case url(lifetime: Int64)
    }

    private let text: Span<UInt8>
    let scheme: V4Scheme
    let verb: RequestVerb
    let form: Form
    /// Empty at service level. In the path or in the host, as the scheme has it.
    let bucketRange: Range<Int>
    /// Percent-encoded; empty at bucket and service level.
    package let keyRange: Range<Int>
    /// Percent-encoded; empty where there is none.
    let queryRange: Range<Int>
    /// The lines without the last one's LF; empty where there are none.
    let headerRange: Range<Int>
    private let additionalRange, payloadRange: Range<Int>

    /// - Parameter string: what is signed of it; it must be of the same moment and scope.
    @_lifetime(copy text)
    package init(reading text: Span<UInt8>, of string: borrowing StringToSignV4) throws(StringToSignError) {
        try SignedText.check(text)
        var start = 0
        guard let verb = SignedText.line(&start, of: text), let path = SignedText.line(&start, of: text),
            let query = SignedText.line(&start, of: text)
        else { throw ParsedCanonicalRequest.incomplete }
        var headers = start..<start
        var count = 0
        while true {
            guard let line = SignedText.line(&start, of: text) else { throw ParsedCanonicalRequest.incomplete }
            if line.isEmpty { break }
            headers = headers.lowerBound..<line.upperBound
            count += 1
        }
        guard let additional = SignedText.line(&start, of: text) else { throw ParsedCanonicalRequest.incomplete }
        let scheme = string.scheme
        self.text = text
        self.scheme = scheme
        self.verb = try RequestVerb(reading: text.extracting(verb))
        let hasPath = scheme.hasBucketInPath
        let (first, key) = try ParsedCanonicalRequest.ranges(in: path, of: text, scheme)
        (keyRange, queryRange, headerRange, additionalRange) = (key, query, headers, additional)
        payloadRange = start..<text.count
        try ParsedCanonicalRequest.checkQuery(NamedValues(query: text.extracting(query)), scheme)
        try ParsedCanonicalRequest.checkHeaders(
            NamedValues(lines: text.extracting(headers)), NamedValues(names: text.extracting(additional)), scheme,
            additionalLine: 5 + count)
        guard scheme.isPayload(text.extracting(payloadRange)) else {
            throw StringToSignError(.payload, line: 6 + count, scheme.payloadFault)
        }
        form = try ParsedCanonicalRequest.form(
            NamedValues(query: text.extracting(query)), NamedValues(lines: text.extracting(headers)),
            (text.extracting(additional), text.extracting(payloadRange)), of: string)
        bucketRange = hasPath ? first : try ParsedCanonicalRequest.bucketRange(in: headers, of: text, scheme)
        guard isWrittenBack else { throw StringToSignError(.syntax, "the canonical request has one spelling only") }
    }

    /// In ascending order of their encoded names, no name twice; no value is empty.
    var query: NamedValues {
        @_lifetime(copy self)
        get { NamedValues(query: text.extracting(queryRange)) }
    }

    /// In ascending order, no name twice.
    var headers: NamedValues {
        @_lifetime(copy self)
        get { NamedValues(lines: text.extracting(headerRange)) }
    }

    /// Whether the request from its parts is byte for byte what was read. What is encoded has one spelling only.
    private var isWrittenBack: Bool {
        var copy = TextComparison(with: text)
        copy.append(verb.name)
        copy.append("\n/")
        if !bucketRange.isEmpty, scheme.hasBucketInPath {
            copy.append(bucketRange)
            copy.append("/")
        }
        if !keyRange.isEmpty { copy.append(keyRange) }
        copy.append("\n")
        copy.append(query, at: queryRange.lowerBound, mark: "=", between: "&")
        copy.append("\n")
        copy.append(headers, at: headerRange.lowerBound, mark: ":", ending: "\n")
        copy.append("\n")
        copy.append(
            NamedValues(names: text.extracting(additionalRange)), at: additionalRange.lowerBound, mark: ";",
            between: ";")
        copy.append("\n")
        copy.append(payloadRange)
        return copy.isSame
    }

    private static let incomplete = StringToSignError(
        .syntax,
        "there are verb, path, query, the headers' lines, an empty line, the additional headers and the payload")
}

// MARK: - The parts, in the order of the text

extension ParsedCanonicalRequest {
    /// Where bucket and key are in a path; the bucket is empty where the host names it.
    private static func ranges(
        in path: Range<Int>, of text: Span<UInt8>, _ scheme: V4Scheme
    ) throws(StringToSignError) -> (bucket: Range<Int>, key: Range<Int>) {
        let (start, end) = (path.lowerBound, path.upperBound)
        guard start < end, text[start] == UInt8(ascii: "/") else {
            throw StringToSignError(.resource, line: 2, "the path begins with /")
        }
        guard scheme.hasBucketInPath else {
            try checkKey(text.extracting(start + 1..<end))
            return (end..<end, start + 1..<end)
        }
        guard end - start > 1 else { return (end..<end, end..<end) }
        guard let slash = text.firstIndex(of: UInt8(ascii: "/"), from: start + 1), slash < end else {
            throw StringToSignError(
                .resource, line: 2, "/, /bucket/ or /bucket/key, wherever the request has its bucket")
        }
        let (bucket, key) = (start + 1..<slash, slash + 1..<end)
        try SignedText.checkBucket(text.extracting(bucket), scheme, line: 2)
        try checkKey(text.extracting(key))
        return (bucket, key)
    }

    /// Where the bucket is in the host, which is signed.
    private static func bucketRange(
        in headers: Range<Int>, of text: Span<UInt8>, _ scheme: V4Scheme
    ) throws(StringToSignError) -> Range<Int> {
        let lines = NamedValues(lines: text.extracting(headers))
        var position = 0
        while let header = lines.next(&position) {
            guard lines.bytes(header.name).equals("host"), let value = header.value,
                let dot = lines.bytes(value).firstIndex(of: UInt8(ascii: "."))
            else { continue }
            let start = headers.lowerBound + value.lowerBound
            try SignedText.checkBucket(text.extracting(start..<start + dot), scheme)
            return start..<start + dot
        }
        throw StringToSignError(.header, "host is bucket.endpoint; or the path begins with the bucket")
    }

    private static func checkKey(_ encoded: Span<UInt8>) throws(StringToSignError) {
        // As long as the longest key, ObjectKeyRule.maximumLength.
        var key = InlineArray<1023, UInt8>(repeating: 0)
        var (position, count) = (0, 0)
        while count < key.count, let byte = Percent.nextEncoded(&position, of: encoded, keeping: .unreservedPath) {
            key[count] = byte
            count += 1
        }
        guard position == encoded.count else {
            throw StringToSignError(
                .resource, line: 2,
                "a key of at most 1023 bytes, percent-encoded in upper case but for letters, digits and -._~/")
        }
        try SignedText.checkKey(key.span.extracting(0..<count), line: 2)
    }

    private static func checkQuery(
        _ query: borrowing NamedValues, _ scheme: V4Scheme
    ) throws(StringToSignError) {
        var position = 0
        var last: Range<Int>?
        while let pair = query.next(&position) {
            let name = query.bytes(pair.name)
            guard !name.isEmpty, isEncoded(name), isEncoded(query.bytes(pair.value ?? pair.name)) else {
                throw StringToSignError(
                    .query, line: 3,
                    "names and values percent-encoded in upper case but for letters, digits and -._~, without control characters"
                )
            }
            guard scheme.endsBareNames ? pair.value != nil : pair.value?.isEmpty != true else {
                throw StringToSignError(
                    .query, line: 3,
                    scheme.endsBareNames
                        ? "an empty value is written as name=" : "an empty value is written as the bare name")
            }
            if let last, !query.bytes(last).precedes(name) {
                throw StringToSignError(.query, line: 3, "names in ascending byte order once encoded, each once")
            }
            last = pair.name
        }
    }

    /// Whether a text is UTF-8 without control characters, encoded as it is signed.
    private static func isEncoded(_ text: Span<UInt8>) -> Bool {
        var position = 0
        var progress = UTF8Progress()
        while let byte = Percent.nextEncoded(&position, of: text) {
            guard byte >= 0x20, byte != 0x7F, progress.take(byte) else { return false }
        }
        return position == text.count && progress.isWhole
    }

    private static func checkHeaders(
        _ headers: borrowing NamedValues, _ additional: borrowing NamedValues, _ scheme: V4Scheme, additionalLine: Int
    ) throws(StringToSignError) {
        try SignedText.checkHeaders(headers, line: 4) { _ in true }
        var (position, additionalPosition) = (0, 0)
        while let header = headers.next(&position) {
            let name = headers.bytes(header.name)
            let value = headers.bytes(header.value ?? header.name)
            if name.equals("content-md5") { try SignedText.checkContentMD5(value) }
            if name.equals("content-type") { try SignedText.checkContentType(value) }
            guard !scheme.collapsesSpaces || isCollapsed(value) else {
                throw StringToSignError(.header, "a value of ASCII, with one space where there are several")
            }
            if scheme.signed == .own, scheme.isAlwaysSigned(name) { continue }
            // Both are in ascending order.
            guard let listed = additional.next(&additionalPosition), additional.bytes(listed.name).equals(name),
                !value.isEmpty,
                !name.equals("authorization")
            else {
                throw StringToSignError(scheme.namesClause, line: additionalLine, scheme.namesFault)
            }
        }
        guard additional.next(&additionalPosition) == nil else {
            throw StringToSignError(scheme.namesClause, line: additionalLine, scheme.namesFault)
        }
    }

    /// Whether a header's value is as servers of S3 sign it.
    private static func isCollapsed(_ value: Span<UInt8>) -> Bool {
        for index in value.indices where value[index] == UInt8(ascii: " ") && index > 0 {
            if value[index - 1] == UInt8(ascii: " ") { return false }
        }
        return value.isASCII
    }
}

// MARK: - Header form or URL form

extension ParsedCanonicalRequest {
    private static func form(
        _ query: borrowing NamedValues, _ headers: borrowing NamedValues,
        _ rest: (additional: Span<UInt8>, payload: Span<UInt8>), of string: borrowing StringToSignV4
    ) throws(StringToSignError) -> Form {
        let (fields, names) = (string.scheme.fields, string.scheme.parameters)
        guard string.scheme.signed == .own || headers.contains("host") else {
            throw StringToSignError(.header, "host is a header that is signed")
        }
        guard query.contains(names.algorithm) else {
            for name in names.carriers where query.contains(name) {
                throw StringToSignError(.query, line: 3, "all that a signed URL has, or nothing of it")
            }
            guard let date = headers.value(of: fields.date), date.equals(string.date) else {
                throw StringToSignError(
                    .date, naming: fields.date.array,
                    "is a header, and line 2 of the string to sign; or it is a URL")
            }
            let hash = headers.value(of: fields.contentHash)
            guard hash?.equals(rest.payload) ?? !string.scheme.isHashFieldNeeded else {
                throw StringToSignError(
                    .payload, naming: fields.contentHash.array, "is a header, and what the last line is")
            }
            return .header
        }
        guard !headers.contains(fields.date), !headers.contains(fields.contentHash), !headers.contains(fields.token)
        else { throw StringToSignError(.header, "a signed URL has no headers of a signature beside it") }
        return .url(lifetime: try lifetime(query, rest, of: string))
    }

    /// Checks what carries the signature of a URL.
    /// - Returns: the URL's life, in seconds.
    private static func lifetime(
        _ query: borrowing NamedValues, _ rest: (additional: Span<UInt8>, payload: Span<UInt8>),
        of string: borrowing StringToSignV4
    ) throws(StringToSignError) -> Int64 {
        let names = string.scheme.parameters
        guard let version = query.value(of: names.algorithm), version.equals(string.scheme.algorithm) else {
            throw StringToSignError(.query, line: 3, naming: names.algorithm, "is line 1 of the string to sign")
        }
        guard let date = query.value(of: names.date), date.equals(string.date) else {
            throw StringToSignError(.date, line: 3, naming: names.date, "is line 2 of the string to sign")
        }
        guard let credential = query.value(of: names.credential),
            let scope = accessKeyEnd(of: credential).map({ $0 + 3..<credential.count }),
            isEncoding(credential.extracting(scope), of: string.scope)
        else {
            throw StringToSignError(
                .scope, line: 3, naming: names.credential, "is the access key, / and line 3 of the string to sign")
        }
        guard isAdditional(rest.additional, named: names.signedHeaders, in: query) else {
            throw StringToSignError(
                string.scheme.namesClause, line: 3, naming: names.signedHeaders,
                "is the last line but one, if that has any")
        }
        let isPayload =
            if let name = names.contentHash, let hash = query.value(of: name) {
                hash.equals(rest.payload)
            } else {
                rest.payload.equals(V4Scheme.unsignedPayload)
            }
        guard isPayload else {
            throw StringToSignError(.payload, "a URL's is UNSIGNED-PAYLOAD, or what its query says")
        }
        guard let expires = query.value(of: names.expires),
            let lifetime = Decimal.parse(expires, maximum: PresignedURLV4.lifetimes.upperBound), lifetime > 0
        else { throw StringToSignError(.query, line: 3, naming: names.expires, "is 1 to 604800 seconds") }
        return lifetime
    }

    /// Whether the query names the additional headers, and only if there are any.
    private static func isAdditional(
        _ names: Span<UInt8>, named parameter: [UInt8], in query: borrowing NamedValues
    ) -> Bool {
        guard query.contains(parameter) else { return names.isEmpty }
        guard let named = query.value(of: parameter) else { return false }
        return isEncoding(named, of: names)
    }

    /// The index of the first encoded slash of a credential in a URL, before which is the access key.
    static func accessKeyEnd(of credential: Span<UInt8>) -> Int? {
        var position = 0
        while true {
            let start = position
            guard let byte = Percent.nextEncoded(&position, of: credential) else { return nil }
            if byte == UInt8(ascii: "/") { return start > 0 ? start : nil }
        }
    }

    /// Whether `encoded` is what a text is encoded as.
    static func isEncoding(
        _ encoded: Span<UInt8>, of text: Span<UInt8>, keeping plain: ByteSet = .unreserved
    ) -> Bool {
        var (position, count) = (0, 0)
        while let byte = Percent.nextEncoded(&position, of: encoded, keeping: plain) {
            guard count < text.count, text[count] == byte else { return false }
            count += 1
        }
        return position == encoded.count && count == text.count
    }
}
