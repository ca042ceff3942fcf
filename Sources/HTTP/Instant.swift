/// When something happens: both clocks, read once for every batch of events.
package struct Instant: Sendable {
    /// Seconds since 1970, UTC; may jump.
    package let unixSeconds: Int64
    /// Since some fixed moment; never goes back.
    package let nanoseconds: Int64

    package init(unixSeconds: Int64, nanoseconds: Int64) {
        self.unixSeconds = unixSeconds
        self.nanoseconds = nanoseconds
    }

    /// - Parameter monotonic: milliseconds.
    package init(unixSeconds: Int64, monotonic: Int64) {
        self.init(unixSeconds: unixSeconds, nanoseconds: monotonic * 1_000_000)
    }

    /// Milliseconds of `nanoseconds`.
    package var monotonic: Int64 { nanoseconds / 1_000_000 }
}
