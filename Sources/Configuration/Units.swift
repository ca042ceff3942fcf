import Access
import Bytes

/// Lengths of time and amounts of bytes as they are written in the configuration.
package enum Units {
    private static let durations: [(unit: String, factor: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    private static let rates: [(unit: String, period: Int64)] = [
        ("s", 1000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    private static let sizes: [(unit: String, factor: Int64)] = [
        ("B", 1), ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
        ("TiB", 1_099_511_627_776),
    ]

    /// Milliseconds of `10s`, `500ms`, `15m`, `1h`, `7d`; nil for anything else.
    package static func duration(_ text: [UInt8]) -> Int64? { read(text, durations) }

    /// Days of `7d`; nil for anything else.
    static func days(_ text: [UInt8]) -> Int64? { read(text, [("d", 1)]) }

    /// Bytes of `512B`, `8KiB`, `1MiB`, `5GiB`, `1TiB`; nil for anything else.
    static func size(_ text: [UInt8]) -> Int64? { read(text, sizes) }

    /// Rates such as `60/min`; nil for anything else.
    static func rate(_ text: [UInt8]) -> Rate? {
        guard let slash = text.firstIndex(of: UInt8(ascii: "/")),
            let count = Decimal.parse(Array(text[..<slash]).span),
            let unit = rates.first(where: { $0.unit.utf8.elementsEqual(text[(slash + 1)...]) })
        else { return nil }
        return Rate(count, in: unit.period)
    }

    /// Whether a duration has a part of a second where whole ones are counted: where it may not be shorter than one.
    static func isSplit(_ milliseconds: Int64, within bounds: ClosedRange<Int64>) -> Bool {
        bounds.lowerBound >= 1000 && milliseconds % 1000 != 0
    }

    // MARK: For people

    static func describe(_ bounds: ClosedRange<Int64>) -> String {
        if bounds.lowerBound == bounds.upperBound { return "\(bounds.lowerBound)" }
        if bounds.upperBound == .max { return "a whole number, at least \(bounds.lowerBound)" }
        return "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    }

    package static func describe(durations bounds: ClosedRange<Int64>) -> String {
        let whole = bounds.lowerBound >= 1000 ? "in whole seconds, " : ""
        let (least, most) = ends(durations: bounds)
        return "a duration such as \"10s\", \"15m\" or \"1h\", \(whole)from \(least) to \(most)"
    }

    static func describe(days bounds: ClosedRange<Int64>) -> String {
        "whole days such as \"30d\" or a number of days, from \(bounds.lowerBound) to \(bounds.upperBound)"
    }

    static func describe(sizes bounds: ClosedRange<Int64>) -> String {
        "a size such as \"8KiB\" or a number of bytes, \(range(ofSizes: bounds, from: "from "))"
    }

    /// What to write instead of `2MB` or `512k`; empty for what is no such size.
    static func hint(forSize text: [UInt8]?) -> String {
        guard let text else { return "" }
        let digits = text.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        let unit = text[digits.count...].map(\.lowercasedASCII)
        guard !digits.isEmpty,
            let meant = sizes.dropFirst().map(\.unit).first(where: { name in
                let letters = name.utf8.map(\.lowercasedASCII)
                return [letters, [letters[0]], [letters[0], UInt8(ascii: "b")]].contains(unit)
            })
        else { return "" }
        return "; units are powers of 1024: write \"\(Array(digits).text)\(meant)\""
    }

    /// `60/min`; in the shortest time in which so many make up the rate.
    static func describe(rate: Rate) -> String {
        let unit = rates.first { Rate(rate.count, in: $0.period) == rate }?.unit ?? ""
        return "\(rate.count)/\(unit)"
    }

    static var rateForm: String {
        let counts = Rate.counts
        return "a rate such as \"60/min\", from \(counts.lowerBound) to \(counts.upperBound) per s, min, h or d"
    }

    static func ends(durations bounds: ClosedRange<Int64>) -> (least: String, most: String) {
        (describe(bounds.lowerBound, durations), describe(bounds.upperBound, durations))
    }

    /// `512B to 1MiB`, or `at least 1B`.
    /// - Parameter word: what begins a range that has an end.
    static func range(ofSizes bounds: ClosedRange<Int64>, from word: String = "") -> String {
        let least = describe(size: bounds.lowerBound)
        return bounds.upperBound == .max
            ? "at least \(least)" : "\(word)\(least) to \(describe(size: bounds.upperBound))"
    }

    package static func describe(duration milliseconds: Int64) -> String { describe(milliseconds, durations) }

    static func describe(size bytes: Int64) -> String { describe(bytes, sizes) }

    private static func describe(_ amount: Int64, _ units: [(unit: String, factor: Int64)]) -> String {
        let best = units.last { amount % $0.factor == 0 && amount >= $0.factor } ?? units[0]
        return "\(amount / best.factor)\(best.unit)"
    }

    private static func read(_ text: [UInt8], _ units: [(unit: String, factor: Int64)]) -> Int64? {
        let digits = text.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard let number = Decimal.parse(Array(digits).span),
            let unit = units.first(where: { $0.unit.utf8.elementsEqual(text[digits.count...]) })
        else { return nil }
        let (value, overflowed) = number.multipliedReportingOverflow(by: unit.factor)
        return overflowed ? nil : value
    }
}
