/// A moment as calendar and clock show it in UTC: proleptic Gregorian, a year 0, no leap seconds (POSIX time).
package struct CivilTime: Sendable, Equatable {
    /// The moments that four-digit years can write: 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    package static let fourDigitYears: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Seconds since 1970-01-01T00:00:00Z. Kept, not recomputed: the way back from the fields could overflow.
    package let unixSeconds: Int64
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    /// 0 is Sunday.
    package let weekday: Int

    /// Exact for every `Int64`: nothing overflows, so nothing is clamped.
    package init(unixSeconds: Int64) {
        let (days, secondOfDay) = floorDivide(unixSeconds, 86_400)
        // Howard Hinnant's civil_from_days: years begin in March, so that the leap day is the last of its year.
        let (era, dayOfEra) = floorDivide(days + daysBeforeEpoch, daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9

        self.unixSeconds = unixSeconds
        self.year = Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))
        self.month = Int(month)
        self.day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        self.hour = Int(secondOfDay / 3_600)
        self.minute = Int(secondOfDay / 60 % 60)
        self.second = Int(secondOfDay % 60)
        self.weekday = Int(floorDivide(days + 4, 7).remainder)
    }

    /// The nearest moment that four-digit years can write.
    init(writing unixSeconds: Int64) {
        let years = Self.fourDigitYears
        self.init(unixSeconds: min(max(unixSeconds, years.lowerBound), years.upperBound))
    }

    /// Nil unless there is such a moment: years 0 to 9999, no 30 February, no hour 24, no second 60.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard 0...9_999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
        guard 0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second else { return nil }
        let yearFromMarch = Int64(month <= 2 ? year - 1 : year)
        let monthFromMarch = Int64(month <= 2 ? month + 9 : month - 3)
        let (era, yearOfEra) = floorDivide(yearFromMarch, 400)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * daysPerEra + dayOfEra - daysBeforeEpoch
        self.init(unixSeconds: days * 86_400 + Int64(hour * 3_600 + minute * 60 + second))
        // A day that the month does not have comes out as one of the next month.
        guard self.day == day else { return nil }
    }
}

/// Days in 400 years.
private let daysPerEra: Int64 = 146_097

/// Days from 0000-03-01 to 1970-01-01.
private let daysBeforeEpoch: Int64 = 719_468

private func floorDivide(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
