import Bytes

/// All values of a cache, each with those who wait for it. Keys without a value take memory, too, so everything here has a bound.
package struct SlotTable<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    /// The end of a fetch: who waited for it, and what they get.
    package struct Completion: Sendable {
        /// The requests that waited, in the order of their coming. None of them waits any more.
        package let waiters: [UInt64]
        package let outcome: SlotOutcome<Value>
    }

    private let policy: CachePolicy
    private let capacity: Int
    private var indices: [Key: Int] = [:]
    private var entries: [SlotEntry] = []
    /// The key of each entry; nil for one that is free.
    private var keys: [Key?] = []
    /// The value of each entry.
    private var values: [Value?] = []
    private var free: [Int] = []
    private var waiters: Waiters
    /// Entries with neither fetch nor waiters, the least recently used first.
    private var idle = LinkedList()
    private var links = LinkedLists()
    private var fetches: UInt64 = 0
    /// Where `sweep` goes on.
    private var cursor = 0

    package init(_ policy: CachePolicy) {
        self.policy = policy
        capacity = max(1, policy.limits.slots)
        waiters = Waiters(most: policy.limits.waiters, perSlot: policy.limits.waitersPerSlot)
    }

    /// Values remembered, or being fetched.
    package var count: Int { indices.count }
    /// Entries that were ever needed at once.
    var entryCount: Int { entries.count }
    /// Requests that wait.
    package var waiterCount: Int { waiters.count }

    /// Asks for a value.
    ///
    /// With an outcome the waiter is forgotten at once. Without one, the waiter is in exactly one completion, unless
    /// `cancel` or `expire` takes it out before.
    /// - Parameters:
    ///   - waiter: whatever the caller knows the request by; one that waits already is refused. Nil where nobody waits.
    ///   - client: the caller's number; nil for the service itself. One client has no more waiters than a key may.
    ///   - refusal: what the client gets where a fetch would have to begin for it; nil where one may begin. What is held is
    ///     served and refreshed all the same.
    ///   - alwaysFits: whether the key is remembered beyond the capacity, too.
    package mutating func ask(
        _ key: Key, for waiter: UInt64?, of client: UInt64? = nil, insteadOfFetch refusal: SlotRefusal? = nil,
        alwaysFits: Bool = false, at now: Instant
    ) -> SlotReply<Value> {
        if let refusal, indices[key] == nil { return SlotReply(outcome: .refuse(refusal)) }
        guard let index = indices[key] ?? makeEntry(for: key, waiter, of: client, alwaysFits, at: now) else {
            let isFull = admits(waiter, of: client, to: LinkedList())
            return SlotReply(outcome: .refuse(SlotRefusal(isFull ? .full : .crowded)))
        }
        fetches &+= 1
        let answer = entries[index].slot.ask(at: now, fetch: fetches, policy: policy)
        let fetch = SlotFetch(index: index, number: fetches)
        defer { shelve(index) }
        switch answer {
        case .serve: return SlotReply(outcome: result(.kept, at: index))
        case .serveAndRefresh: return SlotReply(outcome: result(.kept, at: index), fetch: fetch)
        case .refuse(let refusal): return SlotReply(outcome: .refuse(refusal))
        case .start, .wait:
            let refusal = answer == .start ? refusal : nil
            guard refusal == nil, admits(waiter, of: client, to: entries[index].waiting) else {
                // A fetch that nobody waits for need not begin.
                if answer == .start { entries[index].slot.withdrawn(fetches) }
                return SlotReply(outcome: .refuse(refusal ?? SlotRefusal(.crowded)))
            }
            if let waiter { waiters.add(waiter, of: client, for: index, in: &entries[index].waiting) }
            return SlotReply(outcome: nil, fetch: answer == .start ? fetch : nil)
        }
    }

    private func admits(_ waiter: UInt64?, of client: UInt64?, to list: LinkedList) -> Bool {
        waiter.map { waiters.admits($0, of: client, to: list) } ?? true
    }

    /// The fetch is over.
    /// - Returns: nil when the fetch is not known (any more).
    package mutating func landed(
        _ fetch: SlotFetch, with result: SlotResult<Value>, at now: Instant, random: UInt64
    ) -> Completion? {
        guard entries.indices.contains(fetch.index) else { return nil }
        let outcome: ExpiringSlot.Outcome?
        switch result {
        case .success((let value, let lifetime)):
            outcome = entries[fetch.index].slot.succeeded(
                fetch.number, for: lifetime, at: now, random: random, policy: policy)
            if outcome == .replaced { values[fetch.index] = value }
        case .failure(let fault):
            outcome = entries[fetch.index].slot.failed(
                fetch.number, with: fault, at: now, random: random, policy: policy)
        }
        return outcome.map { complete(fetch.index, $0) }
    }

    /// The value that came last, of use or not; nil when none has come, or the key is not remembered.
    package func value(of key: Key) -> Value? { indices[key].flatMap { values[$0] } }

    /// When a key's value is to be fetched though nobody asks, in monotonic milliseconds.
    package func due(_ key: Key) -> Int64 { indices[key].map { entries[$0].slot.due(policy) } ?? .min }

    /// A request needs a part that a key's value does not have (`ExpiringSlot.want`).
    package mutating func want(_ key: Key, at now: Instant, pause: Int64) {
        if let index = indices[key] { entries[index].slot.want(at: now, pause: pause) }
    }

    /// Nobody waits there any more: the connection has closed.
    /// - Returns: whether it waited.
    @discardableResult
    package mutating func cancel(_ waiter: UInt64) -> Bool {
        guard let index = waiters.slot(of: waiter) else { return false }
        waiters.remove(waiter, from: &entries[index].waiting)
        return true
    }

    /// It has waited as long as a request may (`UpstreamLimits.patience`); the fetch goes on.
    /// - Returns: what it gets; nil when it did not wait.
    package mutating func expire(_ waiter: UInt64, at now: Instant) -> SlotOutcome<Value>? {
        guard let index = waiters.slot(of: waiter), cancel(waiter) else { return nil }
        return result(entries[index].slot.unanswered(at: now, policy: policy), at: index)
    }

    /// The remembered value is not served again; a fetch under way goes on, and its waiters wait.
    package mutating func forget(_ key: Key) {
        guard let index = indices[key] else { return }
        entries[index].slot.forget()
        values[index] = nil
    }

    /// What a slot is, for metrics and tests.
    package func state(of key: Key, at now: Instant) -> ExpiringSlot.State {
        indices[key].map { entries[$0].slot.state(at: now, policy: policy) } ?? .empty
    }

    /// What all of them are; looks at each.
    package func survey(at now: Instant) -> SlotSurvey {
        var survey = SlotSurvey(waiters: waiters.count)
        for (index, entry) in entries.enumerated() where keys[index] != nil { survey.add(entry.slot, at: now, policy) }
        return survey
    }

    /// Drops values that have ended, so that no dead credential stays in memory. Call it now and then; it goes on
    /// where it stopped.
    /// - Parameter most: how many entries are looked at.
    package mutating func sweep(at now: Instant, atMost most: Int) {
        for _ in 0..<max(0, min(most, entries.count)) {
            cursor = cursor + 1 < entries.count ? cursor + 1 : 0
            let entry = entries[cursor]
            if keys[cursor] != nil, entry.waiting.count == 0, entry.slot.isSpent(at: now, policy) { drop(cursor) }
        }
    }

    private mutating func complete(_ index: Int, _ outcome: ExpiringSlot.Outcome) -> Completion {
        let waiting = waiters.removeAll(from: &entries[index].waiting)
        shelve(index)
        return Completion(waiters: waiting, outcome: result(outcome, at: index))
    }

    private func result(_ outcome: ExpiringSlot.Outcome, at index: Int) -> SlotOutcome<Value> {
        if case .refused(let refusal) = outcome { return .refuse(refusal) }
        // What is served is held.
        return values[index].map { .serve($0) } ?? .refuse(SlotRefusal(.slow))
    }

    /// - Returns: nil when the waiter has no room, or no entry can be spared.
    private mutating func makeEntry(
        for key: Key, _ waiter: UInt64?, of client: UInt64?, _ alwaysFits: Bool, at now: Instant
    ) -> Int? {
        guard admits(waiter, of: client, to: LinkedList()) else { return nil }
        if indices.count >= capacity { sweep(at: now, atMost: policy.evictsUsefulValues ? 8 : .max) }
        if indices.count >= capacity, !alwaysFits {
            guard policy.evictsUsefulValues, idle.first != LinkedLists.none else { return nil }
            drop(idle.first)
        }
        let index: Int
        if let left = free.popLast() {
            index = left
        } else {
            index = entries.count
            entries.append(SlotEntry())
            keys.append(nil)
            values.append(nil)
            links.add()
        }
        keys[index] = key
        indices[key] = index
        return index
    }

    private mutating func drop(_ index: Int) {
        if entries[index].isIdle { links.remove(index, from: &idle) }
        if let key = keys[index] { indices[key] = nil }
        entries[index] = SlotEntry()
        keys[index] = nil
        values[index] = nil
        free.append(index)
    }

    /// Puts an entry where it belongs after it was used: last among the idle, or not among them.
    private mutating func shelve(_ index: Int) {
        if entries[index].isIdle { links.remove(index, from: &idle) }
        let isIdle = entries[index].slot.hasNoFetch && entries[index].waiting.count == 0
        entries[index].isIdle = isIdle
        if isIdle { links.append(index, to: &idle) }
    }
}

/// One entry of the table but for its key and its value. It is the same for all kinds of them, so that looking at it costs no
/// generic code.
private struct SlotEntry {
    var slot = ExpiringSlot()
    var waiting = LinkedList()
    /// Whether it is among the idle, who may be evicted.
    var isIdle = false
}
