import Bytes

/// What an OSS V1 signature signs, header form or URL form, as read from a client that asks for a signature.
///
///     VERB \n Content-MD5 \n Content-Type \n DATE \n *(x-oss-name:value \n) /bucket/key[?name[=value]*(&name[=value])]
///
/// Nothing is signed that was not read here, so the reader refuses whatever it does not understand, and finally
/// compares what it would write with what it was given. It does not judge: allowed verbs, dates, prefixes and
/// sub-resources are the operation table's.
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
package struct StringToSign: Sendable, Equatable {
    /// The methods of OSS's operations. OPTIONS is not signed.
    package enum Verb: String, Sendable, CaseIterable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
        case head = "HEAD"
    }

    /// What line 4 says, in unix seconds.
    package enum Moment: Sendable, Equatable {
        /// Header form: the `Date` or `x-oss-date` of the request.
        case date(Int64)
        /// URL form: the end of the URL's life.
        case expires(Int64)
    }

    package struct Header: Sendable, Equatable {
        /// Lower-case, begins with `x-oss-`.
        package let name: [UInt8]
        package let value: [UInt8]
    }

    package struct SubResource: Sendable, Equatable {
        package let name: [UInt8]
        /// Decoded; nil where the string has the bare name, else not empty.
        package let value: [UInt8]?
    }

    /// Bytes of the longest string that is read.
    package static let maximumLength = 16_384

    package let verb: Verb
    /// Base64 of 16 bytes, or empty.
    package let contentMD5: [UInt8]
    package let contentType: [UInt8]
    package let moment: Moment
    /// Ascending by name, no name twice.
    package let headers: [Header]
    /// Empty at service level.
    package let bucket: [UInt8]
    /// Raw, never percent-decoded; empty at bucket and service level.
    package let key: [UInt8]
    /// Ascending by name, no name twice.
    package let subResources: [SubResource]

    package init(reading bytes: Span<UInt8>) throws(StringToSignError) {
        let text = try Self.text(bytes)
        var lines = text.split(separator: lineFeed, omittingEmptySubsequences: false)[...]
        guard
            let verb = lines.popFirst(),
            let contentMD5 = lines.popFirst(),
            let contentType = lines.popFirst(),
            let moment = lines.popFirst(),
            let resource = lines.popLast()
        else {
            throw StringToSignError(.syntax, "there are four lines, then x-oss- headers, then the resource")
        }
        // The likeliest slip: editors and shells put a line break at the end.
        guard !resource.isEmpty else {
            throw StringToSignError(
                .resource, line: 5 + lines.count, "the resource is the last line, without a line break at the end")
        }
        self.verb = try Self.verb(verb)
        self.contentMD5 = try Self.contentMD5(contentMD5)
        self.contentType = try Self.contentType(contentType)
        self.moment = try Self.moment(moment)
        self.headers = try Self.headers(lines, beside: moment)

        let resourceLine = 5 + lines.count
        let (path, query) = Self.halves(resource, at: UInt8(ascii: "?"))
        (self.bucket, self.key) = try Self.path(path, line: resourceLine)
        self.subResources = try Self.subResources(query, line: resourceLine)

        guard written() == text else {
            throw StringToSignError(.syntax, "the string has one spelling only")
        }
    }

    /// The string again, from its parts: byte for byte what was read.
    package func written() -> [UInt8] {
        var text: [UInt8] = []
        text += verb.rawValue.utf8
        text.append(lineFeed)
        text += contentMD5
        text.append(lineFeed)
        text += contentType
        text.append(lineFeed)
        switch moment {
        case .date(let seconds): text += HTTPDate.write(seconds)
        case .expires(let seconds): text += seconds.description.utf8
        }
        text.append(lineFeed)
        for header in headers {
            text += header.name
            text.append(UInt8(ascii: ":"))
            text += header.value
            text.append(lineFeed)
        }
        text.append(UInt8(ascii: "/"))
        if !bucket.isEmpty {
            text += bucket
            text.append(UInt8(ascii: "/"))
            text += key
        }
        for (position, subResource) in subResources.enumerated() {
            text.append(position == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            text += subResource.name
            if let value = subResource.value {
                text.append(UInt8(ascii: "="))
                text += value
            }
        }
        return text
    }
}

