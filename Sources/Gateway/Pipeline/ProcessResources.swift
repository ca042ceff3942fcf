/// What all loops of the process share, over reloads.
package struct ProcessResources: Sendable {
    package let limiter: RateLimiter
    package let metrics: Metrics
    /// Nil where what is issued is not put on record.
    package let audit: SharedAudit?
    /// Nil for a service that is alone.
    package let cluster: ClusterMember?

    /// Of a service that is alone.
    package init(_ limiter: RateLimiter, _ metrics: Metrics, auditing audit: SharedAudit? = nil) {
        self.limiter = limiter
        self.metrics = metrics
        self.audit = audit
        cluster = nil
    }

    /// Of a replica, whose limits are those of the cluster.
    package init(_ metrics: Metrics, auditing audit: SharedAudit?, among cluster: ClusterMember) {
        limiter = cluster.limiter
        self.metrics = metrics
        self.audit = audit
        self.cluster = cluster
    }
}
