import Bytes
import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Tells what time it is: the machine's clocks, or a test's.
package typealias Clock = @Sendable () -> Instant

/// The machine's clocks.
package enum SystemClock {
    @Sendable package static func now() -> Instant {
        Instant(unixSeconds: Int64(read(CLOCK_REALTIME).tv_sec), nanoseconds: nanoseconds())
    }

    /// Of the monotonic clock.
    package static func nanoseconds() -> Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    static func monotonicMilliseconds() -> Int64 { nanoseconds() / 1_000_000 }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // Unsafe: a local that the system writes within the call.
        unsafe clock_gettime(clock, &time)
        return time
    }
}
