import Access

/// How a `SharedCache` treats the values of one kind: how long they are used, how many there are, who waits, and who may have
/// them fetched. Times in milliseconds where nothing else is said.
package struct CachePolicy: Sendable {
    /// How many keys are remembered, or fetched, at a time.
    package var capacity: Int
    /// Whether the value that was used least recently gives way to another key when the cache is full. If not, only what is of
    /// no use any more does.
    package var evictsUsefulValues = true
    /// Requests that may wait for one key, and of one client.
    package var waitersPerKey = Int.max
    /// Requests that may wait in all.
    package var waiters = Int.max
    /// How long a request may wait; nil where the fetch's own deadline says that.
    package var patience: Int64?
    /// How many fetches may begin for one client; nil for no bound.
    package var fetchesPerClient: Rate?
    /// After this a fetch that nobody reported is given up, so that a lost report blocks nothing for ever: longer than any
    /// fetch.
    package var fetchLease: Int64
    /// How long nothing is fetched after a fetch in vain.
    package var pause: Pause
    /// Whether a value that has come is posted to all loops, or to those alone that wait for it.
    package var isPublished = false

    /// Seconds that a value must have left to be served; a third of its life if that is less (R17).
    package var floor: Int64 = 0
    /// The same while the vendor fails.
    package var floorWhileFailing: Int64 = 0
    /// Seconds that a value with an end must have before it when it comes; one with less is a fault.
    package var leastLife: Int64 = 0
    /// Seconds that a value is believed to hold at most, whatever the vendor says.
    package var longestLife: Int64 = .max
    /// How long after its last failure the vendor is taken to be failing still.
    package var outageMemory: Int64 = 0

    /// - Parameters:
    ///   - capacity: how many keys are remembered at a time.
    ///   - limits: of the calls that fetch the values.
    package init(capacity: Int, pause: Pause, _ limits: UpstreamLimits) {
        self.capacity = capacity
        self.pause = pause
        fetchLease = limits.fetchLease
    }

    /// For temporary credentials, which end by a date and are served on while the vendor fails.
    package init(credentials limits: UpstreamLimits, fetchesPerClient: Rate? = nil) {
        self.init(
            capacity: limits.slots,
            pause: .byFault(
                first: limits.slotBackoff, most: limits.longestSlotBackoff, refusal: limits.refusalMemory), limits)
        waitersPerKey = limits.waitersPerSlot
        waiters = limits.waiters
        patience = limits.patience
        self.fetchesPerClient = fetchesPerClient
        floor = limits.floor
        floorWhileFailing = limits.floorWhileFailing
        leastLife = limits.leastLife
        longestLife = limits.longestLife
        outageMemory = limits.outageMemory
    }
}

/// How long a value that has come is used.
package enum Lifetime: Sendable {
    /// Until a date, which may be anything: it is refreshed at half of its life, by the stricter of both clocks.
    /// - Parameters:
    ///   - expiresAt: seconds since 1970, as the vendor says.
    ///   - issuedAt: seconds since 1970 by the vendor's clock, that is, the Date of its answer; ours if it gave none.
    ///   - longest: the seconds that were asked for; nil when none were.
    case dated(expiresAt: Int64, issuedAt: Int64, longest: Int64?)
    /// For `keep` milliseconds from when it came; refreshed after `refresh`.
    case fixed(refresh: Int64, keep: Int64)
}

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
        after fault: UpstreamFault, following failures: inout Int, at now: Now, random: UInt64
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
