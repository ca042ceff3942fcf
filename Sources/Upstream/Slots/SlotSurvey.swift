/// What all slots of a table are at a moment, for metrics.
package struct SlotSurvey: Sendable {
    package static let states = ["empty", "waiting", "fresh", "stale", "refreshing", "failed"]

    /// Slots by the place of their state.
    package fileprivate(set) var counts = [Int](repeating: 0, count: states.count)
    /// Requests that wait.
    package let waiters: Int
    /// Seconds since the oldest credential that is held was asked for.
    package fileprivate(set) var oldest: Int64 = 0

    private static func place(of state: ExpiringSlot.State) -> Int {
        switch state {
        case .empty: 0
        case .waiting: 1
        case .fresh: 2
        case .stale: 3
        case .refreshing: 4
        case .failed: 5
        }
    }

    init(waiters: Int) { self.waiters = waiters }

    mutating func add(_ slot: ExpiringSlot, at now: Now, _ limits: UpstreamLimits) {
        counts[SlotSurvey.place(of: slot.state(at: now, limits: limits))] += 1
        if let age = slot.age(at: now) { oldest = max(oldest, age) }
    }
}
