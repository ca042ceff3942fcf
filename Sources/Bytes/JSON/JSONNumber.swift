/// A JSON number as it was written: nothing is rounded until it is read as a type.
package struct JSONNumber: Sendable {
    /// The bytes of the number in the text: RFC 8259 section 6, or json5.org section 6.
    package let text: [UInt8]

    package init(_ integer: Int64) { text = Array(text: "\(integer)") }

    init(text: [UInt8]) { self.text = text }

    /// The exact value of a plain integer that fits, in JSON5 also hexadecimal or with a plus sign.
    ///
    /// Nil for every number with a fraction or an exponent, even `1.0` and `1e2`.
    package var integer: Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let isSigned = isNegative || text.first == UInt8(ascii: "+")
        var digits = text.dropFirst(isSigned ? 1 : 0)
        var radix: Int64 = 10
        if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
            digits = digits.dropFirst(2)
            radix = 16
        }
        guard !digits.isEmpty else { return nil }
        // Grows away from zero in its own direction, because Int64.min has no positive counterpart.
        var value: Int64 = 0
        for byte in digits {
            guard let digit = Hex.value(of: byte).map(Int64.init), digit < radix else { return nil }
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: radix)
            let (sum, isOver) = shifted.addingReportingOverflow(isNegative ? -digit : digit)
            guard !isTooLarge, !isOver else { return nil }
            value = sum
        }
        return value
    }
}
