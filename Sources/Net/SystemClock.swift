import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The machine's clocks.
package enum SystemClock {
    package static func now() -> Instant {
        Instant(unixSeconds: Int64(read(CLOCK_REALTIME).tv_sec), monotonic: monotonicMilliseconds())
    }

    static func monotonicMilliseconds() -> Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
