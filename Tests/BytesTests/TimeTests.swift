import Testing

@testable import Bytes

@Suite struct DecimalTests {
    private func parse(_ text: String, maximum: Int64 = .max) -> Int64? {
        Decimal.parse(Array(text.utf8).span, maximum: maximum)
    }

    @Test(arguments: [("0", 0), ("7", 7), ("1703965989", 1_703_965_989), ("9223372036854775807", Int64.max)])
    func `reads plain digits`(text: String, number: Int64) {
        #expect(parse(text) == number)
    }

    @Test(arguments: [
        "", "+5", "-0", "-1", "05", "00", " 5", "5 ", "5\n", "1_0", "1e3", "0x1", "٣", "9223372036854775808",
        "9223372036854775810", "18446744073709551616", "99999999999999999999999999",
    ])
    func `refuses every other spelling and what overflows`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func `keeps the maximum`() {
        #expect(parse("255", maximum: 255) == 255)
        #expect(parse("256", maximum: 255) == nil)
        #expect(parse("0", maximum: -1) == nil)
    }

    @Test func `a field outside the bytes is nil`() {
        #expect(Decimal.field(Array("0123".utf8).span, 1..<3) == 12)
        #expect(Decimal.field(Array("0123".utf8).span, 2..<5) == nil)
        #expect(Decimal.field(Array("0123".utf8).span, -1..<2) == nil)
    }
}

@Suite struct CivilTimeTests {
    @Test func `1970 began on a Thursday`() {
        let time = CivilTime(unixSeconds: 0)
        #expect([time.year, time.month, time.day, time.hour, time.minute, time.second] == [1970, 1, 1, 0, 0, 0])
        #expect(time.weekday == 4)
    }

    @Test func `the second before 1970 belongs to 1969`() {
        let time = CivilTime(unixSeconds: -1)
        #expect([time.year, time.month, time.day, time.hour, time.minute, time.second] == [1969, 12, 31, 23, 59, 59])
        #expect(time.weekday == 3)
    }

    @Test(arguments: [Int64.min, .min + 1, -62_167_219_201, .max - 1, .max])
    func `is total and keeps its seconds`(unixSeconds: Int64) {
        let time = CivilTime(unixSeconds: unixSeconds)
        #expect(time.unixSeconds == unixSeconds)
        #expect(1...12 ~= time.month && 1...31 ~= time.day && 0...6 ~= time.weekday)
        #expect(0...23 ~= time.hour && 0...59 ~= time.minute && 0...59 ~= time.second)
    }

    @Test func `four-digit years end where they say`() {
        let first = CivilTime(year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0)
        let last = CivilTime(year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59)
        #expect(first?.unixSeconds == CivilTime.fourDigitYears.lowerBound)
        #expect(last?.unixSeconds == CivilTime.fourDigitYears.upperBound)
        #expect(first?.weekday == 6)
        #expect(last?.weekday == 5)
    }

    @Test func `agrees with a calendar that counts day by day through eight centuries`() throws {
        let start = try #require(CivilTime(year: 1600, month: 1, day: 1, hour: 12, minute: 0, second: 0))
        var (seconds, weekday) = (start.unixSeconds, start.weekday)
        #expect(weekday == 6)
        for year in 1600..<2400 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, days) in zip(1..., [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
                for day in 1...days {
                    let time = CivilTime(unixSeconds: seconds)
                    let same = CivilTime(year: year, month: month, day: day, hour: 12, minute: 0, second: 0)
                    guard time == same, time.day == day, time.month == month, time.weekday == weekday else {
                        Issue.record("\(year)-\(month)-\(day) came out as \(time)")
                        return
                    }
                    (seconds, weekday) = (seconds + 86_400, (weekday + 1) % 7)
                }
            }
        }
    }

    @Test(arguments: [
        [2026, 2, 30, 0, 0, 0], [2025, 2, 29, 0, 0, 0], [1900, 2, 29, 0, 0, 0], [2026, 4, 31, 0, 0, 0],
        [2026, 0, 1, 0, 0, 0], [2026, 13, 1, 0, 0, 0], [2026, 1, 0, 0, 0, 0], [2026, 1, 32, 0, 0, 0],
        [2026, 1, 1, 24, 0, 0], [2026, 1, 1, 0, 60, 0], [2016, 12, 31, 23, 59, 60], [2026, 1, 1, -1, 0, 0],
        [-1, 1, 1, 0, 0, 0], [10_000, 1, 1, 0, 0, 0], [.max, .max, .max, .max, .max, .max], [.min, 1, 1, 0, 0, 0],
    ])
    func `refuses impossible dates`(f: [Int]) {
        #expect(CivilTime(year: f[0], month: f[1], day: f[2], hour: f[3], minute: f[4], second: f[5]) == nil)
    }

    @Test func `2000 was a leap year`() {
        #expect(CivilTime(year: 2000, month: 2, day: 29, hour: 0, minute: 0, second: 0)?.unixSeconds == 951_782_400)
    }
}

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Sat, 16 Dec 2023 16:20:57 GMT", 1_702_743_657),
        ("Thu, 17 Nov 2005 18:49:58 GMT", 1_132_253_398), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
    func `reads and writes an IMF-fixdate`(text: String, unixSeconds: Int64) {
        #expect(HTTPDate.parse(Array(text.utf8).span) == unixSeconds)
        #expect(HTTPDate.write(unixSeconds) == Array(text.utf8))
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
        "Mon, 06 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun,  6 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT ", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Wed, 30 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:60 GMT",
        "Sun, 06 Nov 1994 +8:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Now 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 08:49:37\u{0}GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, ０ Nov 1994 08:49:37 GMT",
    ])
    func `refuses every other form`(text: String) {
        #expect(HTTPDate.parse(Array(text.utf8).span) == nil)
    }

    @Test func `refuses every change of one byte that leaves the moment`() {
        let text = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)
        for position in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[position] {
                var changed = text
                changed[position] = byte
                guard let seconds = HTTPDate.parse(changed.span) else { continue }
                #expect(HTTPDate.write(seconds) == changed)
            }
        }
    }

    @Test func `writes the nearest four-digit year of moments beyond`() {
        #expect(HTTPDate.write(.max) == Array("Fri, 31 Dec 9999 23:59:59 GMT".utf8))
        #expect(HTTPDate.write(.min) == Array("Sat, 01 Jan 0000 00:00:00 GMT".utf8))
    }
}

