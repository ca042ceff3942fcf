/// The one ISO 8601 form that vendors' clients read, `2015-11-03T09:52:59Z` (RFC 3339, UTC, no fraction).
///
/// The iOS OSS client reads no other: with a fraction or an offset it fetches a new token for every request.
package enum ISO8601 {
    /// Unix seconds, or nil if `bytes` are anything but the twenty bytes of this form and a possible date.
    package static func parse(_ bytes: Span<UInt8>) -> Int64? {
        guard
            bytes.count == 20,
            let year = Decimal.field(bytes, 0..<4),
            let month = Decimal.field(bytes, 5..<7),
            let day = Decimal.field(bytes, 8..<10),
            let hour = Decimal.field(bytes, 11..<13),
            let minute = Decimal.field(bytes, 14..<16),
            let second = Decimal.field(bytes, 17..<19),
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        // Writing it again checks every separator at once.
        return bytes.equals(write(time.unixSeconds)) ? time.unixSeconds : nil
    }

    /// 20 bytes. Moments outside the years 0 to 9999 are written as the nearest moment inside.
    package static func write(_ unixSeconds: Int64) -> [UInt8] {
        let time = CivilTime(writing: unixSeconds)
        var text: [UInt8] = []
        text.reserveCapacity(20)
        text += Decimal.field(time.year, width: 4)
        text += "-".utf8
        text += Decimal.field(time.month, width: 2)
        text += "-".utf8
        text += Decimal.field(time.day, width: 2)
        text += "T".utf8
        text += Decimal.field(time.hour, width: 2)
        text += ":".utf8
        text += Decimal.field(time.minute, width: 2)
        text += ":".utf8
        text += Decimal.field(time.second, width: 2)
        text += "Z".utf8
        return text
    }
}
