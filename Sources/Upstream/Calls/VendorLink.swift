import Access
import Bytes
import Net
import Providers

/// What all loops share of the calls to one vendor: its endpoints, whether calls are worth trying now, and how many may begin.
///
/// It is called from any loop's thread; the lock is held for moments.
package final class VendorLink: Sendable {
    private struct State: ~Copyable, Sendable {
        var breaker: Breaker
        var budget: CallBudget
        /// The index of the endpoint that answered last.
        var endpoint = 0
        var outcomes = CallOutcomes()
        /// Whether the call that ended last had failed in all its attempts, because of the vendor.
        var hasFailed = false
        /// What clients have left of their shares of the calls.
        var shares: RateTable

        var isFailing: Bool { hasFailed || breaker.state != .closed }
    }

    /// In the order in which they are tried.
    package let endpoints: [VendorEndpoint]
    /// Whom the service believes to be the vendor; nil where it speaks to this machine without TLS only.
    package let trust: TLSTrust?
    package let limits: UpstreamLimits
    /// How many calls may begin for one client; nil for no bound.
    private let callsPerClient: Rate?
    private let state: Guarded<State>

    package init(
        to endpoints: [VendorEndpoint], trusting trust: TLSTrust?, _ limits: UpstreamLimits,
        callsPerClient: Rate? = nil, from now: Instant
    ) {
        self.endpoints = endpoints
        self.trust = trust
        self.limits = limits
        self.callsPerClient = callsPerClient
        state = Guarded(
            State(
                breaker: Breaker(limits: limits), budget: CallBudget(limits: limits, at: now.monotonic),
                shares: RateTable(capacity: callsPerClient == nil ? 1 : 1 << 14)))
    }

    /// Takes one call from a client's share.
    /// - Parameter client: a hash that no client can predict.
    /// - Returns: milliseconds until the client has a call again; nil where it has one now.
    package func takeShare(of client: UInt64, at now: Instant) -> Int64? {
        guard let callsPerClient else { return nil }
        let standing = state.withLock {
            $0.shares.take(callsPerClient, for: RateTable.Identity(rule: 0, who: client), at: now.monotonic)
        }
        return standing.isAllowed ? nil : standing.wait
    }

    /// Whether a call has failed in all its attempts, or attempts have opened the breaker, and the vendor has answered no call
    /// since. Only calls can tell: while nobody asks, it stays as it is.
    package var isFailing: Bool { state.withLock { $0.isFailing } }

    /// How attempts have ended, for metrics.
    package var outcomes: CallOutcomes { state.withLock { $0.outcomes } }

    /// The attempts of a call that begins now.
    /// - Parameter timeout: of the call, in milliseconds, instead of that of the limits.
    func makeRetry(at now: Instant, for source: CallSource, timeout: Int64?) -> Retry {
        state.withLock { state in
            Retry(
                endpoints: endpoints.count, first: state.endpoint, at: now.monotonic, limits: limits, for: source,
                timeout: timeout)
        }
    }

    func next(_ retry: inout Retry, at now: Instant) -> Retry.Step {
        state.withLock { state in
            let step = retry.next(at: now.monotonic, past: &state.breaker, within: &state.budget)
            if case .giveUp(let fault) = step {
                if fault.isUntried { state.outcomes.add(fault) } else { state.hasFailed = fault.isOutage }
            }
            return step
        }
    }

    /// - Parameter counts: whether the failure says anything about the vendor.
    func failed(
        _ retry: inout Retry, with fault: UpstreamFault, at now: Instant, counts: Bool
    ) -> Retry.Step {
        state.withLock { state in
            state.outcomes.add(fault)
            let step = retry.failed(
                with: fault, at: now.monotonic, random: .random(in: 0 ... .max), past: &state.breaker,
                counts: counts)
            if case .giveUp(let fault) = step { state.hasFailed = fault.isOutage }
            return step
        }
    }

    /// - Returns: whether the link was failing until now.
    func succeeded(_ retry: inout Retry, at now: Instant) -> Bool {
        state.withLock { state in
            let wasFailing = state.isFailing
            state.outcomes.add(nil)
            retry.succeeded(at: now.monotonic, past: &state.breaker)
            state.hasFailed = false
            state.endpoint = retry.endpoint
            return wasFailing && !state.isFailing
        }
    }

    /// The call is dropped, and has shown nothing.
    func abandoned(_ retry: inout Retry, at now: Instant) {
        state.withLock { retry.abandoned(at: now.monotonic, past: &$0.breaker) }
    }
}
