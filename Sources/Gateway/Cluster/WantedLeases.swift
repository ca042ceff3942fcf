import Cluster
import Net

/// The leases that loops want, until the link's thread asks for them.
final class WantedLeases: Sendable {
    private let wanted = Guarded<[RateLimiter.WantedLease]>([])
    private let link: RedisLink

    init(by link: RedisLink) { self.link = link }

    func add(_ more: [RateLimiter.WantedLease]) {
        let isFirst = wanted.withLock { wanted in
            defer { wanted += more }
            return wanted.isEmpty
        }
        if isFirst { link.wake() }
    }

    var isEmpty: Bool { wanted.withLock { $0.isEmpty } }

    func take() -> [RateLimiter.WantedLease] {
        wanted.withLock { wanted in
            defer { wanted = [] }
            return wanted
        }
    }
}
