import Bytes

/// How long nothing is fetched for a key after a fetch in vain, in milliseconds.
package enum Pause: Sendable {
    /// As the fault says. A refusal is remembered for `refusal`; what was not tried, until it may be; after all other faults it is
    /// a random time through a bound that begins at `first` and doubles, up to `most`.
    case byFault(first: Int64, most: Int64, refusal: Int64)
    /// The same after every fault: one time where there is no value to serve, another where there is.
    case constant(empty: Int64, serving: Int64)
    /// 250 ms and a random time through a bound that begins at a second and doubles, up to half a minute; never more than `most`.
    case growing(most: Int64)

    /// - Parameter failures: how many there were in a row.
    func length(
        after fault: UpstreamFault, following failures: inout Int, at now: Instant, random: UInt64
    ) -> (empty: Int64, serving: Int64) {
        let pause: Int64
        switch (self, fault) {
        case (.constant(let empty, let serving), _): return (max(0, empty), max(0, serving))
        case (.growing(let most), _):
            failures = min(failures + 1, 100)
            pause = min(most, 250 + Backoff(first: 1_000, most: 30_000).wait(after: failures, random: random))
        case (.byFault(_, _, let refusal), .refused):
            failures = 0
            pause = max(0, refusal)
        case (.byFault, .breakerOpen(let until)), (.byFault, .overBudget(let until)):
            pause = until.minus(now.monotonic).clamped(from: 0, through: UpstreamLimits.longestPause)
        case (.byFault(let first, let most, _), _):
            failures = min(failures + 1, 100)
            pause = Backoff(first: first, most: most).wait(after: failures, random: random)
        }
        return (pause, pause)
    }
}
