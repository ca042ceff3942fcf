import Access

/// How a `SharedCache` treats the values of one kind: how long they are used, how many there are, who waits, and who may have
/// them fetched.
package struct CachePolicy: Sendable {
    /// How many keys are remembered and how many requests may wait, how much must be left of a value that ends by a date, and
    /// when a fetch that nobody reported is given up.
    package var limits: UpstreamLimits
    package var pause: Pause
    /// Whether the value that was used least recently gives way to another key when the cache is full. If not, only what is of
    /// no use any more does.
    package var evictsUsefulValues = true
    /// Whether a value that has come is posted to all loops, or to those alone that wait for it.
    package var isPublished = false
    /// How many fetches may begin for one client; nil for no bound.
    package var fetchesPerClient: Rate?
    /// How many milliseconds a request may wait; nil where the fetch's own deadline says that.
    package var patience: Int64?

    /// For temporary credentials, which end by a date and are served on while the vendor fails.
    package init(credentials limits: UpstreamLimits, fetchesPerClient: Rate? = nil) {
        self.limits = limits
        self.fetchesPerClient = fetchesPerClient
        pause = .byFault(first: limits.slotBackoff, most: limits.longestSlotBackoff, refusal: limits.refusalMemory)
        patience = limits.patience
    }

    /// For keys, which are used for a fixed time to its end.
    /// - Parameters:
    ///   - capacity: how many keys are remembered at a time.
    ///   - limits: of the calls that fetch them.
    package init(keys capacity: Int, pause: Pause, _ limits: UpstreamLimits) {
        self.limits = limits
        self.pause = pause
        self.limits.slots = capacity
        (self.limits.waiters, self.limits.waitersPerSlot) = (.max, .max)
        (self.limits.floor, self.limits.floorWhileFailing, self.limits.leastLife) = (0, 0, 0)
        self.limits.outageMemory = 0
    }
}
