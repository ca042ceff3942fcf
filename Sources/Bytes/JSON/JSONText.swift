/// The strings of JSON (RFC 8259). `/` is never escaped.
extension ByteWriter {
    /// `bytes` (UTF-8) as a JSON string with its quotes.
    package mutating func append(jsonString bytes: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        append(jsonEscaped: bytes)
        append(UInt8(ascii: "\""))
    }

    package mutating func append(jsonString bytes: [UInt8]) { append(jsonString: bytes.span) }

    package mutating func append(jsonString text: String) { append(jsonString: text.utf8.span) }

    /// The same, with those characters escaped, too, that terminals obey.
    package mutating func append(visibleJSONString text: String) {
        append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x80, !scalar.isVisible else {
                append(jsonEscaped: Array(String(scalar).utf8).span)
                continue
            }
            append(jsonEscape: scalar)
        }
        append(UInt8(ascii: "\""))
    }

    /// A character of the inside of a JSON string as `\uXXXX`, twice beyond the first 65,536.
    package mutating func append(jsonEscape scalar: Unicode.Scalar) {
        for unit in String(scalar).utf16 {
            append("\\u")
            Hex.encode([UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)].span, into: &self)
        }
    }

    /// The inside of a JSON string: runs that need no escape are copied whole.
    package mutating func append(jsonEscaped bytes: Span<UInt8>) {
        guard bytes.hasJSONEscapes(from: 0) else { return append(bytes) }
        var clean = 0
        while let escape = bytes.firstJSONEscape(from: clean) {
            append(bytes.extracting(clean..<escape))
            append(jsonEscape: bytes[escape])
            clean = escape + 1
        }
        append(bytes.extracting(clean..<bytes.count))
    }

    private mutating func append(jsonEscape byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        default:
            append("\\u00")
            Hex.encode([byte].span, into: &self)
        }
    }
}

extension ByteWriter {
    /// A value without white space, its members in their order. Numbers stand as they were written, which for JSON5 need not be
    /// JSON.
    package mutating func append(json value: JSONValue) {
        switch value.content {
        case .null: append("null")
        case .boolean(let flag): append(flag ? "true" : "false")
        case .number(let number): append(number.text)
        case .string(let text): append(jsonString: text)
        case .array(let elements): append(json: elements)
        case .object(let members):
            append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                append(jsonString: member.name)
                append(UInt8(ascii: ":"))
                append(json: member.value)
            }
            append(UInt8(ascii: "}"))
        }
    }

    /// Values as an array.
    package mutating func append(json elements: some Sequence<JSONValue>) {
        append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(json: element)
        }
        append(UInt8(ascii: "]"))
    }
}