/// Why a string to sign was refused. Says what would be right, and never quotes the string: it may hold a token.
package struct StringToSignError: Error, Equatable, CustomStringConvertible {
    package enum Clause: String, Sendable {
        case verb, contentMD5, contentType, date, header, resource, subResource, syntax
        /// Of version 4.
        case scope, hash
    }

    package let clause: Clause
    /// From 1; nil where the fault is not in one line.
    package let line: Int?
    package let reason: String

    /// A `StaticString`, so that no value of the input can slip in.
    init(_ clause: Clause, line: Int? = nil, _ reason: StaticString) {
        self.clause = clause
        self.line = line
        self.reason = reason.description
    }

    package var description: String {
        let place = line.map { "line \($0), " } ?? ""
        return "\(place)\(clause.rawValue): \(reason)"
    }
}

private let lineFeed = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")

// MARK: - The parts, in the order of the string

extension StringToSign {
    private static func text(_ bytes: Span<UInt8>) throws(StringToSignError) -> [UInt8] {
        guard bytes.count <= maximumLength else {
            throw StringToSignError(.syntax, "at most 16384 bytes")
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte == lineFeed || byte >= space && byte != 0x7f else {
                throw StringToSignError(.syntax, "no control characters; a line ends with LF alone")
            }
            text.append(byte)
        }
        guard String(validating: text, as: UTF8.self) != nil else {
            throw StringToSignError(.syntax, "valid UTF-8")
        }
        return text
    }

    private static func verb(_ line: ArraySlice<UInt8>) throws(StringToSignError) -> Verb {
        guard let verb = Verb.allCases.first(where: { line.elementsEqual($0.rawValue.utf8) }) else {
            throw StringToSignError(.verb, line: 1, "GET, PUT, POST, DELETE or HEAD, in capitals")
        }
        return verb
    }

    /// Canonical base64 of 16 bytes: 21 digits of six bits, one of two bits (its four low bits zero), two of padding.
    private static func contentMD5(_ line: ArraySlice<UInt8>) throws(StringToSignError) -> [UInt8] {
        let isDigest =
            line.count == 24 && line.prefix(22).allSatisfy(isBase64) && line.dropFirst(22).elementsEqual("==".utf8)
            && line.dropFirst(21).prefix(1).allSatisfy("AQgw".utf8.contains)
        guard line.isEmpty || isDigest else {
            throw StringToSignError(.contentMD5, line: 2, "empty, or the standard base64 of 16 bytes")
        }
        return Array(line)
    }

    private static func contentType(_ line: ArraySlice<UInt8>) throws(StringToSignError) -> [UInt8] {
        guard line.count <= 256, line.allSatisfy({ $0 < 0x80 }), !hasOuterSpace(line) else {
            throw StringToSignError(
                .contentType, line: 3, "empty, or at most 256 ASCII characters without spaces around them")
        }
        return Array(line)
    }

    private static func moment(_ line: ArraySlice<UInt8>) throws(StringToSignError) -> Moment {
        if let seconds = HTTPDate.parse(line.span) { return .date(seconds) }
        if let seconds = Decimal.parse(line.span) { return .expires(seconds) }
        throw StringToSignError(
            .date, line: 4, "a date such as Sun, 06 Nov 1994 08:49:37 GMT or, for a URL, its expiry in unix seconds")
    }

