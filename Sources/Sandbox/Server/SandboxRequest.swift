import Bytes
import HTTP

/// The head of a request as it was received, every byte of it that a signature can cover.
package struct SandboxRequest: Sendable {
    /// As it was sent: `GET`, `PUT`.
    package var method: [UInt8]
    /// Path and query as they were sent, nothing decoded.
    package var target: [UInt8]
    /// In the order they came, equal names as often as they came: names as they were sent, values without the white space around
    /// them.
    package var fields: [NameValue] { didSet { fields = fields.map(SandboxRequest.trimmed) } }

    /// The content, where a vendor's side has read it whole; signatures may cover it.
    package var body: [UInt8]

    package init(_ method: [UInt8], target: [UInt8], fields: [NameValue], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.fields = fields.map(SandboxRequest.trimmed)
        self.body = body
    }

    private static func trimmed(_ field: NameValue) -> NameValue {
        NameValue(field.name, field.value.span.trimmed.array)
    }

    func isMethod(_ name: StaticString) -> Bool { method.span.equals(name) }

    /// What stands before the `?`.
    var path: [UInt8] { Array(target.prefix { $0 != UInt8(ascii: "?") }) }

    /// What stands after the first `?`.
    var query: [UInt8] { Array(target.drop { $0 != UInt8(ascii: "?") }.dropFirst()) }

    /// The Host field; empty when there is none.
    var host: [UInt8] { value(of: "host") ?? [] }

    /// All values of a field; `name` in lower case.
    func values(of name: [UInt8]) -> [[UInt8]] {
        fields.filter { $0.name.span.equals(ignoringCaseOf: name) }.map(\.value)
    }

    /// Whether a field came, even if it is empty; `name` in lower case.
    func has(_ name: StaticString) -> Bool { fields.contains { $0.name.span.equals(ignoringCase: name) } }

    /// The value of a field that came once; nil when it did not come, or came more than once.
    func value(of name: StaticString) -> [UInt8]? {
        let found = fields.filter { $0.name.span.equals(ignoringCase: name) }
        return found.count == 1 ? found.first?.value : nil
    }

    /// The media type of the content in lower case, without its parameters; empty where it is not said.
    var mediaType: [UInt8] {
        Array((value(of: "content-type") ?? []).prefix { $0 != UInt8(ascii: ";") }).span.trimmed.array
            .map(\.lowercasedASCII)
    }

    var isForm: Bool { mediaType.elementsEqual("application/x-www-form-urlencoded".utf8) }
    var isMultipartForm: Bool { mediaType.elementsEqual("multipart/form-data".utf8) }
}

extension SandboxRequest {
    /// Copies the head that stands at the beginning of `bytes`.
    init(_ head: RequestHead, in bytes: Span<UInt8>) {
        var target = bytes.extracting(head.path).array
        if !head.query.isEmpty { target += [UInt8(ascii: "?")] + bytes.extracting(head.query).array }
        // An empty line may stand before the method (RFC 9112 section 2.2).
        let start = bytes.begins(with: "\r\n") ? 2 : 0
        let end = bytes.firstIndex(of: UInt8(ascii: " "), from: start) ?? start
        self.init(
            bytes.extracting(start..<end).array, target: target,
            fields: SandboxRequest.fields(bytes.extracting(head.fieldLines)))
    }

    /// Splits field lines, each ended by CR LF, that the server's parser has checked.
    static func fields(_ lines: Span<UInt8>) -> [NameValue] {
        var fields: [NameValue] = []
        var start = 0
        while start < lines.count {
            let end = lines.firstIndex(of: UInt8(ascii: "\r"), from: start) ?? lines.count
            let line = lines.extracting(start..<end)
            if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                fields.append(
                    NameValue(line.extracting(0..<colon).array, line.extracting(colon + 1..<line.count).array))
            }
            start = end + 2
        }
        return fields
    }
}
