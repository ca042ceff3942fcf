import Access
import Configuration
import HTTP

/// How often anybody may ask, in the order of R7: by address before it is known who asks, by caller before it is read what is
/// asked, by grant when it is granted.
extension Pipeline {
    /// - Parameter taking: whether the request is counted; one whose body has not come yet is not.
    func count(
        addressOf request: borrowing Request, taking: Bool, at instant: Instant, into response: inout Response
    ) throws(Refusal) {
        guard let rate = configuration.rates.perAddress, request.client != .none else { return }
        let count = RateLimiter.Count(rate: rate, identity: RateTable.Identity(request.client))
        try admit(taking ? limiter.take(count, at: instant) : limiter.look(count, at: instant), .perAddress, &response)
    }

    func count(
        _ caller: Caller, _ request: borrowing Request, taking: Bool, at instant: Instant,
        into response: inout Response
    ) throws(Refusal) {
        guard let rate = configuration.rates.perCaller else { return }
        let count = RateLimiter.Count(rate: rate, identity: RateTable.Identity(caller, from: request.client))
        try admit(taking ? limiter.take(count, at: instant) : limiter.look(count, at: instant), .perCaller, &response)
    }

    /// What is to be issued; HEAD, which gets nothing, only looks.
    func count(
        _ grant: Grant, to caller: Caller, _ request: borrowing Request, at instant: Instant,
        into response: inout Response
    ) throws(Refusal) {
        let perCaller = grant.rates.perCaller.map {
            RateLimiter.Count(rate: $0, identity: RateTable.Identity(caller, from: request.client, of: grant))
        }
        let perGrant = grant.rates.perGrant.map {
            RateLimiter.Count(rate: $0, identity: RateTable.Identity(grant))
        }
        guard let first = perCaller ?? perGrant else { return }
        let second = perCaller == nil ? nil : perGrant
        let standing: RateStanding
        if request.head.method == .head {
            let other = second.map { limiter.look($0, at: instant) }
            let one = limiter.look(first, at: instant)
            standing = one.isAllowed ? other.map { $0.remaining < one.remaining ? $0 : one } ?? one : one
        } else if let second {
            standing = limiter.take(first, second, at: instant)
        } else {
            standing = limiter.take(first, at: instant)
        }
        try admit(standing, .perGrant, &response)
        tell(standing, &response)
    }

    private func admit(
        _ standing: RateStanding, _ limit: RequestLabels.Limit, _ response: inout Response
    ) throws(Refusal) {
        guard !standing.isAllowed else { return }
        meter.count(limit)
        tell(standing, &response)
        throw .rateLimited(wait: standing.wait)
    }

    /// The fields that clients know (draft-ietf-httpapi-ratelimit-headers-03): times in seconds.
    private func tell(_ standing: RateStanding, _ response: inout Response) {
        response.add("RateLimit-Limit", standing.rate.count)
        response.add("RateLimit-Remaining", standing.remaining)
        response.add("RateLimit-Reset", (standing.reset + 999) / 1000)
    }
}
