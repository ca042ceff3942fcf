import Access
import Bytes

/// What an OSS V1 signature signs, header form or URL form, as read from a client that asks for a signature.
///
///     VERB \n Content-MD5 \n Content-Type \n DATE \n *(x-oss-name:value \n) /bucket/key[?name[=value]*(&name[=value])]
///
/// Nothing is signed that was not read here, so the reader refuses whatever it does not understand, and finally
/// compares what it would write with what it was given. It does not judge: allowed verbs, dates, prefixes and
/// sub-resources are the operation table's. It is a view of the text, and allocates nothing.
///
/// **Why the reading is the one to judge.** V1 joins its parts without escaping, so a string may fit other requests too.
/// The reading taken is the most powerful of them:
/// - LF separates lines and occurs nowhere else: no HTTP field value has one, keys with one are refused. A line that
///   begins with `x-oss-` is a header and one that begins with `/` is the resource, so neither passes for the other.
/// - The first `?` ends the key, and all after it must be signed sub-resources. The only other request has none of them
///   but a key that goes on with that very text: an object `key?…`, of the same bucket and prefix as the key read.
///   A grant of one exact key thus reaches such siblings as well; V1 cannot tell them apart.
/// - The resource is cut at every `&`, each piece at its first `=`, and every piece must name a sub-resource. Other
///   requests hide an `&` inside a value, or an `&` or `=` inside an `x-oss-` name that OSS does not know. They name
///   fewer of the sub-resources listed here, on the same key, and no others. So a policy permits each sub-resource by
///   itself, and never rests on one being present.
package struct StringToSign: ~Escapable {
    /// What line 4 says, in unix seconds.
    package enum Moment: Sendable, Equatable {
        /// Header form: the `Date` or `x-oss-date` of the request.
        case date(Int64)
        /// URL form: the end of the URL's life.
        case expires(Int64)
    }

    private let text: Span<UInt8>
    package let verb: RequestVerb
    package let moment: Moment
    private let contentMD5Range, contentTypeRange, dateRange: Range<Int>
    /// The lines without the last one's LF; empty where there are none.
    let headerRange: Range<Int>
    /// Empty at service level.
    let bucketRange: Range<Int>
    /// Raw, never percent-decoded; empty at bucket and service level.
    let keyRange: Range<Int>
    /// Behind the `?`; empty where there is none.
    let queryRange: Range<Int>

    @_lifetime(copy text)
    package init(reading text: Span<UInt8>) throws(StringToSignError) {
        try SignedText.check(text)
        var start = 0
        guard let verb = SignedText.line(&start, of: text), let contentMD5 = SignedText.line(&start, of: text),
            let contentType = SignedText.line(&start, of: text), let date = SignedText.line(&start, of: text)
        else { throw StringToSignError(.syntax, "there are four lines, then x-oss- headers, then the resource") }
        let headersStart = start
        var count = 0
        while SignedText.line(&start, of: text) != nil { count += 1 }
        // The likeliest slip: editors and shells put a line break at the end.
        guard start < text.count else {
            throw StringToSignError(
                .resource, line: 5 + count, "the resource is the last line, without a line break at the end")
        }
        self.text = text
        self.verb = try RequestVerb(reading: text.extracting(verb))
        try SignedText.checkContentMD5(text.extracting(contentMD5), line: 2)
        try SignedText.checkContentType(text.extracting(contentType), line: 3)
        moment = try StringToSign.moment(text.extracting(date))
        (contentMD5Range, contentTypeRange, dateRange) = (contentMD5, contentType, date)
        headerRange = headersStart..<(count > 0 ? start - 1 : start)
        if count > 0 {
            try StringToSign.checkHeaders(text.extracting(headerRange), beside: moment, text.extracting(date))
        }

        let mark = text.firstIndex(of: UInt8(ascii: "?"), from: start)
        queryRange = mark.map { $0 + 1..<text.count } ?? text.count..<text.count
        (bucketRange, keyRange) = try StringToSign.ranges(in: start..<(mark ?? text.count), of: text, line: 5 + count)
        if mark != nil { try StringToSign.checkSubResources(text.extracting(queryRange), line: 5 + count) }
        guard isWrittenBack else { throw StringToSignError(.syntax, "the string has one spelling only") }
    }

    /// Base64 of 16 bytes, or empty.
    package var contentMD5: Span<UInt8> {
        @_lifetime(copy self)
        get { text.extracting(contentMD5Range) }
    }

    package var contentType: Span<UInt8> {
        @_lifetime(copy self)
        get { text.extracting(contentTypeRange) }
    }

    package var bucket: Span<UInt8> {
        @_lifetime(copy self)
        get { text.extracting(bucketRange) }
    }

    package var key: Span<UInt8> {
        @_lifetime(copy self)
        get { text.extracting(keyRange) }
    }

    /// In ascending order, no name twice.
    var headers: NamedValues {
        @_lifetime(copy self)
        get { NamedValues(lines: text.extracting(headerRange)) }
    }

    /// Decoded, in ascending order, no name twice; no value is empty.
    var subResources: NamedValues {
        @_lifetime(copy self)
        get { NamedValues(query: text.extracting(queryRange)) }
    }

    /// Whether the string from its parts is byte for byte what was read. A moment has one spelling only.
    private var isWrittenBack: Bool {
        var copy = TextComparison(with: text)
        copy.append(verb.name)
        copy.append("\n")
        copy.append(contentMD5Range)
        copy.append("\n")
        copy.append(contentTypeRange)
        copy.append("\n")
        copy.append(dateRange)
        copy.append("\n")
        copy.append(headers, at: headerRange.lowerBound, mark: ":", ending: "\n")
        copy.append("/")
        if !bucketRange.isEmpty {
            copy.append(bucketRange)
            copy.append("/")
        }
        if !keyRange.isEmpty { copy.append(keyRange) }
        if !queryRange.isEmpty { copy.append("?") }
        copy.append(subResources, at: queryRange.lowerBound, mark: "=", between: "&")
        return copy.isSame
    }
}

