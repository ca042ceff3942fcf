/// Sums of times that stop at the ends of what a number holds: a vendor's date may be anything.
extension Int64 {
    func plus(_ other: Int64) -> Int64 {
        let (sum, overflowed) = addingReportingOverflow(other)
        return overflowed ? (other > 0 ? .max : .min) : sum
    }

    func minus(_ other: Int64) -> Int64 {
        let (difference, overflowed) = subtractingReportingOverflow(other)
        return overflowed ? (other < 0 ? .max : .min) : difference
    }

    /// The nearest number from `low` through `high`; `low` when they are the wrong way round.
    func clamped(from low: Int64, through high: Int64) -> Int64 { Swift.max(low, Swift.min(self, high)) }
}
