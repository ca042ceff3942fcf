/// How times are sorted into a histogram: the buckets' upper ends, the last without one, then the sum of all times.
package enum Histogram {
    /// Nanoseconds: from what a signature takes to what a vendor may.
    package static let bounds: [UInt64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000,
    ]
    /// How many counts of `Counters` it takes.
    package static let size = bounds.count + 2
    /// Where the sum is, in nanoseconds.
    static let sum = bounds.count + 1

    /// - Parameters:
    ///   - times: how many took the same time.
    ///   - base: where the histogram begins.
    package static func add(_ nanoseconds: UInt64, times: UInt64 = 1, to counters: Counters, at base: Int) {
        var bucket = 0
        while bucket < bounds.count, nanoseconds > bounds[bucket] { bucket += 1 }
        counters.add(times, at: base + bucket)
        counters.add(nanoseconds &* times, at: base + sum)
    }
}
