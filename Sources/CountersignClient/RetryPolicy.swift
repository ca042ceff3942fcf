/// How often, and how patiently, a request is repeated that failed for the moment.
public struct RetryPolicy: Sendable, Hashable {
    /// Attempts of one request, the first included. In an upload, every piece has as many.
    public var attempts: Int
    /// The wait after the first failure where the other side names none; it doubles with each failure.
    public var firstWait: Duration
    /// The longest wait. Who says `Retry-After` with more is not waited for: the error comes at once.
    public var longestWait: Duration

    /// - Parameters:
    ///   - attempts: at least 1; less counts as 1.
    public init(
        attempts: Int = 5, firstWait: Duration = .milliseconds(500), longestWait: Duration = .seconds(60)
    ) {
        self.attempts = max(attempts, 1)
        self.firstWait = firstWait
        self.longestWait = longestWait
    }

    /// How long to wait after a failure; nil when it is the last.
    /// - Parameters:
    ///   - failures: how many there were, this one included.
    ///   - retryAfter: what the other side said.
    func wait(after failures: Int, retryAfter: Duration?) -> Duration? {
        guard failures < attempts else { return nil }
        if let retryAfter { return retryAfter <= longestWait ? retryAfter : nil }
        let doubled = firstWait * (1 << min(failures - 1, 16))
        // Clients that failed together shall not come back together.
        return min(doubled, longestWait) * Double.random(in: 0.5...1)
    }
}
