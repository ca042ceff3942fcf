import Bytes
import Crypto

/// How this replica works together with others.
package struct ClusterSettings: Sendable {
    /// What a replica does that has not heard from Redis for `staleAfter`, so that a brake may have been missed.
    package enum WhenStale: String, CaseIterable, Sendable {
        case serve, refuse
    }

    package let redis: RedisSettings
    /// PEM: whom servers with TLS are verified by; nil for whom the system trusts.
    package let trustFile: String?
    /// What values are sealed by, and names hidden.
    package let key: Secret
    /// What opens values that were sealed before the key changed.
    package let previousKey: Secret?
    /// What the name of every key in Redis begins with.
    package let prefix: [UInt8]
    /// What this replica is called; no two have one name.
    package let instance: [UInt8]
    /// Milliseconds for which a lease holds tokens of a rate.
    package let lease: Int64
    /// Milliseconds after which what Redis said last is stale.
    package let staleAfter: Int64
    package let whenStale: WhenStale

    /// Bytes that a key has at least (R10).
    package static let minimumKeyLength = 32

    package init(
        redis: RedisSettings, trustFile: String?, key: Secret, previousKey: Secret?, prefix: [UInt8], instance: [UInt8],
        lease: Int64, staleAfter: Int64, whenStale: WhenStale
    ) {
        self.redis = redis
        self.trustFile = trustFile
        self.key = key
        self.previousKey = previousKey
        self.prefix = prefix
        self.instance = instance
        self.lease = lease
        self.staleAfter = staleAfter
        self.whenStale = whenStale
    }
}
