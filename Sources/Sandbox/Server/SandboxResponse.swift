import Bytes

/// What the sandbox answers.
struct SandboxResponse {
    enum Content {
        case bytes([UInt8])
        /// A part of an object, sent from its file.
        case file(ObjectFile, Range<Int>)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(_, let range): range.count
            }
        }
    }

    var status: Int
    /// In the order in which they are sent; Content-Length, Date and Connection are the server's.
    var fields: [NameValue] = []
    var content = Content.bytes([])

    init(_ status: Int, fields: [NameValue] = []) {
        self.status = status
        self.fields = fields
    }

    init(_ status: Int, _ type: StaticString, _ bytes: [UInt8], fields: [NameValue] = []) {
        self.init(status, fields: [NameValue("Content-Type", type.array)] + fields)
        content = .bytes(bytes)
    }

    mutating func add(_ name: StaticString, _ value: [UInt8]) { fields.append(NameValue(name, value)) }

    mutating func add(_ name: StaticString, _ number: Int) { add(name, Array(text: "\(number)")) }

    /// Head and field lines as they are sent.
    func head(date: Int64, keepsAlive: Bool) -> [UInt8] {
        var out = ByteWriter(capacity: 512)
        out.append("HTTP/1.1 ")
        out.append(decimal: Int64(status))
        // A client needs no phrase (RFC 9112 section 4); the space before it must be there.
        out.append(" \r\nDate: ")
        HTTPDate.write(date, into: &out)
        out.append("\r\nServer: countersign-sandbox\r\n")
        for field in fields { out.append(line: field) }
        if status != 204, status >= 200 {
            out.append("Content-Length: ")
            out.append(decimal: Int64(content.count))
            out.append("\r\n")
        }
        out.append(keepsAlive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n")
        return out.array
    }
}

extension ByteWriter {
    /// A field of a message as a line. No control character of the value ends the line.
    mutating func append(line field: NameValue) {
        append(field.name)
        append(": ")
        for byte in field.value { append(byte >= 0x20 && byte != 0x7F ? byte : UInt8(ascii: " ")) }
        append("\r\n")
    }
}
