// Numbers: RFC 8259 section 6, json5.org section 6.
extension JSONReader {
    /// Reads a number, which is what is left where a value must stand and nothing else does.
    mutating func readNumber() throws(JSONError) -> JSONSlice {
        let start = offset
        let isSigned = take("-") || (syntax == .json5 && take("+"))
        switch next {
        case UInt8(ascii: "I") where syntax == .json5:
            try skipWord("Infinity")
        case UInt8(ascii: "N") where syntax == .json5:
            try skipWord("NaN")
        case UInt8(ascii: "0") where syntax == .json5 && isHexMark(byte(at: offset + 1)):
            offset += 2
            guard skipDigits(where: { Hex.value(of: $0) != nil }) > 0 else {
                throw error("expected a hexadecimal digit after 0x")
            }
        default:
            try skipDecimal(isSigned: isSigned)
        }
        return .read(start..<offset)
    }

    private mutating func skipDecimal(isSigned: Bool) throws(JSONError) {
        if next == UInt8(ascii: "0"), byte(at: offset + 1).map(\.isDigit) == true {
            throw error("a number must not start with a needless zero")
        }
        let wholeDigits = skipDigits()
        guard wholeDigits > 0 || (syntax == .json5 && next == UInt8(ascii: ".")) else {
            throw error(isSigned ? "expected a digit after the sign" : "expected a value")
        }
        if take(".") {
            let fractionDigits = skipDigits()
            guard fractionDigits > 0 || (syntax == .json5 && wholeDigits > 0) else {
                throw error("expected a digit after the decimal point")
            }
        }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard skipDigits() > 0 else { throw error("expected a digit in the exponent") }
        }
    }

    /// Goes past digits and tells how many there were.
    private mutating func skipDigits(where isDigit: (UInt8) -> Bool = \.isDigit) -> Int {
        let start = offset
        skip(while: isDigit)
        return offset - start
    }

    private func isHexMark(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: "x") || byte == UInt8(ascii: "X")
    }
}
