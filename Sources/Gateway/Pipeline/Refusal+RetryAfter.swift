import HTTP

/// `Retry-After` (RFC 9110 section 10.2.3): how a refusal gets it, and what it says.
extension Refusal {
    /// For what may be over in a moment.
    var retriedSoon: Refusal { retried(after: 1) }

    /// - Parameter milliseconds: the time until it is worth asking again, which is told in whole seconds, one at least.
    func retried(afterMilliseconds milliseconds: Int64) -> Refusal {
        retried(after: max(1, (milliseconds + 999) / 1000))
    }

    func retried(after seconds: Int64?) -> Refusal {
        var refusal = self
        refusal.retryAfter = seconds
        return refusal
    }

    func addRetryAfter(to response: inout Response) {
        if let retryAfter { response.add("Retry-After", Array(String(retryAfter).utf8).span) }
    }
}
