import Bytes
import Crypto
import Net

/// How this replica works together with others.
package struct ClusterSettings: Sendable {
    /// What a replica does that has not heard from Redis for `staleAfter`, so that a brake may have been missed.
    package enum WhenStale: String, CaseIterable, Sendable {
        case serve, refuse
    }

    package let redis: RedisSettings
    /// What values are sealed by, and names hidden.
    package let key: Secret
    /// What this replica is called; no two have one name.
    package let instance: [UInt8]
    /// PEM: whom servers with TLS are verified by; nil for whom the system trusts.
    package var trustFile: String?
    /// What opens values that were sealed before the key changed.
    package var previousKey: Secret?
    /// What the name of every key in Redis begins with.
    package var prefix = Array("countersign:".utf8)
    /// Milliseconds for which a lease holds tokens of a rate.
    package var lease: Int64 = 1_000
    /// How many replicas there are supposed to be before Redis has said so.
    package var replicas = 1
    /// Milliseconds after which what Redis said last is stale.
    package var staleAfter: Int64 = 30_000
    package var whenStale = WhenStale.serve

    /// How many replicas may be supposed.
    package static let replicaCounts: ClosedRange<Int64> = 1...1_000
    /// Bytes that a key has at least (R10).
    package static let minimumKeyLength = 32

    /// What certificates of servers with TLS are verified by; nil where none has TLS.
    package func makeTrust() throws(TLSTrust.Failure) -> TLSTrust? {
        guard redis.servers.contains(where: \.isSecured) else { return nil }
        return try TLSTrust(trustFile.map { .file($0) } ?? .system)
    }

    package init(redis: RedisSettings, key: Secret, instance: [UInt8]) {
        self.redis = redis
        self.key = key
        self.instance = instance
    }
}
