import Bytes
import HTTP

/// A request as it was received, every byte of it that a signature can cover.
package struct SandboxRequest: Sendable {
    package var method: Method
    /// Path and query as they were sent, nothing decoded.
    package var target: [UInt8]
    /// In the order they came, equal names as often as they came: names as they were sent, values without the white space around
    /// them.
    package var fields: [NameValue] { didSet { fields = fields.map(SandboxRequest.trimmed) } }
    package var body: [UInt8]

    package init(_ method: Method, target: [UInt8], fields: [NameValue], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.fields = fields.map(SandboxRequest.trimmed)
        self.body = body
    }

    private static func trimmed(_ field: NameValue) -> NameValue {
        NameValue(field.name, field.value.span.trimmed.array)
    }

    /// The method as it is signed; nil for one that the vendor does not answer.
    var methodName: [UInt8]? {
        switch method {
        case .get: Array("GET".utf8)
        case .post: Array("POST".utf8)
        case .head, .options, .other: nil
        }
    }

    /// What stands before the `?`.
    var path: [UInt8] { Array(target.prefix { $0 != UInt8(ascii: "?") }) }

    /// What stands after the first `?`.
    var query: [UInt8] { Array(target.drop { $0 != UInt8(ascii: "?") }.dropFirst()) }

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

    /// Whether the body holds parameters.
    var hasForm: Bool {
        guard !body.isEmpty, let type = value(of: "content-type") else { return false }
        let name = Array(type.prefix { $0 != UInt8(ascii: ";") })
        return name.span.trimmed.equals(ignoringCase: "application/x-www-form-urlencoded")
    }
}

extension SandboxRequest {
    /// Copies what the server lends.
    init(_ request: borrowing Request) {
        var target = request.path.array
        if !request.query.isEmpty { target += [UInt8(ascii: "?")] + request.query.array }
        self.init(
            request.head.method, target: target, fields: SandboxRequest.fields(request.fieldLines),
            body: request.body.array)
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
