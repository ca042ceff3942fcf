/// Decimal numbers as protocols write them: ASCII digits, no sign, no spaces.
///
/// `Int("+5")` and `Int("05")` succeed; a number that is signed or compared as bytes must have one spelling only.
package enum Decimal {
    /// The number that `digits` spell, or nil: one or more digits, no leading zero except in `0` itself,
    /// at most `maximum`. Never overflows.
    package static func parse(_ digits: Span<UInt8>, maximum: Int64 = .max) -> Int64? {
        guard digits.count > 0, digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
        guard let number = number(digits), number <= maximum else { return nil }
        return number
    }

    /// The number in a field of fixed width, where leading zeros are part of the form; nil if `range` leaves `bytes`.
    package static func field(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
        return number(bytes.extracting(range)).flatMap(Int.init(exactly:))
    }

    private static func number(_ digits: Span<UInt8>) -> Int64? {
        var number: Int64 = 0
        for index in digits.indices {
            let digit = digits[index]
            guard digit.isDigit else { return nil }
            let (tenfold, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }
}
