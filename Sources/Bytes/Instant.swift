/// When something happens, by both clocks: read once for every batch of events, and passed to every function that needs the time.
package struct Instant: Sendable {
    /// Seconds since 1970, UTC; may jump.
    package let unixSeconds: Int64
    /// Since some fixed moment; never goes back.
    package let nanoseconds: Int64

    package init(unixSeconds: Int64, nanoseconds: Int64) {
        self.unixSeconds = unixSeconds
        self.nanoseconds = nanoseconds
    }

    /// - Parameter monotonic: milliseconds; what nanoseconds cannot say is the end of time.
    package init(unixSeconds: Int64, monotonic: Int64) {
        let (product, isTooLarge) = monotonic.multipliedReportingOverflow(by: 1_000_000)
        self.init(unixSeconds: unixSeconds, nanoseconds: isTooLarge ? monotonic < 0 ? .min : .max : product)
    }

    /// Milliseconds of `nanoseconds`.
    package var monotonic: Int64 { nanoseconds / 1_000_000 }
}
