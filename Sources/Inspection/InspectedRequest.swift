import Bytes
import Providers

/// A request, or as much of it as was given for inspection: a URL alone has neither method nor fields.
package struct InspectedRequest: Sendable {
    /// Nil for a URL alone.
    let method: [UInt8]?
    /// `https`; nil where only the Host field is known.
    private(set) var scheme: [UInt8]?
    /// Host and port as they were sent.
    let authority: [UInt8]
    /// As it was sent; begins with `/`.
    let path: [UInt8]
    /// As it was sent; nil without a `?`.
    let query: [UInt8]?
    /// In the order in which they were sent.
    let fields: [NameValue]
    let body: [UInt8]

    /// Path and query as they were sent.
    var target: [UInt8] { path + (query.map { [UInt8(ascii: "?")] + $0 } ?? []) }

    /// The value of the field of this name, which is in lower case; nil without one.
    func field(_ name: StaticString) -> [UInt8]? {
        fields.first { $0.name.span.equals(ignoringCase: name) }?.value
    }

    /// All fields, each line ended by CR LF, with the host that the URL names.
    var fieldLines: [UInt8] { fieldLines { _ in true } }

    /// Those of these names, which are in lower case.
    func fieldLines(named names: [[UInt8]]) -> [UInt8] {
        fieldLines { name in names.contains { name.span.equals(ignoringCaseOf: $0) } }
    }

    private func fieldLines(where isMeant: ([UInt8]) -> Bool) -> [UInt8] {
        var out = ByteWriter()
        func write(_ name: [UInt8], _ value: [UInt8]) {
            guard isMeant(name) else { return }
            out.append(name)
            out.append(": ")
            out.append(value)
            out.append("\r\n")
        }
        if field("host") == nil { write(StaticString("host").array, authority) }
        for field in fields { write(field.name, field.value) }
        return out.array
    }

    /// The path decoded, without its first slash; nil where it cannot be.
    var decodedPath: [UInt8]? { Percent.decoded(path.dropFirst()) }

    /// The most parameters and fields that are looked at: to sort them takes the square of their number.
    private static let mostNames = 256

    /// The query's parameters in their order; nil where one cannot be decoded, or for too many.
    var parameters: [QueryParameter]? {
        guard (query ?? []).count(where: { $0 == UInt8(ascii: "&") }) < InspectedRequest.mostNames else { return nil }
        return QueryParameter.list((query ?? [])[...])
    }

    /// The value of the only parameter of this name; nil where there is none, or several.
    func parameter(_ name: StaticString) -> [UInt8]? { parameter(name.array) }

    /// The same.
    func parameter(_ name: [UInt8]) -> [UInt8]? {
        let values = (parameters ?? []).filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }
}

// MARK: - Reading

extension InspectedRequest {
    /// Reads `https://host/path?query`; nil for anything else.
    init?(url: [UInt8]) { self.init(method: nil, url: url, fields: [], body: []) }

    private init?(method: [UInt8]?, url: [UInt8], fields: [NameValue], body: [UInt8]) {
        let schemes: [StaticString] = ["https", "http", "rtmp"]
        let scheme = schemes.map(\.array).first { url.starts(with: $0 + Array("://".utf8)) }
        guard let scheme, url.allSatisfy({ $0.isVisible || $0 >= 0x80 }) else { return nil }
        let rest = url.dropFirst(scheme.count + 3).prefix { $0 != UInt8(ascii: "#") }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        self.scheme = scheme
        authority = Array(rest[..<end])
        let path = Array(rest[end..<(mark ?? rest.endIndex)])
        self.path = path.isEmpty ? [UInt8(ascii: "/")] : path
        query = mark.map { Array(rest[($0 + 1)...]) }
        self.method = method
        self.fields = fields
        self.body = body
    }

    /// Reads a request as it is on the wire, or as `curl -v` shows it; nil for anything else.
    init?(text: ArraySlice<UInt8>) {
        let (newline, mark) = (UInt8(ascii: "\n"), UInt8(ascii: ">"))
        func line(at start: Int) -> (text: ArraySlice<UInt8>, next: Int) {
            let end = text[start...].firstIndex(of: newline) ?? text.endIndex
            let line = text[start..<end]
            return (line.last == 13 ? line.dropLast() : line, min(end + 1, text.endIndex))
        }
        let isTrace = text.starts(with: "> ".utf8) || text.contains([newline, mark, 0x20])
        var start = text.startIndex
        var lines: [ArraySlice<UInt8>] = []
        while start < text.endIndex {
            let (line, next) = line(at: start)
            start = next
            if isTrace, line.first != mark { continue }
            let content = isTrace ? InspectionInput.trimmed(line.dropFirst()) : line
            if content.isEmpty { break }
            lines.append(content)
        }
        guard let first = lines.first, lines.count <= InspectedRequest.mostNames else { return nil }
        let words = first.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[2].starts(with: "HTTP/".utf8), !words[0].isEmpty,
            words[1].allSatisfy({ $0.isVisible || $0 >= 0x80 })
        else { return nil }
        var fields: [NameValue] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            fields.append(NameValue(Array(line[..<colon]), Array(InspectionInput.trimmed(line[(colon + 1)...]))))
        }
        self.init(
            method: Array(words[0]), target: Array(words[1]), fields: fields,
            body: isTrace ? [] : InspectedRequest.body(in: text[start...], fields))
    }

    /// As long as Content-Length says; without one, a file's last line end is none of the body's.
    private static func body(in rest: ArraySlice<UInt8>, _ fields: [NameValue]) -> [UInt8] {
        let length = fields.first { $0.name.span.equals(ignoringCase: "content-length") }
            .flatMap { Decimal.parse($0.value.span, maximum: Int64(rest.count)) }
        if let length { return Array(rest.prefix(Int(length))) }
        let end = rest.lastIndex { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        return Array(rest[..<(end.map { $0 + 1 } ?? rest.startIndex)])
    }

    private init?(method: [UInt8], target: [UInt8], fields: [NameValue], body: [UInt8]) {
        let isOrigin = target.first == UInt8(ascii: "/")
        let host = fields.first { $0.name.span.equals(ignoringCase: "host") }?.value ?? []
        self.init(
            method: method, url: isOrigin ? Array("https://".utf8) + host + target : target, fields: fields, body: body)
        if isOrigin { scheme = nil }
    }

    /// Reads an answer of the service with `url`, or `uri` as Iceberg has it, and with `method` and `headers` where it has them; nil
    /// for anything else. Each header has a text, or a list of texts.
    init?(answer: JSONValue) {
        guard let url = answer.text("url") ?? answer.text("uri") else { return nil }
        var fields: [NameValue] = []
        if case .object(let members)? = answer["headers"]?.content {
            for member in members {
                switch member.value.content {
                case .string(let value): fields.append(NameValue(member.name, value))
                case .array(let values):
                    for value in values {
                        guard let text = value.text else { return nil }
                        fields.append(NameValue(member.name, text))
                    }
                default: return nil
                }
            }
        }
        self.init(method: answer.text("method"), url: url, fields: fields, body: [])
    }
}
