import HTTP
import Net
import Upstream

/// What one loop keeps over reloads: it is made once, and all snapshots share it.
struct LoopResources {
    let loop: LoopAccess
    /// What calls to vendors are sent with.
    let upstreamClient: any UpstreamClient
    /// Shared by all loops, as are `metrics`.
    let limiter: RateLimiter
    let metrics: Metrics
    let meter: RequestMeter
    let audit: LoopAudit
    /// Nil for a service that is alone.
    let cluster: ClusterMember?
    /// The rules by which the loop admits new requests.
    let newest = NewestAdmission()
}