    private static func headers(
        _ lines: ArraySlice<ArraySlice<UInt8>>, beside moment: ArraySlice<UInt8>
    ) throws(StringToSignError) -> [Header] {
        var headers: [Header] = []
        for (line, text) in zip(5..., lines) {
            let (name, value) = halves(text, at: UInt8(ascii: ":"))
            guard let value, name.starts(with: "x-oss-".utf8), name.count > 6, name.allSatisfy(isHeaderName) else {
                throw StringToSignError(
                    .header, line: line,
                    "x-oss-name:value, the name in lower case; or else the resource is the last line")
            }
            guard !hasOuterSpace(value) else {
                throw StringToSignError(.header, line: line, "a value without spaces around it")
            }
            guard headers.last.map({ $0.name.lexicographicallyPrecedes(name) }) ?? true else {
                throw StringToSignError(.header, line: line, "names in ascending byte order, each once")
            }
            // OSS takes the date of line 4 from x-oss-date where there is one, so the two cannot differ.
            guard !name.elementsEqual("x-oss-date".utf8) || value == moment && HTTPDate.parse(value.span) != nil else {
                throw StringToSignError(.date, line: line, "x-oss-date is a date, and the same as line 4")
            }
            headers.append(Header(name: Array(name), value: Array(value)))
        }
        return headers
    }

    private static func path(
        _ path: ArraySlice<UInt8>, line: Int
    ) throws(StringToSignError) -> (bucket: [UInt8], key: [UInt8]) {
        guard path.first == UInt8(ascii: "/") else {
            throw StringToSignError(.resource, line: line, "the resource begins with /")
        }
        guard path.count > 1 else { return ([], []) }
        let (bucket, key) = halves(path.dropFirst(), at: UInt8(ascii: "/"))
        guard let key else {
            throw StringToSignError(.resource, line: line, "/, /bucket/ or /bucket/key")
        }
        guard OSS.isBucket(bucket.span) else {
            throw StringToSignError(
                .resource, line: line, "a bucket of 3 to 63 lower-case letters, digits and inner hyphens")
        }
        guard isKey(key) else {
            throw StringToSignError(
                .resource, line: line,
                "a key of at most 1023 bytes, without a leading /, segments . or .., and without $( and ${")
        }
        return (Array(bucket), Array(key))
    }

    private static func subResources(
        _ query: ArraySlice<UInt8>?, line: Int
    ) throws(StringToSignError) -> [SubResource] {
        guard let query else { return [] }
        var subResources: [SubResource] = []
        for piece in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let (name, value) = halves(piece, at: UInt8(ascii: "="))
            guard SubResources.isSigned(name.span) else {
                throw StringToSignError(
                    .subResource, line: line, "only parameters that OSS signs follow a ?, and no key contains one")
            }
            // The SDKs and OSS write the bare name for an empty value.
            guard value?.isEmpty != true else {
                throw StringToSignError(.subResource, line: line, "an empty value is written as the bare name")
            }
            guard value?.contains(UInt8(ascii: "?")) != true else {
                throw StringToSignError(.subResource, line: line, "values without ?")
            }
            guard subResources.last.map({ $0.name.lexicographicallyPrecedes(name) }) ?? true else {
                throw StringToSignError(.subResource, line: line, "names in ascending byte order, each once")
            }
            subResources.append(SubResource(name: Array(name), value: value.map(Array.init)))
        }
        return subResources
    }
}

// MARK: - Rules over bytes

extension StringToSign {
    /// What is before and after the first `separator`; no second half without one.
    private static func halves(
        _ bytes: ArraySlice<UInt8>, at separator: UInt8
    ) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        let first = bytes.prefix { $0 != separator }
        return (first, first.count == bytes.count ? nil : bytes.dropFirst(first.count + 1))
    }

    private static func hasOuterSpace(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == space || bytes.last == space
    }

    private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
        let slash = UInt8(ascii: "/")
        let isRelative = key.split(separator: slash).contains {
            $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
        }
        let isTemplate = zip(key, key.dropFirst()).contains { first, second in
            first == UInt8(ascii: "$") && "({".utf8.contains(second)
        }
        return key.count <= 1_023 && key.first != slash && !isRelative && !isTemplate
    }

    /// A token of RFC 9110 section 5.6.2 without capitals.
    private static func isHeaderName(_ byte: UInt8) -> Bool {
        OSS.isLowerOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        OSS.isLowerOrDigit(byte) || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || "+/".utf8.contains(byte)
    }
}