@Suite struct ISO8601Tests {
    @Test(
        arguments: [
            ("2015-11-03T09:52:59Z", 1_446_544_379), ("2015-11-03T09:52:59.1Z", 1_446_544_379),
            ("2015-11-03T09:52:59.123456789+00:00", 1_446_544_379), ("2015-11-03T17:52:59+08:00", 1_446_544_379),
            ("2015-11-03T04:22:59.5-05:30", 1_446_544_379), ("2015-11-03T09:52:59", nil),
            ("2015-11-03T09:52:59.Z", nil),
            ("2015-11-03T09:52:59.1234567890Z", nil), ("2015-11-03T09:52:59+8:00", nil),
            ("2015-11-03T09:52:59+08:60", nil),
            ("2015-11-03T09:52:59+24:00", nil), ("2015-11-03T09:52:59*08:00", nil), ("2015-11-03T09:52:59ZZ", nil),
            ("2015-11-03 09:52:59Z", nil), ("2015-02-30T09:52:59Z", nil), ("", nil),
            ("2015-11-03T09:52:59+08:00Z", nil),
        ] as [(String, Int64?)])
    func `a moment of RFC 3339 may have a fraction and an offset`(text: String, unixSeconds: Int64?) {
        #expect(ISO8601.parseInternet(Array(text.utf8).span) == unixSeconds)
    }

    @Test(arguments: [
        ("2015-11-03T09:52:59Z", 1_446_544_379), ("1970-01-01T00:00:00Z", 0), ("0000-01-01T00:00:00Z", -62_167_219_200),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("2024-02-29T12:00:01Z", 1_709_208_001),
    ])
    func `reads and writes twenty bytes`(text: String, unixSeconds: Int64) {
        #expect(ISO8601.parse(Array(text.utf8).span) == unixSeconds)
        #expect(ISO8601.write(unixSeconds) == Array(text.utf8))
        #expect(ISO8601.write(unixSeconds).count == 20)
    }

    @Test(arguments: [
        "", "2015-11-03T09:52:59", "2015-11-03T09:52:59z", "2015-11-03t09:52:59Z", "2015-11-03 09:52:59Z",
        "2015-11-03T09:52:59.0Z", "2015-11-03T09:52:59+00:00", "2015-11-03T09:52:59Z ", "2026-02-30T00:00:00Z",
        "2015-11-03T24:00:00Z", "2016-12-31T23:59:60Z", "2015-13-03T09:52:59Z", "20151103T095259Z",
        "+015-11-03T09:52:59Z",
        "2015/11/03T09:52:59Z", "-001-11-03T09:52:59Z", "2015-1-003T09:52:59Z",
    ])
    func `refuses every other form`(text: String) {
        #expect(ISO8601.parse(Array(text.utf8).span) == nil)
    }

    @Test func `writes the nearest four-digit year of moments beyond`() {
        #expect(ISO8601.write(.max) == Array("9999-12-31T23:59:59Z".utf8))
        #expect(ISO8601.write(.min) == Array("0000-01-01T00:00:00Z".utf8))
    }

    @Test(arguments: [
        (1_700_000_000, "20231114T221320Z"), (0, "19700101T000000Z"), (-1, "19691231T235959Z"),
        (253_402_300_799, "99991231T235959Z"), (Int64.max, "99991231T235959Z"), (.min, "00000101T000000Z"),
    ])
    func `writes the basic format`(unixSeconds: Int64, text: String) {
        var out = ByteWriter(capacity: 0)
        ISO8601.writeBasic(unixSeconds, into: &out)
        #expect(out.array == Array(text.utf8))
    }

    @Test(arguments: [
        (1_700_000_000, "20231114T221320Z"), (0, "19700101T000000Z"), (-1, "19691231T235959Z"),
        (253_402_300_799, "99991231T235959Z"), (-62_167_219_200, "00000101T000000Z"),
        (1_709_208_001, "20240229T120001Z"),
    ])
    func `reads the basic format`(unixSeconds: Int64, text: String) {
        #expect(ISO8601.parseBasic(Array(text.utf8).span) == unixSeconds)
        #expect(ISO8601.parse(Array(text.utf8).span) == nil)
    }

    @Test(arguments: [
        "", "20231114", "20231114T221320", "20231114T221320z", "20231114t221320Z", "20231114 221320Z",
        "20231114T221320Z ", "2023-11-14T22:13:20Z", "20230229T000000Z", "20231114T240000Z", "20231114T235960Z",
        "20231314T000000Z", "20231100T000000Z", "+0231114T221320Z", "2023111 T221320Z", "020231114T221320Z",
    ])
    func `refuses every other form than the basic one`(text: String) {
        #expect(ISO8601.parseBasic(Array(text.utf8).span) == nil)
    }
}