// MARK: - The parts, in the order of the string

extension StringToSign {
    private static func moment(_ line: Span<UInt8>) throws(StringToSignError) -> Moment {
        if let seconds = HTTPDate.parse(line) { return .date(seconds) }
        if let seconds = Decimal.parse(line) { return .expires(seconds) }
        throw StringToSignError(
            .date, line: 4, "a date such as Sun, 06 Nov 1994 08:49:37 GMT or, for a URL, its expiry in unix seconds")
    }

    private static func checkHeaders(
        _ lines: Span<UInt8>, beside moment: Moment, _ written: Span<UInt8>
    ) throws(StringToSignError) {
        guard !lines.isEmpty else { throw StringToSignError(.header, line: 5, "no empty line before the resource") }
        try SignedText.checkHeaders(NamedValues(lines: lines), line: 5) { name in
            name.begins(with: "x-oss-") && name.count > 6
        }
        guard let date = NamedValues(lines: lines).value(of: "x-oss-date") else { return }
        guard case .date = moment, date.equals(written) else {
            throw StringToSignError(.date, "x-oss-date is a date, and the same as line 4")
        }
    }

    /// Where bucket and key are in a resource without its sub-resources.
    private static func ranges(
        in resource: Range<Int>, of text: Span<UInt8>, line: Int
    ) throws(StringToSignError) -> (bucket: Range<Int>, key: Range<Int>) {
        let (start, end) = (resource.lowerBound, resource.upperBound)
        guard start < end, text[start] == UInt8(ascii: "/") else {
            throw StringToSignError(.resource, line: line, "the resource begins with /")
        }
        guard end - start > 1 else { return (end..<end, end..<end) }
        guard let slash = text.firstIndex(of: UInt8(ascii: "/"), from: start + 1), slash < end else {
            throw StringToSignError(.resource, line: line, "/, /bucket/ or /bucket/key")
        }
        let (bucket, key) = (start + 1..<slash, slash + 1..<end)
        try SignedText.checkBucket(text.extracting(bucket), OSS.v4, line: line)
        try SignedText.checkKey(text.extracting(key), line: line)
        return (bucket, key)
    }

    private static func checkSubResources(_ query: Span<UInt8>, line: Int) throws(StringToSignError) {
        guard !query.isEmpty else {
            throw StringToSignError(.subResource, line: line, "no ? without a sub-resource behind it")
        }
        let pairs = NamedValues(query: query)
        var position = 0
        var last: Range<Int>?
        while let pair = pairs.next(&position) {
            let name = pairs.bytes(pair.name)
            guard SubResources.isSigned(name) else {
                throw StringToSignError(
                    .subResource, line: line, "only parameters that OSS signs follow a ?, and no key contains one")
            }
            if let value = pair.value {
                // The SDKs and OSS write the bare name for an empty value.
                guard !value.isEmpty else {
                    throw StringToSignError(.subResource, line: line, "an empty value is written as the bare name")
                }
                guard pairs.bytes(value).firstIndex(of: UInt8(ascii: "?")) == nil else {
                    throw StringToSignError(.subResource, line: line, "values without ?")
                }
                // All of this may be the end of a key, too.
                guard !ObjectKeyRule.hasDotSegments(behind: pairs.bytes(value)) else {
                    throw StringToSignError(.subResource, line: line, "values without the segments . or ..")
                }
            }
            if let last, !pairs.bytes(last).precedes(name) {
                throw StringToSignError(.subResource, line: line, "names in ascending byte order, each once")
            }
            last = pair.name
        }
    }
}
