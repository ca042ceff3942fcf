import Bytes

/// A request that the service itself makes of a vendor, as a value: what is said, not how it gets there. Scheme, connection
/// and deadline are the transport's matter.
///
/// Its description tells neither headers nor body, which hold keys' tokens.
package struct UpstreamCall: Sendable {
    package enum Method: Sendable {
        case get, post, put, delete

        /// As the request's first line has it.
        package var name: StaticString {
            switch self {
            case .get: "GET"
            case .post: "POST"
            case .put: "PUT"
            case .delete: "DELETE"
            }
        }
    }

    package let method: Method
    /// Host and, unless it is the scheme's own, port, as the Host field has them.
    package let authority: [UInt8]
    /// Begins with `/`; already encoded.
    package let path: [UInt8]
    /// In the order of the wire, not encoded.
    package let query: [NameValue]
    /// In the order of the wire, without `host`, `content-length` and what else is the serializer's or the transport's.
    package internal(set) var headers: [NameValue]
    package let body: [UInt8]
    /// Whether the vendor may get it twice.
    package var isRepeatable = true

    package init(
        _ method: Method, authority: [UInt8], path: [UInt8], query: [NameValue] = [], headers: [NameValue] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.authority = authority
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
}

/// Why a call cannot be written: a part of it could be read as more than that part.
package enum UpstreamCallError: Error, Sendable {
    case authority, path, headerName, headerValue
    /// A header that frames the message, or one given twice.
    case headerNotOurs, headerRepeated
}

extension UpstreamCall {
    /// Writes the call as an HTTP/1.1 request (RFC 9112); when it throws, nothing has been written.
    package func write(into out: inout ByteWriter) throws(UpstreamCallError) {
        try check()
        out.append(method.name)
        out.append(UInt8(ascii: " "))
        out.append(path)
        if !query.isEmpty {
            out.append(UInt8(ascii: "?"))
            QueryText.write(query, into: &out)
        }
        out.append(" HTTP/1.1\r\nHost: ")
        out.append(authority)
        out.append("\r\n")
        for header in headers {
            out.append(header.name)
            out.append(": ")
            out.append(header.value)
            out.append("\r\n")
        }
        if method != .get || !body.isEmpty {
            out.append("Content-Length: ")
            out.append(decimal: body.count)
            out.append("\r\n")
        }
        out.append("\r\n")
        out.append(body)
    }

    /// Every byte of the head is judged here, wherever it comes from; the query is encoded and needs no judgement.
    private func check() throws(UpstreamCallError) {
        guard UpstreamCall.authorityBytes.contains(all: authority, length: 1...261) else {
            throw .authority
        }
        guard path.first == UInt8(ascii: "/"), UpstreamCall.pathBytes.contains(all: path) else { throw .path }
        var names: Set<[UInt8]> = []
        for header in headers {
            // RFC 9110 section 5.6.2, without the marks that nobody uses.
            guard !header.name.isEmpty, ByteSet.word.contains(all: header.name) else { throw .headerName }
            guard UpstreamCall.isFieldValue(header.value) else { throw .headerValue }
            let name = header.name.map(\.lowercasedASCII)
            guard !UpstreamCall.framing.contains(name) else { throw .headerNotOurs }
            guard names.insert(name).inserted else { throw .headerRepeated }
        }
    }

    private static let framing: Set<[UInt8]> = [
        StaticString("host").array, StaticString("content-length").array, StaticString("transfer-encoding").array,
        StaticString("connection").array, StaticString("keep-alive").array, StaticString("te").array,
        StaticString("trailer").array, StaticString("upgrade").array, StaticString("expect").array,
    ]

    private static let authorityBytes = ByteSet.label.union(".:[]")
    /// Visible ASCII that begins no query and no fragment.
    private static let pathBytes = ByteSet(0x21...0x7E).subtracting(ByteSet("?#"))

    /// ASCII without control bytes; no space around it, since signatures are over trimmed values.
    private static func isFieldValue(_ value: [UInt8]) -> Bool {
        value.allSatisfy { (0x20...0x7E).contains($0) } && value.first != 0x20 && value.last != 0x20
    }
}

extension UpstreamCall: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<\(method.name) \(authority.text)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
