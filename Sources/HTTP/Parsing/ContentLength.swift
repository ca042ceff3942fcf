/// The value of a Content-Length field: digits alone (RFC 9110 section 8.6). `Int("+5")` is 5 in Swift, hence by hand.
enum ContentLength {
    /// - Returns: the number, `Int.max` when it is larger than that, nil when there is anything but digits.
    static func parse(_ digits: Span<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var value = 0
        for index in digits.indices {
            let byte = digits[index]
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (tens, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = tens.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            value = overflowed || carried ? .max : sum
        }
        return value
    }
}
