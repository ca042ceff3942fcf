/// Times between two moments, for people.
package enum TimeSpan {
    /// The two largest units: `59 min 12 s`, `3 d 2 h`; `0 s` if the second moment is not later.
    package static func words(from start: Int64, to end: Int64) -> String {
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        let seconds = overflow ? (end > start ? Int64.max : 0) : max(0, difference)
        let units: [(String, Int64)] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
        var words = "\(seconds / units[first].1) \(units[first].0)"
        if first + 1 < units.count {
            let rest = seconds % units[first].1 / units[first + 1].1
            if rest > 0 { words += " \(rest) \(units[first + 1].0)" }
        }
        return words
    }
}
