/// The date of HTTP header fields, `Sun, 06 Nov 1994 08:49:37 GMT`: IMF-fixdate (RFC 9110 section 5.6.7), and only that.
package enum HTTPDate {
    /// Unix seconds, or nil if `bytes` are anything but an IMF-fixdate: exact case, two-digit day, the date's own
    /// weekday, `GMT`, nothing before or after. The two obsolete forms of the RFC are not read.
    package static func parse(_ bytes: Span<UInt8>) -> Int64? {
        guard
            bytes.count == 29,
            let day = Decimal.field(bytes, 5..<7),
            let month = months.firstIndex(where: { bytes.extracting(8..<11).equals($0) }),
            let year = Decimal.field(bytes, 12..<16),
            let hour = Decimal.field(bytes, 17..<19),
            let minute = Decimal.field(bytes, 20..<22),
            let second = Decimal.field(bytes, 23..<25),
            let time = CivilTime(
                year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        guard bytes.extracting(0..<3).equals(weekdays[time.weekday]), hasMarks(bytes) else { return nil }
        return time.unixSeconds
    }

    /// Whether spaces, commas, colons and the rest that is neither name nor number are where they belong.
    private static func hasMarks(_ bytes: Span<UInt8>) -> Bool {
        bytes.extracting(3..<5).equals(", ") && bytes[7] == UInt8(ascii: " ") && bytes[11] == UInt8(ascii: " ")
            && bytes[16] == UInt8(ascii: " ") && bytes[19] == UInt8(ascii: ":") && bytes[22] == UInt8(ascii: ":")
            && bytes.extracting(25..<29).equals(" GMT")
    }

    /// 29 bytes. Moments outside the years 0 to 9999 are written as the nearest moment inside.
    package static func write(_ unixSeconds: Int64, into out: inout ByteWriter) {
        let time = CivilTime(writing: unixSeconds)
        out.append(weekdays[time.weekday])
        out.append(", ")
        out.append(twoDigits: time.day)
        out.append(UInt8(ascii: " "))
        out.append(months[time.month - 1])
        out.append(UInt8(ascii: " "))
        out.append(twoDigits: time.year / 100)
        out.append(twoDigits: time.year % 100)
        out.append(UInt8(ascii: " "))
        out.append(twoDigits: time.hour)
        out.append(UInt8(ascii: ":"))
        out.append(twoDigits: time.minute)
        out.append(UInt8(ascii: ":"))
        out.append(twoDigits: time.second)
        out.append(" GMT")
    }

    /// What `write` writes as bytes of its own, for use off the hot path.
    package static func write(_ unixSeconds: Int64) -> [UInt8] {
        [UInt8](atMost: 29) {
            write(unixSeconds, into: &$0)
        }
    }

    private static let weekdays: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
