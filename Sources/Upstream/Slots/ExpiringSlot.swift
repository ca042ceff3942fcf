/// The life of one credential that expires, and the call that fetches the next: at most one at a time. The credential
/// itself is with the table: what says when is the same for all of them, and compiled once.
///
/// It is refreshed at half of its life, so that a vendor's outage shorter than the other half is not noticed; how much is
/// left of it is judged by both clocks, the stricter one counting.
package struct ExpiringSlot: Sendable {
    /// What it is, for metrics.
    package enum State: Sendable, Equatable {
        case empty
        /// Nothing to serve, and a flight under way.
        case waiting
        case fresh
        /// Past half of its life, or served on while the vendor fails; no flight under way.
        case stale
        case refreshing
        /// Nothing to serve before this time; monotonic milliseconds.
        case failed(until: Int64)
    }

    /// What somebody who asks gets.
    package enum Answer: Sendable, Equatable {
        /// The credential that is held.
        case serve
        /// The same, and a flight is to begin.
        case serveAndRefresh
        /// Nothing yet; a flight is to begin.
        case start
        /// Nothing yet; a flight is under way.
        case wait
        case refuse(SlotRefusal)
    }

    /// What they get who waited.
    package enum Outcome: Sendable, Equatable {
        /// The credential that has come, and is held from now on.
        case replaced
        /// The one that was held before.
        case kept
        case refused(SlotRefusal)
    }

    private struct Held {
        /// Seconds since 1970.
        let expiresAt: Int64
        /// Milliseconds that it had before it at the beginning of its flight, at most.
        let life: Int64
        /// Monotonic milliseconds of the beginning of its flight.
        let since: Int64
        /// Milliseconds of its life after which it is refreshed.
        let refreshAfter: Int64

        /// Milliseconds left by the monotonic clock, which says for certain that it is over.
        func leftByMonotonic(at now: Int64) -> Int64 { life - max(0, now.minus(since)).clamped(from: 0, through: life) }

        /// Milliseconds left by the stricter of both clocks. A second less than they say, since dates and our wall clock
        /// are cut to whole ones.
        func left(at now: Now) -> Int64 {
            let byWall = expiresAt.minus(now.unixSeconds).clamped(from: 0, through: life / 1000 + 1) * 1000
            return min(byWall, leftByMonotonic(at: now.monotonic)) - 1000
        }

        func isDue(at now: Now) -> Bool { life - left(at: now) >= refreshAfter }

        /// Milliseconds that must be left of it: ten minutes, or a third of its life (R17).
        func floor(_ limits: UpstreamLimits) -> Int64 {
            min(limits.floor.clamped(from: 0, through: life) * 1000, (life + 2) / 3)
        }

        /// The same while the vendor fails.
        func floorWhileFailing(_ limits: UpstreamLimits) -> Int64 {
            min(limits.floorWhileFailing.clamped(from: 0, through: life) * 1000, floor(limits))
        }
    }

    private struct Flight { let number: UInt64, since: Int64 }
    private struct Failure { let fault: UpstreamFault, since: Int64, until: Int64 }

    private var held: Held?
    private var flight: Flight?
    private var failure: Failure?
    /// Failures in a row, of flights that were tried.
    private var failures = 0
    /// Monotonic milliseconds when the vendor was last seen failing; nil since it was last seen well.
    private var outage: Int64?

    package init() {}

    /// Seconds since the credential that is held was asked for; nil when none is.
    func age(at now: Now) -> Int64? { held.map { max(0, now.monotonic.minus($0.since)) / 1000 } }

    /// Whether nobody has been sent for a credential.
    var hasNoFlight: Bool { flight == nil }

    /// Asks for the credential.
    /// - Parameter number: what the flight is called if one is to be begun; never the same twice for a slot.
    package mutating func ask(at now: Now, flight number: UInt64, limits: UpstreamLimits) -> Answer {
        let isAway = hasFlight(at: now, limits)
        let pause = max(0, failure?.until.minus(now.monotonic) ?? 0)
        if let held, isServed(held, at: now, limits) {
            guard !isAway, pause == 0, held.isDue(at: now) else { return .serve }
            flight = Flight(number: number, since: now.monotonic)
            return .serveAndRefresh
        }
        if isAway { return .wait }
        if let failure, pause > 0 { return .refuse(SlotRefusal(.fault(failure.fault), wait: pause)) }
        flight = Flight(number: number, since: now.monotonic)
        return .start
    }

    /// The flight brought a credential.
    /// - Parameters:
    ///   - expiresAt: seconds since 1970, as the vendor says.
    ///   - issuedAt: seconds since 1970 by the vendor's clock, that is, the Date of its answer; ours if it gave none.
    ///   - longest: the seconds that were asked for; nil when none were.
    /// - Returns: what they get who waited; nil when this flight is not the slot's.
    package mutating func succeeded(
        _ number: UInt64, expiresAt: Int64, issuedAt: Int64, longest: Int64?, at now: Now, random: UInt64,
        limits: UpstreamLimits
    ) -> Outcome? {
        guard let flight, flight.number == number else { return nil }
        outage = nil
        let seconds = min(
            expiresAt.minus(issuedAt), expiresAt.minus(now.unixSeconds), longest ?? .max, limits.longestLife, Self.week)
        let life = max(0, seconds) * 1000
        let next = Held(
            expiresAt: expiresAt, life: life, since: flight.since,
            refreshAfter: random.spread(from: life / 2 - life / 40, through: life / 2 + life / 40))
        guard seconds >= limits.leastLife, isServed(next, at: now, limits) else {
            // What is held stays: it may have come before our clock jumped, and be served when that jumps back.
            return failed(number, with: .expired, at: now, random: random, limits: limits)
        }
        self.flight = nil
        failure = nil
        failures = 0
        held = next
        return .replaced
    }

    /// The flight brought none.
    /// - Returns: what they get who waited; nil when this flight is not the slot's.
    package mutating func failed(
        _ number: UInt64, with fault: UpstreamFault, at now: Now, random: UInt64, limits: UpstreamLimits
    ) -> Outcome? {
        guard flight?.number == number else { return nil }
        flight = nil
        if fault.isOutage { outage = now.monotonic }
        let pause: Int64
        switch fault {
        case .refused:
            // The vendor is there, and answers.
            outage = nil
            failures = 0
            pause = max(0, limits.refusalMemory)
        case .breakerOpen(let until), .overBudget(let until):
            pause = until.minus(now.monotonic).clamped(from: 0, through: UpstreamLimits.longestPause)
        case .network, .unavailable, .throttled, .malformed, .expired, .clockOff:
            failures = min(failures + 1, 100)
            let backoff = Backoff(first: limits.slotBackoff, most: limits.longestSlotBackoff)
            pause = backoff.wait(after: failures, random: random)
        }
        failure = Failure(fault: fault, since: now.monotonic, until: now.monotonic.plus(pause))
        if let held, isServed(held, at: now, limits) { return .kept }
        return .refused(SlotRefusal(.fault(fault), wait: pause))
    }

    /// The credential that is held is of no use any more, whatever its dates say.
    mutating func forget() { held = nil }

    /// The flight was not begun, and never will be.
    package mutating func withdrawn(_ number: UInt64) {
        if flight?.number == number { flight = nil }
    }

    /// What somebody gets who has waited as long as a request may: a vendor that is so slow is one that fails.
    package func unanswered(at now: Now, limits: UpstreamLimits) -> Outcome {
        if let held, held.left(at: now) >= held.floorWhileFailing(limits) { return .kept }
        return .refused(SlotRefusal(.slow))
    }

    package func state(at now: Now, limits: UpstreamLimits) -> State {
        let isAway = hasFlight(at: now, limits)
        if let held, isServed(held, at: now, limits) {
            return isAway ? .refreshing : held.isDue(at: now) ? .stale : .fresh
        }
        if isAway { return .waiting }
        if let failure, now.monotonic < failure.until { return .failed(until: failure.until) }
        return .empty
    }

    /// Whether nothing is lost with it: no flight, nothing that could be served again, and no failure worth remembering.
    /// The wall clock has no say here: when it jumps, and back, all is still there.
    func isSpent(at now: Now, _ limits: UpstreamLimits) -> Bool {
        if hasFlight(at: now, limits) { return false }
        if let held, held.leftByMonotonic(at: now.monotonic) >= held.floorWhileFailing(limits) { return false }
        guard let failure else { return true }
        return now.monotonic >= max(failure.until, failure.since.plus(limits.outageMemory))
    }

    private func hasFlight(at now: Now, _ limits: UpstreamLimits) -> Bool {
        guard let flight else { return false }
        return now.monotonic.minus(flight.since) < limits.flightLease
    }

    private func isServed(_ held: Held, at now: Now, _ limits: UpstreamLimits) -> Bool {
        let isFailing = outage.map { now.monotonic.minus($0) <= limits.outageMemory } ?? false
        return held.left(at: now) >= (isFailing ? held.floorWhileFailing(limits) : held.floor(limits))
    }

    private static var week: Int64 { 7 * 86_400 }
}
