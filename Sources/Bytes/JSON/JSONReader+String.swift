// Strings: RFC 8259 section 7, json5.org section 5.
extension JSONReader {
    /// Reads a string whose opening quote comes next, and decodes its escapes.
    package mutating func readString() throws(JSONError) -> JSONSlice {
        let start = offset
        let quote = next
        let first = decoded.count
        offset += 1
        while true {
            let run = offset
            while let byte = next, byte != quote, isPlain(byte) { offset += 1 }
            // What has no escapes stands in the text as it is.
            if next == quote, run == start + 1 {
                offset += 1
                return .read(run..<offset - 1)
            }
            decoded.append(bytes.extracting(run..<offset))
            switch next {
            case UInt8(ascii: "\\"): try readEscape()
            case nil: throw JSONError(offset: start, reason: "a string must end with the quote it started with")
            case quote:
                offset += 1
                return .decoded(first..<decoded.count)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                throw error("a string must end, with the quote it started with, on its line")
            default:
                throw error("a control character in a string must be written as an escape")
            }
        }
    }

    /// Whether a byte, if it is not the closing quote, stands for itself in a string. JSON5 bars only LF and CR.
    private func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): false
        case ..<0x20: syntax == .json5
        default: true
        }
    }

    /// Reads one escape; at the end of the text nothing, which leaves the string without its end.
    private mutating func readEscape() throws(JSONError) {
        let start = offset
        offset += 1
        if syntax == .json5, lineEndLength > 0 {
            offset += lineEndLength
            return
        }
        guard let letter = next else { return }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(letter)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"): decoded.append(text: String(try readUTF16(escapedAt: start)))
        case _ where syntax == .json:
            throw JSONError(offset: start, reason: #"expected one of \" \\ \/ \b \f \n \r \t \u"#)
        case UInt8(ascii: "v"): decoded.append(0x0B)
        case UInt8(ascii: "x"):
            let code = try readHex(digits: 2, escapedAt: start)
            decoded.append(text: String(Unicode.Scalar(UInt8(truncatingIfNeeded: code))))
        case UInt8(ascii: "0") where next.map(\.isDigit) != true: decoded.append(0x00)
        case _ where letter.isDigit:
            throw JSONError(offset: start, reason: #"expected \x and two hexadecimal digits"#)
        // Every other character stands for itself; if it has more bytes, they are plain and come next.
        default: decoded.append(letter)
        }
    }

    /// The scalar of `\uXXXX`, or of two such escapes if the first is the high half of a surrogate pair.
    private mutating func readUTF16(escapedAt start: Int) throws(JSONError) -> Unicode.Scalar {
        let unit = try readHex(digits: 4, escapedAt: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let lowStart = offset
        if (0xD800...0xDBFF).contains(unit), take("\\"), take("u") {
            let low = try readHex(digits: 4, escapedAt: lowStart)
            if (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x1_0000 + ((unit & 0x3FF) << 10 | low & 0x3FF))
            {
                return scalar
            }
        }
        throw JSONError(offset: start, reason: "a surrogate escape must be half of a high and low pair")
    }

    private mutating func readHex(digits: Int, escapedAt start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = next.flatMap(Hex.value) else {
                throw JSONError(offset: start, reason: "an escape must have \(digits) hexadecimal digits here")
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
