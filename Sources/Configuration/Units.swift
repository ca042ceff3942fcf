import Bytes

/// Lengths of time and amounts of bytes as they are written in the configuration.
enum Units {
    private static let durations: [(unit: String, factor: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    private static let sizes: [(unit: String, factor: Int64)] = [("B", 1), ("KiB", 1024), ("MiB", 1_048_576)]

    /// Milliseconds of `10s`, `500ms`, `15m`, `1h`, `7d`; nil for anything else.
    static func duration(_ text: [UInt8]) -> Int64? { read(text, durations) }

    /// Bytes of `512B`, `8KiB`, `1MiB`; nil for anything else.
    static func size(_ text: [UInt8]) -> Int64? { read(text, sizes) }

    /// A duration as a person would write it.
    static func describe(milliseconds: Int64) -> String {
        let best = durations.last { milliseconds % $0.factor == 0 && milliseconds >= $0.factor } ?? durations[0]
        return "\(milliseconds / best.factor)\(best.unit)"
    }

    /// A size as a person would write it.
    static func describe(bytes: Int64) -> String {
        let best = sizes.last { bytes % $0.factor == 0 && bytes >= $0.factor } ?? sizes[0]
        return "\(bytes / best.factor)\(best.unit)"
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
