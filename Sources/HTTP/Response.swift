import Bytes

/// An answer being put together; one object serves a loop's requests one after the other.
package struct Response: ~Copyable {
    package enum ContentType: Sendable {
        case json, problem, text
        /// Prometheus' text format, version 0.0.4.
        case metrics
        case html, css, javaScript, svg
    }

    package var status = 200
    package var contentType = ContentType.json
    package var body = ByteWriter(capacity: 2048)
    /// Set when the answer has a body that is not told, so that its length is not either: the answer to HEAD.
    package var omitsBody = false
    private var fields = ByteWriter(capacity: 512)

    package init() {}

    package mutating func reset() {
        status = 200
        contentType = .json
        omitsBody = false
        body.reset()
        fields.reset()
    }

    /// Adds a field line. A value that could break out of its line is left out with its field: no CR, LF or NUL leaves here.
    package mutating func add(_ name: StaticString, _ value: Span<UInt8>) {
        guard !value.hasControlCharacters else { return }
        fields.append(name)
        fields.append(": ")
        fields.append(value)
        fields.append("\r\n")
    }

    package mutating func add(_ name: StaticString, _ value: StaticString) {
        fields.append(name)
        fields.append(": ")
        fields.append(value)
        fields.append("\r\n")
    }

    package mutating func add(_ name: StaticString, _ value: Int64) {
        fields.append(name)
        fields.append(": ")
        fields.append(decimal: value)
        fields.append("\r\n")
    }

    /// All field lines added so far: a handler whose answer comes later keeps them until then.
    package var fieldLines: Span<UInt8> {
        @_lifetime(borrow self)
        get { fields.bytes }
    }

    /// Adds field lines that another response's `fieldLines` gave; they were checked there.
    package mutating func append(fields lines: Span<UInt8>) { fields.append(lines) }

    /// Writes head and body as they go on the wire.
    /// - Parameters:
    ///   - date: the value of the Date field, 29 bytes.
    ///   - persistence: what the Connection field says; nil for none.
    package func write(date: Span<UInt8>, persistence: StaticString?, into out: inout ByteWriter) {
        out.append("HTTP/1.1 ")
        out.append(decimal: status)
        out.append(UInt8(ascii: " "))
        out.append(Status(rawValue: status)?.phrase ?? "Status")
        out.append("\r\nDate: ")
        out.append(date)
        out.append("\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n")
        if status != 204 {
            switch contentType {
            case .json: out.append("Content-Type: application/json; charset=utf-8\r\n")
            case .problem: out.append("Content-Type: application/problem+json\r\n")
            case .metrics: out.append("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n")
            case .text: out.append("Content-Type: text/plain; charset=utf-8\r\n")
            case .html: out.append("Content-Type: text/html; charset=utf-8\r\n")
            case .css: out.append("Content-Type: text/css; charset=utf-8\r\n")
            case .javaScript: out.append("Content-Type: text/javascript; charset=utf-8\r\n")
            case .svg: out.append("Content-Type: image/svg+xml\r\n")
            }
            if !omitsBody {
                out.append("Content-Length: ")
                out.append(decimal: body.count)
                out.append("\r\n")
            }
        }
        if let persistence {
            out.append("Connection: ")
            out.append(persistence)
            out.append("\r\n")
        }
        out.append(fields.bytes)
        out.append("\r\n")
        if !omitsBody, status != 204 { out.append(body.bytes) }
    }
}
