import Access
import Bytes
import Configuration
import HTTP
import Upstream

/// How often anybody may ask, in the order of R7: by address before the caller is identified, by caller before its parameters are
/// read, by grant when it is granted. A request is counted once: with its head, or, if its body came with it, with both.
extension Pipeline {
    /// Counts a request for its address, and refuses one too many.
    mutating func admitAddress(of request: borrowing Request, into response: inout Response) throws(Refusal) {
        guard let standing = takeAddressToken(of: request) else { return }
        try check(standing, .perAddress, &response)
    }

    /// Counts a request for its address, unless that was done with its head.
    /// - Returns: nil where nothing is counted.
    @discardableResult
    func takeAddressToken(of request: borrowing Request) -> RateStanding? {
        request.wasAdmitted ? nil : takeToken(for: request.client)
    }

    /// Counts a request for an address.
    /// - Returns: nil where addresses are not limited, or this one is not known.
    @discardableResult
    func takeToken(for address: ClientAddress) -> RateStanding? {
        guard let rate = configuration.rates.perAddress, address.isKnown else { return nil }
        return limiter.take(RateLimiter.Count(rate, for: address), at: context.instant)
    }

    /// Whether an address may begin a TLS handshake: it has wasted fewer than it may send requests.
    func admitsHandshake(of address: ClientAddress, at instant: Instant) -> Bool {
        guard let count = handshakes(of: address), !limiter.look(count, at: instant).isAllowed else { return true }
        meter.count(.perAddress)
        return false
    }

    /// Counts a TLS handshake that no request came after. It is counted apart from requests, so that a client that is refused
    /// for its requests is still told so.
    func wasteHandshake(of address: ClientAddress, at instant: Instant) {
        guard let count = handshakes(of: address) else { return }
        _ = limiter.take(count, at: instant)
    }

    private func handshakes(of address: ClientAddress) -> RateLimiter.Count? {
        guard let rate = configuration.rates.perAddress, address.isKnown else { return nil }
        return RateLimiter.Count(rate, forHandshakesOf: address)
    }

    /// Counts a request for its caller, and refuses one too many.
    mutating func admitCaller(of request: borrowing Request, into response: inout Response) throws(Refusal) {
        guard !request.wasAdmitted, let rate = configuration.rates.perCaller else { return }
        let count = RateLimiter.Count(rate, for: context.caller, at: request.client)
        try check(limiter.take(count, at: context.instant), .perCaller, &response)
    }

    /// Counts a request that issues something for its grant, and refuses one too many.
    mutating func admit(
        to grant: Grant, _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) {
        let standing: RateStanding
        switch (grant.rates.perCaller, grant.rates.perGrant) {
        case (nil, nil): return
        case (let rate?, nil):
            standing = take(RateLimiter.Count(rate, for: context.caller, at: request.client, of: grant), by: request)
        case (nil, let rate?): standing = take(RateLimiter.Count(rate, for: grant), by: request)
        case (let rate?, let common?):
            standing = take(
                RateLimiter.Count(rate, for: context.caller, at: request.client, of: grant),
                RateLimiter.Count(common, for: grant), by: request)
        }
        try check(standing, .perGrant, &response)
        tell(standing, &response)
    }

    /// A request that issues something takes a token; HEAD, which issues nothing, only looks.
    private func take(_ count: RateLimiter.Count, by request: borrowing Request) -> RateStanding {
        if case .head = request.head.method { return limiter.look(count, at: context.instant) }
        return limiter.take(count, at: context.instant)
    }

    private func take(
        _ first: RateLimiter.Count, _ second: RateLimiter.Count, by request: borrowing Request
    ) -> RateStanding {
        guard case .head = request.head.method else { return limiter.take(first, second, at: context.instant) }
        let other = limiter.look(second, at: context.instant)
        let one = limiter.look(first, at: context.instant)
        return one.isAllowed && other.remaining < one.remaining ? other : one
    }

    /// Counts a refusal of a session if the caller has used up its share of calls to the vendor.
    /// - Returns: what the caller is told.
    mutating func counted(_ refusal: SlotRefusal) -> Refusal {
        if case .share = refusal.reason {
            meter.count(.callsPerCaller)
            refusals.tell(.callsPerCaller, of: context)
        }
        return Refusal(refusal)
    }

    private mutating func check(
        _ standing: RateStanding, _ limit: RequestLabels.Limit, _ response: inout Response
    ) throws(Refusal) {
        guard !standing.isAllowed else { return }
        meter.count(limit)
        refusals.tell(limit, of: context)
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
