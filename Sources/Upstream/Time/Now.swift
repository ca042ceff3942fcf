import HTTP

/// When a credential is asked for or comes: both clocks, read together.
package struct Now: Sendable {
    /// Seconds since 1970, UTC; may jump.
    package let unixSeconds: Int64
    /// Milliseconds since some fixed moment; never goes back.
    package let monotonic: Int64

    package init(unixSeconds: Int64, monotonic: Int64) {
        self.unixSeconds = unixSeconds
        self.monotonic = monotonic
    }
}

extension Now {
    package init(_ instant: Instant) { self.init(unixSeconds: instant.unixSeconds, monotonic: instant.monotonic) }
}
