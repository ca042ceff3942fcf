import Bytes

/// What all slots of a table are at a moment, for metrics.
package struct SlotSurvey: Sendable {
    /// What a slot is (`ExpiringSlot.State`).
    package enum State: String, Sendable, CaseIterable {
        case empty, waiting, fresh, stale, refreshing, failed

        fileprivate init(_ state: ExpiringSlot.State) {
            self =
                switch state {
                case .empty: .empty
                case .waiting: .waiting
                case .fresh: .fresh
                case .stale: .stale
                case .refreshing: .refreshing
                case .failed: .failed
                }
        }
    }

    private var counts: [State: Int] = [:]
    /// Requests that wait.
    package let waiters: Int
    /// Seconds since the oldest value that is held was asked for.
    package private(set) var oldest: Int64 = 0

    init(waiters: Int) { self.waiters = waiters }

    /// How many slots are so.
    package subscript(state: State) -> Int { counts[state, default: 0] }

    mutating func add(_ slot: ExpiringSlot, at now: Instant, _ policy: CachePolicy) {
        counts[State(slot.state(at: now, policy: policy)), default: 0] += 1
        if let age = slot.age(at: now) { oldest = max(oldest, age) }
    }
}
