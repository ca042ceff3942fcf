import Access
import Bytes

/// The canonical request of a version 4 signature, as read from a client that asks for a signature. What our own signatures
/// write is a `CanonicalRequest`.
///
///     VERB \n /bucket/key \n name[=value]*(&name[=value]) \n *(name:value \n) \n [name*(;name)] \n UNSIGNED-PAYLOAD
///
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
    let verb: OSSVerb
    let form: Form
    /// Empty at service level.
    let bucketRange: Range<Int>
    /// Percent-encoded; empty at bucket and service level.
    package let keyRange: Range<Int>
    /// Percent-encoded; empty where there is none.
    let queryRange: Range<Int>
    /// The lines without the last one's LF; empty where there are none.
    let headerRange: Range<Int>
    private let additionalRange: Range<Int>

    /// - Parameter string: what is signed of it; it must be of the same moment and scope.
    @_lifetime(copy text)
    package init(reading text: Span<UInt8>, of string: borrowing StringToSignV4) throws(StringToSignError) {
        try SignedText.check(text, maximumLength: StringToSign.maximumLength)
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
        self.text = text
        self.verb = try OSSVerb(reading: text.extracting(verb))
        (bucketRange, keyRange) = try ParsedCanonicalRequest.ranges(in: path, of: text)
        try ParsedCanonicalRequest.checkQuery(NamedValues(query: text.extracting(query)))
        (queryRange, headerRange, additionalRange) = (query, headers, additional)
        try ParsedCanonicalRequest.checkHeaders(
            NamedValues(lines: text.extracting(headers)), NamedValues(names: text.extracting(additional)),
            additionalLine: 5 + count)
        guard text.extracting(start..<text.count).equals(V4Scheme.unsignedPayload) else {
            throw StringToSignError(.payload, line: 6 + count, "UNSIGNED-PAYLOAD, without a line break at the end")
        }
        form = try ParsedCanonicalRequest.form(
            NamedValues(query: text.extracting(query)), NamedValues(lines: text.extracting(headers)),
            text.extracting(additional), of: string)
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

    /// Whether a name is one of the query's that carry the signature, and not the request.
    static func isCarrier(query name: Span<UInt8>) -> Bool {
        for carrier in queryCarriers where name.equals(carrier) { return true }
        return false
    }

    /// Whether a header of this name says how the request is signed, and not what it is.
    static func isCarrier(header name: Span<UInt8>) -> Bool {
        name.equals("x-oss-date") || name.equals("x-oss-content-sha256")
    }

    private static let queryCarriers: [StaticString] = [
        "x-oss-additional-headers", "x-oss-credential", "x-oss-date", "x-oss-expires", "x-oss-signature-version",
    ]

    /// Whether the request from its parts is byte for byte what was read. What is encoded has one spelling only.
    private var isWrittenBack: Bool {
        var copy = TextComparison(with: text)
        copy.append(verb.name)
        copy.append("\n/")
        if !bucketRange.isEmpty {
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
        copy.append(V4Scheme.unsignedPayload)
        return copy.isSame
    }

    private static let incomplete = StringToSignError(
        .syntax,
        "there are verb, path, query, the headers' lines, an empty line, the additional headers and the payload")
}

// MARK: - The parts, in the order of the text

extension ParsedCanonicalRequest {
    /// Where bucket and key are in a path.
    private static func ranges(
        in path: Range<Int>, of text: Span<UInt8>
    ) throws(StringToSignError) -> (bucket: Range<Int>, key: Range<Int>) {
        let (start, end) = (path.lowerBound, path.upperBound)
        guard start < end, text[start] == UInt8(ascii: "/") else {
            throw StringToSignError(.resource, line: 2, "the path begins with /")
        }
        guard end - start > 1 else { return (end..<end, end..<end) }
        guard let slash = text.firstIndex(of: UInt8(ascii: "/"), from: start + 1), slash < end else {
            throw StringToSignError(
                .resource, line: 2, "/, /bucket/ or /bucket/key, wherever the request has its bucket")
        }
        let (bucket, key) = (start + 1..<slash, slash + 1..<end)
        try SignedText.checkBucket(text.extracting(bucket), line: 2)
        try checkKey(text.extracting(key))
        return (bucket, key)
    }

    private static func checkKey(_ encoded: Span<UInt8>) throws(StringToSignError) {
        // As long as the longest key, OSS.maximumKeyLength.
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

    private static func checkQuery(_ query: borrowing NamedValues) throws(StringToSignError) {
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
            guard pair.value?.isEmpty != true else {
                throw StringToSignError(.query, line: 3, "an empty value is written as the bare name")
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
        _ headers: borrowing NamedValues, _ additional: borrowing NamedValues, additionalLine: Int
    ) throws(StringToSignError) {
        try SignedText.checkHeaders(headers, line: 4) { _ in true }
        var (position, additionalPosition) = (0, 0)
        while let header = headers.next(&position) {
            let name = headers.bytes(header.name)
            let value = headers.bytes(header.value ?? header.name)
            if name.equals("content-md5") { try SignedText.checkContentMD5(value) }
            if name.equals("content-type") { try SignedText.checkContentType(value) }
            if OSS.v4.isAlwaysSigned(name) { continue }
            // Both are in ascending order.
            guard let listed = additional.next(&additionalPosition), additional.bytes(listed.name).equals(name),
                !value.isEmpty,
                !name.equals("authorization")
            else {
                throw StringToSignError(
                    .additionalHeaders, line: additionalLine,
                    "those headers, in ascending order, that are signed only because they stand there")
            }
        }
        guard additional.next(&additionalPosition) == nil else {
            throw StringToSignError(
                .additionalHeaders, line: additionalLine, "no header that is not there, or is always signed")
        }
    }
}

// MARK: - Header form or URL form

extension ParsedCanonicalRequest {
    private static func form(
        _ query: borrowing NamedValues, _ headers: borrowing NamedValues, _ additional: Span<UInt8>,
        of string: borrowing StringToSignV4
    ) throws(StringToSignError) -> Form {
        guard query.contains("x-oss-signature-version") else {
            for name in queryCarriers where query.contains(name) {
                throw StringToSignError(.query, line: 3, "all that a signed URL has, or nothing of it")
            }
            guard let date = headers.value(of: "x-oss-date"), date.equals(string.date) else {
                throw StringToSignError(
                    .date, "x-oss-date is a header, and line 2 of the string to sign; or it is a URL")
            }
            guard let hash = headers.value(of: "x-oss-content-sha256"), hash.equals(V4Scheme.unsignedPayload) else {
                throw StringToSignError(.payload, "x-oss-content-sha256 is a header, and UNSIGNED-PAYLOAD")
            }
            return .header
        }
        guard !headers.contains("x-oss-date"), !headers.contains("x-oss-content-sha256") else {
            throw StringToSignError(.header, "a signed URL has no x-oss-date and x-oss-content-sha256 beside it")
        }
        guard let version = query.value(of: "x-oss-signature-version"), version.equals(OSS.v4.algorithm) else {
            throw StringToSignError(.query, line: 3, "x-oss-signature-version is OSS4-HMAC-SHA256")
        }
        guard let date = query.value(of: "x-oss-date"), date.equals(string.date) else {
            throw StringToSignError(.date, line: 3, "x-oss-date is line 2 of the string to sign")
        }
        guard let credential = query.value(of: "x-oss-credential"),
            let scope = accessKeyEnd(of: credential).map({ $0 + 3..<credential.count }),
            isEncoding(credential.extracting(scope), of: string.scope)
        else {
            throw StringToSignError(
                .scope, line: 3, "x-oss-credential is the access key, / and line 3 of the string to sign")
        }
        guard isAdditional(additional, in: query) else {
            throw StringToSignError(
                .additionalHeaders, line: 3, "x-oss-additional-headers is the last line but one, if that has any")
        }
        guard let expires = query.value(of: "x-oss-expires"), let lifetime = Decimal.parse(expires, maximum: 604_800),
            lifetime > 0
        else { throw StringToSignError(.query, line: 3, "x-oss-expires is 1 to 604800 seconds") }
        return .url(lifetime: lifetime)
    }

    /// Whether the query names the additional headers, and only if there are any.
    private static func isAdditional(_ names: Span<UInt8>, in query: borrowing NamedValues) -> Bool {
        guard query.contains("x-oss-additional-headers") else { return names.isEmpty }
        guard let named = query.value(of: "x-oss-additional-headers") else { return false }
        return isEncoding(named, of: names)
    }

    /// The index of the first encoded slash of an `x-oss-credential`, before which is the access key.
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
