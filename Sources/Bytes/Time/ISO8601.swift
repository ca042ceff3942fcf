/// The one ISO 8601 form that vendors' clients read, `2015-11-03T09:52:59Z` (RFC 3339, UTC, no fraction).
///
/// The iOS OSS client reads no other: with a fraction or an offset it fetches a new token for every request.
package enum ISO8601 {
    /// Unix seconds, or nil if `bytes` are anything but the twenty bytes of this form and a possible date.
    package static func parse(_ bytes: Span<UInt8>) -> Int64? {
        parse(bytes, betweenDate: "-", betweenTime: ":")
    }

    /// The same of the basic format, `20151103T095259Z`: sixteen bytes.
    package static func parseBasic(_ bytes: Span<UInt8>) -> Int64? {
        parse(bytes, betweenDate: "", betweenTime: "")
    }

    /// The same of a moment that may have a fraction of a second, which does not count, and an offset from UTC:
    /// `2015-11-03T09:52:59.123+08:00` (RFC 3339 section 5.6).
    package static func parseInternet(_ bytes: Span<UInt8>) -> Int64? {
        let length = 19
        guard bytes.count > length,
            let moment = parse((bytes.extracting(0..<length).array + [UInt8(ascii: "Z")]).span)
        else { return nil }
        var rest = length
        if bytes[rest] == UInt8(ascii: ".") {
            let start = rest + 1
            rest = start
            while rest < bytes.count, bytes[rest].isDigit { rest += 1 }
            guard (1...9).contains(rest - start) else { return nil }
        }
        if rest == bytes.count - 1, bytes[rest] == UInt8(ascii: "Z") { return moment }
        guard rest + 6 == bytes.count, bytes[rest + 3] == UInt8(ascii: ":"),
            let hours = Decimal.field(bytes, rest + 1..<rest + 3), hours < 24,
            let minutes = Decimal.field(bytes, rest + 4..<rest + 6), minutes < 60
        else { return nil }
        let offset = Int64(hours * 3600 + minutes * 60)
        switch bytes[rest] {
        case UInt8(ascii: "+"): return moment - offset
        case UInt8(ascii: "-"): return moment + offset
        default: return nil
        }
    }

    private static func parse(
        _ bytes: Span<UInt8>, betweenDate dash: StaticString, betweenTime colon: StaticString
    ) -> Int64? {
        let time = 9 + 2 * dash.utf8CodeUnitCount
        guard
            let year = Decimal.field(bytes, 0..<4),
            let month = Decimal.field(bytes, pair(4 + dash.utf8CodeUnitCount)),
            let day = Decimal.field(bytes, pair(6 + 2 * dash.utf8CodeUnitCount)),
            let hour = Decimal.field(bytes, pair(time)),
            let minute = Decimal.field(bytes, pair(time + 2 + colon.utf8CodeUnitCount)),
            let second = Decimal.field(bytes, pair(time + 4 + 2 * colon.utf8CodeUnitCount)),
            let moment = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        let isWhole =
            bytes.count == time + 7 + 2 * colon.utf8CodeUnitCount && bytes[time - 1] == UInt8(ascii: "T")
            && bytes[bytes.count - 1] == UInt8(ascii: "Z") && has(dash, bytes, at: 4, apart: 2)
            && has(colon, bytes, at: time + 2, apart: 2)
        return isWhole ? moment.unixSeconds : nil
    }

    /// Whether a mark, if there is one, stands at an offset, and once more behind so many digits.
    private static func has(_ mark: StaticString, _ bytes: Span<UInt8>, at offset: Int, apart digits: Int) -> Bool {
        let length = mark.utf8CodeUnitCount
        let second = offset + length + digits
        return second + length <= bytes.count && bytes.extracting(offset..<offset + length).equals(mark)
            && bytes.extracting(second..<second + length).equals(mark)
    }

    private static func pair(_ start: Int) -> Range<Int> { start..<start + 2 }

    /// 20 bytes. Moments outside the years 0 to 9999 are written as the nearest moment inside.
    package static func write(_ unixSeconds: Int64, into out: inout ByteWriter) {
        write(unixSeconds, betweenDate: "-", betweenTime: ":", into: &out)
    }

    /// The basic format, `20151103T095259Z`, in which signed header fields have their time: 16 bytes.
    package static func writeBasic(_ unixSeconds: Int64, into out: inout ByteWriter) {
        write(unixSeconds, betweenDate: "", betweenTime: "", into: &out)
    }

    private static func write(
        _ unixSeconds: Int64, betweenDate dash: StaticString, betweenTime colon: StaticString,
        into out: inout ByteWriter
    ) {
        let time = CivilTime(writing: unixSeconds)
        out.append(twoDigits: time.year / 100)
        out.append(twoDigits: time.year % 100)
        out.append(dash)
        out.append(twoDigits: time.month)
        out.append(dash)
        out.append(twoDigits: time.day)
        out.append(UInt8(ascii: "T"))
        out.append(twoDigits: time.hour)
        out.append(colon)
        out.append(twoDigits: time.minute)
        out.append(colon)
        out.append(twoDigits: time.second)
        out.append(UInt8(ascii: "Z"))
    }

    /// What `write` writes as bytes of its own, for use off the hot path.
    package static func write(_ unixSeconds: Int64) -> [UInt8] {
        [UInt8](atMost: 20) {
            write(unixSeconds, into: &$0)
        }
    }
}
