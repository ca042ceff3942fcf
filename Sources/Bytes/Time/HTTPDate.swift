/// The date of HTTP header fields, `Sun, 06 Nov 1994 08:49:37 GMT`: IMF-fixdate (RFC 9110 section 5.6.7), and only that.
package enum HTTPDate {
    /// Unix seconds, or nil if `bytes` are anything but an IMF-fixdate: exact case, two-digit day, the date's own
    /// weekday, `GMT`, nothing before or after. The two obsolete forms of the RFC are not read.
    package static func parse(_ bytes: Span<UInt8>) -> Int64? {
        guard
            bytes.count == 29,
            let day = Decimal.field(bytes, 5..<7),
            let month = months.firstIndex(where: { $0.elementsEqual([bytes[8], bytes[9], bytes[10]]) }),
            let year = Decimal.field(bytes, 12..<16),
            let hour = Decimal.field(bytes, 17..<19),
            let minute = Decimal.field(bytes, 20..<22),
            let second = Decimal.field(bytes, 23..<25),
            let time = CivilTime(
                year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        // Writing it again checks the weekday and every separator at once.
        return bytes.equals(write(time.unixSeconds)) ? time.unixSeconds : nil
    }

    /// 29 bytes. Moments outside the years 0 to 9999 are written as the nearest moment inside.
    package static func write(_ unixSeconds: Int64) -> [UInt8] {
        let time = CivilTime(writing: unixSeconds)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text += weekdays[time.weekday]
        text += ", ".utf8
        text += Decimal.field(time.day, width: 2)
        text += " ".utf8
        text += months[time.month - 1]
        text += " ".utf8
        text += Decimal.field(time.year, width: 4)
        text += " ".utf8
        text += Decimal.field(time.hour, width: 2)
        text += ":".utf8
        text += Decimal.field(time.minute, width: 2)
        text += ":".utf8
        text += Decimal.field(time.second, width: 2)
        text += " GMT".utf8
        return text
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].map(\.utf8)
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map(\.utf8)
}
