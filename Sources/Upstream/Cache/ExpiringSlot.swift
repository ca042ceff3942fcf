import Bytes

/// The life of one cached value, and the fetch of the next: at most one at a time. The value itself is with the table: what
/// says when is the same for all kinds of values, and compiled once.
///
/// It is refreshed ahead, so that a vendor's outage that is shorter than what is left of it is not noticed. Where it ends by a
/// date, how much is left is judged by both clocks, and the stricter one counts.
package struct ExpiringSlot: Sendable {
    /// What it is, for metrics.
    package enum State: Sendable, Equatable {
        case empty
        /// Nothing to serve, and a fetch under way.
        case waiting
        case fresh
        /// Past half of its life, or served on while the vendor fails; no fetch under way.
        case stale
        case refreshing
        /// Nothing to serve before this time; monotonic milliseconds.
        case failed(until: Int64)
    }

    /// What a request gets.
    package enum Answer: Sendable, Equatable {
        /// The value that is held.
        case serve
        /// The same, and a fetch is to begin.
        case serveAndRefresh
        /// Nothing yet; a fetch is to begin.
        case start
        /// Nothing yet; a fetch is under way.
        case wait
        case refuse(SlotRefusal)
    }

    /// What they get who waited.
    package enum Outcome: Sendable, Equatable {
        /// The value that has come, and is held from now on.
        case replaced
        /// The one that was held before.
        case kept
        case refused(SlotRefusal)
    }

    private struct Held {
        /// Seconds since 1970; nil where the monotonic clock alone says when it ends.
        let expiresAt: Int64?
        /// Milliseconds that it had before it at `since`, at most.
        let life: Int64
        /// Monotonic milliseconds: the beginning of its fetch where it ends by a date, else when it came.
        let since: Int64
        /// Monotonic milliseconds of the beginning of its fetch.
        let begun: Int64
        /// Milliseconds of its life after which it is refreshed.
        var refreshAfter: Int64
        /// Milliseconds that are taken off what the clocks say is left.
        let spare: Int64

        /// - Returns: nil when it has ended, or nearly, when it comes.
        init?(_ lifetime: Lifetime, of fetch: Fetch, at now: Instant, random: UInt64, _ policy: CachePolicy) {
            begun = fetch.since
            switch lifetime {
            case .dated(let end, let issuedAt, let longest):
                let seconds = min(
                    end.minus(issuedAt), end.minus(now.unixSeconds), longest ?? .max, policy.limits.longestLife,
                    Self.week)
                guard seconds >= policy.limits.leastLife else { return nil }
                expiresAt = end
                life = max(0, seconds) * 1000
                since = fetch.since
                refreshAfter = random.spread(from: life / 2 - life / 40, through: life / 2 + life / 40)
                // Dates and our wall clock are cut to whole seconds.
                spare = 1000
            case .fixed(let refresh, let keep):
                expiresAt = nil
                life = keep.clamped(from: 0, through: Self.century)
                since = now.monotonic
                refreshAfter = refresh.clamped(from: 0, through: Self.century) + 1
                // It is over when all of its time has passed.
                spare = 1
            }
        }

        private static var week: Int64 { 7 * 86_400 }
        private static var century: Int64 { 36_525 * 86_400_000 }

        /// Milliseconds left by the monotonic clock, which says for certain that it is over.
        func leftByMonotonic(at now: Int64) -> Int64 {
            life - max(0, now.minus(since)).clamped(from: 0, through: life) - spare
        }

        /// Milliseconds left by the stricter of both clocks.
        func left(at now: Instant) -> Int64 {
            let left = leftByMonotonic(at: now.monotonic)
            guard let expiresAt else { return left }
            let byWall = expiresAt.minus(now.unixSeconds).clamped(from: 0, through: life / 1000 + 1) * 1000
            return min(byWall - spare, left)
        }

        func isDue(at now: Instant) -> Bool { life - left(at: now) >= refreshAfter }

        /// When it is to be fetched again by the monotonic clock.
        var due: Int64 { since.plus(refreshAfter - spare) }

        /// Milliseconds that must be left of it: the policy's floor, or a third of its life (R17).
        func floor(_ policy: CachePolicy) -> Int64 {
            min(policy.limits.floor.clamped(from: 0, through: life) * 1000, (life + 2) / 3)
        }

        /// The same while the vendor fails.
        func floorWhileFailing(_ policy: CachePolicy) -> Int64 {
            min(policy.limits.floorWhileFailing.clamped(from: 0, through: life) * 1000, floor(policy))
        }
    }

    private struct Fetch { let number: UInt64, since: Int64 }

    private struct Failure {
        let fault: UpstreamFault
        let since: Int64
        /// Monotonic milliseconds until which nothing is fetched.
        let until: Int64
        /// The same while there is a value to serve.
        let untilWhileServing: Int64
    }

    private var held: Held?
    private var fetch: Fetch?
    private var failure: Failure?
    /// Failures in a row, of fetches that were tried.
    private var failures = 0
    /// Monotonic milliseconds when the vendor was last seen failing; nil since it was last seen well.
    private var outage: Int64?

    package init() {}

    /// Seconds since the value that is held was asked for; nil when none is.
    func age(at now: Instant) -> Int64? { held.map { max(0, now.monotonic.minus($0.since)) / 1000 } }

    /// Whether nothing is being fetched.
    var hasNoFetch: Bool { fetch == nil }

    /// When it is to be fetched though nobody asks, in monotonic milliseconds.
    func due(_ policy: CachePolicy) -> Int64 {
        if let fetch { return fetch.since.plus(policy.limits.fetchLease) }
        return failure?.untilWhileServing ?? held?.due ?? .min
    }

    /// A request needs a part that the held value does not have: the next fetch is due now, unless the last has failed or began
    /// less than `pause` milliseconds ago.
    mutating func want(at now: Instant, pause: Int64) {
        guard fetch == nil, failure == nil, var held, now.monotonic < held.due,
            now.monotonic >= held.begun.plus(pause)
        else { return }
        held.refreshAfter = max(0, now.monotonic.minus(held.since)).plus(held.spare)
        self.held = held
    }

    /// Asks for the value.
    /// - Parameter number: of the fetch, if one is to begin; never the same twice for a slot.
    package mutating func ask(at now: Instant, fetch number: UInt64, policy: CachePolicy) -> Answer {
        let isAway = hasFetch(at: now, policy)
        if let held, isServed(held, at: now, policy) {
            let isPausing = failure.map { now.monotonic < $0.untilWhileServing } ?? false
            guard !isAway, !isPausing, held.isDue(at: now) else { return .serve }
            fetch = Fetch(number: number, since: now.monotonic)
            return .serveAndRefresh
        }
        if isAway { return .wait }
        if let failure, now.monotonic < failure.until {
            return .refuse(SlotRefusal(.fault(failure.fault), wait: failure.until.minus(now.monotonic)))
        }
        fetch = Fetch(number: number, since: now.monotonic)
        return .start
    }

    /// The fetch brought a value.
    /// - Returns: what they get who waited; nil when this fetch is not the slot's.
    package mutating func succeeded(
        _ number: UInt64, for lifetime: Lifetime, at now: Instant, random: UInt64, policy: CachePolicy
    ) -> Outcome? {
        guard let fetch, fetch.number == number else { return nil }
        outage = nil
        guard let next = Held(lifetime, of: fetch, at: now, random: random, policy), isServed(next, at: now, policy)
        else {
            // The held value stays: it may have come before our clock jumped, and be served when that jumps back.
            return failed(number, with: .expired, at: now, random: random, policy: policy)
        }
        self.fetch = nil
        failure = nil
        failures = 0
        held = next
        return .replaced
    }

    /// The fetch brought none.
    /// - Returns: what they get who waited; nil when this fetch is not the slot's.
    package mutating func failed(
        _ number: UInt64, with fault: UpstreamFault, at now: Instant, random: UInt64, policy: CachePolicy
    ) -> Outcome? {
        guard fetch?.number == number else { return nil }
        fetch = nil
        if fault.isOutage { outage = now.monotonic }
        if fault == .refused {
            // The vendor is there, and answers.
            outage = nil
        }
        let pause = policy.pause.length(after: fault, following: &failures, at: now, random: random)
        failure = Failure(
            fault: fault, since: now.monotonic, until: now.monotonic.plus(pause.empty),
            untilWhileServing: now.monotonic.plus(pause.serving))
        if let held, isServed(held, at: now, policy) { return .kept }
        return .refused(SlotRefusal(.fault(fault), wait: pause.empty))
    }

    /// The value that is held is of no use any more, whatever its dates say.
    mutating func forget() { held = nil }

    /// The fetch was not begun, and never will be.
    package mutating func withdrawn(_ number: UInt64) {
        if fetch?.number == number { fetch = nil }
    }

    /// What a request gets that has waited as long as it may: a vendor that is so slow counts as failing.
    package func unanswered(at now: Instant, policy: CachePolicy) -> Outcome {
        if let held, held.left(at: now) >= held.floorWhileFailing(policy) { return .kept }
        return .refused(SlotRefusal(.slow))
    }

    package func state(at now: Instant, policy: CachePolicy) -> State {
        let isAway = hasFetch(at: now, policy)
        if let held, isServed(held, at: now, policy) {
            return isAway ? .refreshing : held.isDue(at: now) ? .stale : .fresh
        }
        if isAway { return .waiting }
        if let failure, now.monotonic < failure.until { return .failed(until: failure.until) }
        return .empty
    }

    /// Whether nothing is lost with it: no fetch, nothing that could be served again, and no failure worth remembering.
    /// The wall clock has no say here: when it jumps, and back, all is still there.
    func isSpent(at now: Instant, _ policy: CachePolicy) -> Bool {
        if hasFetch(at: now, policy) { return false }
        if let held, held.leftByMonotonic(at: now.monotonic) >= held.floorWhileFailing(policy) { return false }
        guard let failure else { return true }
        return now.monotonic >= max(failure.until, failure.since.plus(policy.limits.outageMemory))
    }

    private func hasFetch(at now: Instant, _ policy: CachePolicy) -> Bool {
        guard let fetch else { return false }
        return now.monotonic.minus(fetch.since) < policy.limits.fetchLease
    }

    private func isServed(_ held: Held, at now: Instant, _ policy: CachePolicy) -> Bool {
        let isFailing = outage.map { now.monotonic.minus($0) <= policy.limits.outageMemory } ?? false
        return held.left(at: now) >= (isFailing ? held.floorWhileFailing(policy) : held.floor(policy))
    }
}
