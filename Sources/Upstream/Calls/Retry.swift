/// The attempts of one call, inside one deadline: when and where the next one is made, or that there is none.
///
/// Network errors, 5xx and throttling are tried again after a pause with full jitter, on the next endpoint in turn; what
/// the vendor would only say again is not. An endpoint whose answer cannot be read is left for the next one.
package struct Retry: Sendable {
    package enum Step: Sendable, Equatable {
        /// Sign the call anew, with a fresh nonce and timestamp, and send it to this endpoint; without an answer by
        /// `until`, report `.network`.
        case attempt(endpoint: Int, until: Int64)
        /// Call `next` at this time; monotonic milliseconds.
        case wait(until: Int64)
        case giveUp(UpstreamFault)
    }

    private enum Phase {
        case ready(at: Int64)
        case trying(until: Int64)
        case over(UpstreamFault)
    }

    /// Monotonic milliseconds by which it is all over.
    package let deadline: Int64
    /// The index of the endpoint that is tried, or will be next; after a success, the one to begin with next time.
    package private(set) var endpoint: Int
    /// Attempts made.
    package private(set) var attempts = 0

    private let endpoints: Int
    private let mostAttempts: Int
    private let attemptTimeout: Int64
    private let leastAttempt: Int64
    private let backoff: Backoff
    private var phase: Phase
    private var lastFault = UpstreamFault.network

    // What `Retry+Gates` keeps for the attempt under way.
    let source: CallSource
    let longestTurn: Int64
    var pass: Breaker.Pass?
    var hasTurn = false

    /// - Parameters:
    ///   - endpoints: how many there are; at least one.
    ///   - first: the index of the one to begin with, such as the one that answered last.
    ///   - now: monotonic milliseconds.
    ///   - timeout: of the call and of each attempt, in milliseconds, instead of those of the limits.
    package init(
        endpoints: Int, first: Int = 0, at now: Int64, limits: UpstreamLimits = UpstreamLimits(),
        for source: CallSource = .service, timeout: Int64? = nil
    ) {
        self.endpoints = max(1, endpoints)
        endpoint = max(0, first) % max(1, endpoints)
        deadline = now.plus(max(0, timeout ?? limits.callTimeout))
        mostAttempts = max(1, limits.attempts)
        attemptTimeout = max(1, timeout ?? limits.attemptTimeout)
        self.source = source
        leastAttempt = max(1, limits.leastAttempt)
        longestTurn = limits.longestTurn
        backoff = Backoff(first: limits.retryBackoff, most: limits.longestRetryBackoff)
        phase = .ready(at: now)
    }

    /// What to do now.
    package mutating func next(at now: Int64) -> Step {
        switch phase {
        case .over(let fault): return .giveUp(fault)
        case .trying(let until): return .wait(until: until)
        case .ready(let start):
            guard now >= start else { return .wait(until: start) }
            guard now.plus(leastAttempt) <= deadline else { return giveUp(lastFault) }
            let until = min(deadline, now.plus(attemptTimeout))
            attempts += 1
            phase = .trying(until: until)
            return .attempt(endpoint: endpoint, until: until)
        }
    }

    /// The attempt under way failed. It is never followed by another at once: the answer is to wait, if only until now.
    package mutating func failed(with fault: UpstreamFault, at now: Int64, random: UInt64) -> Step {
        guard case .trying = phase else { return next(at: now) }
        let isWorthMore = fault.isRetried || fault.isRetriedElsewhere && attempts < endpoints
        guard isWorthMore, attempts < mostAttempts else { return giveUp(fault) }
        let start = now.plus(backoff.wait(after: attempts, random: random))
        guard start.plus(leastAttempt) <= deadline else { return giveUp(fault) }
        lastFault = fault
        endpoint = (endpoint + 1) % endpoints
        phase = .ready(at: start)
        return .wait(until: start)
    }

    /// The attempt under way was not begun after all, and will be at `start` instead.
    package mutating func postponed(until start: Int64, because fault: UpstreamFault, at now: Int64) -> Step {
        guard case .trying = phase else { return next(at: now) }
        guard start.plus(leastAttempt) <= deadline else { return giveUp(fault) }
        attempts -= 1
        phase = .ready(at: start)
        return .wait(until: start)
    }

    /// The attempt under way was not begun after all, and the call is over.
    package mutating func declined(because fault: UpstreamFault) -> Step {
        if case .trying = phase { attempts -= 1 }
        return giveUp(fault)
    }

    private mutating func giveUp(_ fault: UpstreamFault) -> Step {
        phase = .over(fault)
        return .giveUp(fault)
    }
}
