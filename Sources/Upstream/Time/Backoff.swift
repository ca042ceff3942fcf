/// How long to wait after failures: full jitter, that is, anything from nothing through a bound that doubles with each.
struct Backoff: Sendable {
    /// The bound after the first failure; milliseconds.
    let first: Int64
    /// The bound that is never exceeded; milliseconds.
    let most: Int64

    init(first: Int64, most: Int64) {
        self.first = first.clamped(from: 0, through: Backoff.day)
        self.most = most.clamped(from: 0, through: Backoff.day)
    }

    private static let day: Int64 = 86_400_000
    private static let mostDoublings = 20

    /// - Returns: milliseconds.
    func wait(after failures: Int, random: UInt64) -> Int64 {
        let doublings = max(0, min(failures - 1, Backoff.mostDoublings))
        return random.spread(from: 0, through: min(most, first << doublings))
    }
}

/// A random number put to use.
extension UInt64 {
    /// The number, even over all of its values, made even over `low` through `high`; `low` when they are the wrong way round.
    func spread(from low: Int64, through high: Int64) -> Int64 {
        guard low < high else { return low }
        let (steps, overflowed) = (UInt64(bitPattern: high) &- UInt64(bitPattern: low)).addingReportingOverflow(1)
        let offset = overflowed ? self : multipliedFullWidth(by: steps).high
        return Int64(bitPattern: UInt64(bitPattern: low) &+ offset)
    }
}
