// Encoding, white space and comments: RFC 8259 sections 2 and 8.1, json5.org sections 7 and 8.
extension JSONReader {
    /// Checks the whole text once, so that all else may take its bytes for well-formed UTF-8.
    func checkEncoding() throws(JSONError) {
        do {
            _ = try UTF8Span(validating: bytes)
        } catch {
            throw JSONError(offset: error.byteOffsets.lowerBound, reason: "the text must be well-formed UTF-8")
        }
        if byte(at: 0) == 0xEF, byte(at: 1) == 0xBB, byte(at: 2) == 0xBF {
            throw JSONError(offset: 0, reason: "the text must not start with a byte order mark")
        }
    }

    mutating func skipSpace() throws(JSONError) {
        while let byte = next {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                offset += 1
            case _ where syntax == .json:
                return
            case 0x0B, 0x0C:
                offset += 1
            case UInt8(ascii: "/"):
                try skipComment()
            case 0x80...:
                guard let scalar = nextWideScalar, Self.isWideSpace(scalar) else { return }
                offset += scalar.utf8.count
            default:
                return
            }
        }
    }

    private mutating func skipComment() throws(JSONError) {
        let start = offset
        offset += 1
        if take("/") {
            while next != nil, lineEndLength == 0 { offset += 1 }
        } else if take("*") {
            while let byte = next {
                offset += 1
                if byte == UInt8(ascii: "*"), take("/") { return }
            }
            throw JSONError(offset: start, reason: "a comment that starts with /* must end with */")
        } else {
            throw JSONError(offset: start, reason: "a comment must start with // or /*")
        }
    }

    /// How many bytes the JSON5 line end that comes next has: LF, CR LF, CR, U+2028 or U+2029; 0 if none does.
    var lineEndLength: Int {
        switch next {
        case UInt8(ascii: "\n"): 1
        case UInt8(ascii: "\r"): byte(at: offset + 1) == UInt8(ascii: "\n") ? 2 : 1
        case 0xE2: nextWideScalar == "\u{2028}" || nextWideScalar == "\u{2029}" ? 3 : 0
        default: 0
        }
    }

    /// The scalar of two or three bytes that comes next; JSON5 gives a meaning to none of four.
    private var nextWideScalar: Unicode.Scalar? {
        guard let first = next, let second = byte(at: offset + 1).map({ UInt32($0 & 0x3F) }) else { return nil }
        if first < 0xE0 { return Unicode.Scalar(UInt32(first & 0x1F) << 6 | second) }
        guard first < 0xF0, let third = byte(at: offset + 2).map({ UInt32($0 & 0x3F) }) else { return nil }
        return Unicode.Scalar(UInt32(first & 0x0F) << 12 | second << 6 | third)
    }

    private static func isWideSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{2028}", "\u{2029}", "\u{FEFF}": true
        default: scalar.properties.generalCategory == .spaceSeparator
        }
    }
}
