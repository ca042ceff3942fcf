/// When something is to be fetched again that others may change at any time, and of which the last copy is kept meanwhile:
/// after a while, when somebody meets what is not in the copy, and soon after a failure. One flight at a time.
package struct Refresh: Sendable {
    /// Milliseconds from one success to the next flight.
    private let interval: Int64
    /// From one flight to the next that somebody wants, at least.
    private let pause: Int64
    private let backoff: Backoff
    /// After this a flight that nobody reported is given up.
    private let lease: Int64

    /// When the next flight is due, in monotonic milliseconds; the first at once.
    private var due: Int64 = .min
    /// When the flight under way began.
    private var flight: Int64?
    private var lastBegun: Int64?
    private var failures = 0

    package init(interval: Int64, limits: UpstreamLimits) {
        self.interval = interval
        pause = min(10_000, interval)
        backoff = Backoff(first: 1_000, most: 30_000)
        lease = limits.flightLease
    }

    /// When there is something to be done, though nobody asks.
    package var next: Int64 { flight?.plus(lease) ?? due }

    /// Whether a flight is to begin now; whoever is told so reports what becomes of it.
    package mutating func begins(at now: Int64) -> Bool {
        if let flight, now < flight.plus(lease) { return false }
        guard now >= due else { return false }
        flight = now
        lastBegun = now
        return true
    }

    /// Somebody needs what is not in the copy: the next flight is due now, unless the last has failed or began a moment ago.
    package mutating func want(at now: Int64) {
        guard flight == nil, now < due, let lastBegun, failures == 0, now >= lastBegun.plus(pause) else { return }
        due = now
    }

    package mutating func succeeded(at now: Int64) {
        (flight, failures) = (nil, 0)
        due = now.plus(interval)
    }

    package mutating func failed(at now: Int64, random: UInt64) {
        flight = nil
        failures += 1
        due = now.plus(min(interval, 250 + backoff.wait(after: failures, random: random)))
    }
}
