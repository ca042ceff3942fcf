import Foundation

/// How a client behaves towards the service and the vendors.
public struct ClientOptions: Sendable {
    /// How failed requests are repeated.
    public var retry: RetryPolicy
    /// How long nothing may arrive, or leave, before a request counts as lost; in seconds.
    public var timeout: TimeInterval
    /// How long before its end a kept credential is renewed; but never earlier than after three quarters of its life.
    public var renewal: Duration

    /// - Parameters:
    ///   - retry: how failed requests are repeated.
    ///   - timeout: how long nothing may arrive, or leave; in seconds.
    ///   - renewal: how long before its end a kept credential is renewed.
    public init(retry: RetryPolicy = RetryPolicy(), timeout: TimeInterval = 60, renewal: Duration = .seconds(60)) {
        self.retry = retry
        self.timeout = timeout
        self.renewal = renewal
    }
}
