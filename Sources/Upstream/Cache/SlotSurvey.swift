/// What all slots of a table are at a moment, for metrics.
package struct SlotSurvey: Sendable {
    /// The states of `ExpiringSlot`, without what they hold.
    package enum State: String, CaseIterable, Sendable {
        case empty, waiting, fresh, stale, refreshing, failed

        fileprivate var index: Int { State.allCases.firstIndex(of: self) ?? 0 }

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

    private var counts = [Int](repeating: 0, count: State.allCases.count)
    /// Requests that wait.
    package let waiters: Int
    /// Seconds since the oldest value that is held was asked for.
    package fileprivate(set) var oldest: Int64 = 0

    /// How many slots are in a state.
    package subscript(state: State) -> Int { counts[state.index] }

    init(waiters: Int) { self.waiters = waiters }

    mutating func add(_ slot: ExpiringSlot, at now: Now, _ policy: CachePolicy) {
        counts[State(slot.state(at: now, policy: policy)).index] += 1
        if let age = slot.age(at: now) { oldest = max(oldest, age) }
    }
}
