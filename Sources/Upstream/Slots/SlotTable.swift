/// All credentials that are remembered, each with those who wait for it. What is asked for in vain costs memory, so
/// everything here has a bound.
package struct SlotTable<Value: Sendable>: ~Copyable {
    /// What a flight's report leads to.
    package struct Settlement: Sendable {
        /// Who waited, in the order of their coming. Nobody of them waits any more.
        package let waiters: [UInt64]
        package let outcome: SlotOutcome<Value>
    }

    private let limits: UpstreamLimits
    private let capacity: Int
    private var places: [SlotKey: Int] = [:]
    private var entries: [SlotEntry] = []
    /// The credential of each place.
    private var values: [Value?] = []
    private var free: [Int] = []
    private var waiters: Waiters
    /// Places with neither flight nor waiters, the least recently used first.
    private var idle = Chain()
    private var links = Links()
    private var flights: UInt64 = 0
    /// Where `sweep` goes on.
    private var cursor = 0

    package init(limits: UpstreamLimits = UpstreamLimits()) {
        self.limits = limits
        capacity = max(1, limits.slots)
        waiters = Waiters(most: limits.waiters, perSlot: limits.waitersPerSlot)
    }

    /// Credentials remembered, or being fetched.
    package var count: Int { places.count }
    /// Places that were ever needed at once.
    var placeCount: Int { entries.count }
    /// Requests that wait.
    package var waiterCount: Int { waiters.count }

    /// Asks for a credential.
    ///
    /// Unless the answer is `start` or `wait`, the waiter is forgotten at once. If it is, the waiter comes back in exactly one
    /// settlement, unless `cancel` or `expire` takes it out before.
    /// - Parameters:
    ///   - waiter: whatever the caller knows the request by; one that waits already is refused.
    ///   - client: who asks, by a number of its own; nil for the service itself. One client has no more waiters than a slot may.
    ///   - refusal: what the client gets where a flight would have to begin for it; nil where one may begin. What is held is
    ///     served and refreshed all the same.
    package mutating func ask(
        _ key: SlotKey, for waiter: UInt64, of client: UInt64? = nil, insteadOfFlight refusal: SlotRefusal? = nil,
        at now: Now
    ) -> SlotAnswer<Value> {
        if let refusal, places[key] == nil { return .refuse(refusal) }
        guard let place = places[key] ?? makePlace(for: key, waiter, of: client, at: now) else {
            let isFull = waiters.admits(waiter, of: client, to: Chain())
            return .refuse(SlotRefusal(isFull ? .full : .crowded))
        }
        flights &+= 1
        let answer = entries[place].slot.ask(at: now, flight: flights, limits: limits)
        let flight = SlotFlight(key: key, number: flights)
        switch answer {
        case .serve, .serveAndRefresh:
            shelve(place)
            // What is served is held.
            guard let value = values[place] else { return .refuse(SlotRefusal(.slow)) }
            return answer == .serve ? .serve(value) : .serveAndRefresh(value, flight)
        case .refuse(let refusal):
            shelve(place)
            return .refuse(refusal)
        case .start, .wait:
            let isRefused = refusal != nil && answer == .start
            let isSeated = !isRefused && waiters.admits(waiter, of: client, to: entries[place].waiting)
            if isSeated {
                waiters.seat(waiter, of: client, for: place, in: &entries[place].waiting)
            } else if answer == .start {
                // A flight that nobody waits for need not begin.
                entries[place].slot.withdrawn(flights)
            }
            shelve(place)
            if let refusal, isRefused { return .refuse(refusal) }
            guard isSeated else { return .refuse(SlotRefusal(.crowded)) }
            return answer == .start ? .start(flight) : .wait
        }
    }

    /// The flight brought a credential.
    /// - Parameters:
    ///   - expiresAt: seconds since 1970, as the vendor says.
    ///   - issuedAt: seconds since 1970 by the vendor's clock, that is, the Date of its answer; ours if it gave none.
    ///   - longest: the seconds that were asked for; nil when none were.
    /// - Returns: nil when the flight is not known (any more).
    package mutating func succeeded(
        _ flight: SlotFlight, with value: Value, expiresAt: Int64, issuedAt: Int64, longest: Int64?, at now: Now,
        random: UInt64
    ) -> Settlement? {
        guard let place = places[flight.key],
            let outcome = entries[place].slot.succeeded(
                flight.number, expiresAt: expiresAt, issuedAt: issuedAt, longest: longest, at: now,
                random: random, limits: limits)
        else { return nil }
        if outcome == .replaced { values[place] = value }
        return settle(place, outcome)
    }

    /// The flight brought none.
    /// - Returns: nil when the flight is not known (any more).
    package mutating func failed(
        _ flight: SlotFlight, with fault: UpstreamFault, at now: Now, random: UInt64
    ) -> Settlement? {
        guard let place = places[flight.key],
            let outcome = entries[place].slot.failed(
                flight.number, with: fault, at: now, random: random, limits: limits)
        else { return nil }
        return settle(place, outcome)
    }

    /// Nobody waits there any more: the connection has closed.
    /// - Returns: whether it waited.
    @discardableResult
    package mutating func cancel(_ waiter: UInt64) -> Bool {
        guard let place = waiters.slot(of: waiter) else { return false }
        waiters.remove(waiter, from: &entries[place].waiting)
        return true
    }

    /// It has waited as long as a request may (`UpstreamLimits.patience`); the flight goes on.
    /// - Returns: what it gets; nil when it did not wait.
    package mutating func expire(_ waiter: UInt64, at now: Now) -> SlotOutcome<Value>? {
        guard let place = waiters.slot(of: waiter), cancel(waiter) else { return nil }
        return result(entries[place].slot.unanswered(at: now, limits: limits), at: place)
    }

    /// What is remembered is not served again; a flight under way goes on, and its waiters wait.
    package mutating func forget(_ key: SlotKey) {
        guard let place = places[key] else { return }
        entries[place].slot.forget()
        values[place] = nil
    }

    /// What a slot is, for metrics and tests.
    package func state(of key: SlotKey, at now: Now) -> ExpiringSlot.State {
        places[key].map { entries[$0].slot.state(at: now, limits: limits) } ?? .empty
    }

    /// What all of them are; looks at each.
    package func survey(at now: Now) -> SlotSurvey {
        var survey = SlotSurvey(waiters: waiters.count)
        for entry in entries where entry.key != nil { survey.add(entry.slot, at: now, limits) }
        return survey
    }

    /// Lets go of what is of no use any more, so that no dead credential stays in memory. Call it now and then; it goes on
    /// where it stopped.
    /// - Parameter most: how many places are looked at.
    package mutating func sweep(at now: Now, atMost most: Int) {
        for _ in 0..<max(0, min(most, entries.count)) {
            cursor = cursor + 1 < entries.count ? cursor + 1 : 0
            let entry = entries[cursor]
            if entry.key != nil, entry.waiting.count == 0, entry.slot.isSpent(at: now, limits) { drop(cursor) }
        }
    }

    private mutating func settle(_ place: Int, _ outcome: ExpiringSlot.Outcome) -> Settlement {
        let waiting = waiters.removeAll(from: &entries[place].waiting)
        shelve(place)
        return Settlement(waiters: waiting, outcome: result(outcome, at: place))
    }

    private func result(_ outcome: ExpiringSlot.Outcome, at place: Int) -> SlotOutcome<Value> {
        if case .refused(let refusal) = outcome { return .refuse(refusal) }
        // What is served is held.
        return values[place].map { .serve($0) } ?? .refuse(SlotRefusal(.slow))
    }

    /// - Returns: nil when the waiter has no room, or no slot can be spared.
    private mutating func makePlace(
        for key: SlotKey, _ waiter: UInt64, of client: UInt64?, at now: Now
    ) -> Int? {
        guard waiters.admits(waiter, of: client, to: Chain()) else { return nil }
        if places.count >= capacity { sweep(at: now, atMost: 8) }
        if places.count >= capacity {
            guard idle.first != Links.none else { return nil }
            drop(idle.first)
        }
        let place: Int
        if let left = free.popLast() {
            place = left
        } else {
            place = entries.count
            entries.append(SlotEntry())
            values.append(nil)
            links.addPlace()
        }
        entries[place].key = key
        places[key] = place
        return place
    }

    private mutating func drop(_ place: Int) {
        if entries[place].isIdle { links.remove(place, from: &idle) }
        if let key = entries[place].key { places[key] = nil }
        entries[place] = SlotEntry()
        values[place] = nil
        free.append(place)
    }

    /// Puts a place where it belongs after it was used: last among the idle, or not among them.
    private mutating func shelve(_ place: Int) {
        if entries[place].isIdle { links.remove(place, from: &idle) }
        let isIdle = entries[place].slot.hasNoFlight && entries[place].waiting.count == 0
        entries[place].isIdle = isIdle
        if isIdle { links.append(place, to: &idle) }
    }
}

/// One place of the table but for its credential. It is the same for all kinds of them, so that looking at it costs no
/// generic code.
private struct SlotEntry {
    /// Nil for a place that is free.
    var key: SlotKey?
    var slot = ExpiringSlot()
    var waiting = Chain()
    /// Whether it is among the idle, who may be evicted.
    var isIdle = false
}
