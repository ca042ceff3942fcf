import HTTP
import Net
import Upstream

/// What one loop keeps over reloads: it is made once, and all snapshots share it.
struct LoopResources {
    let shared: ProcessResources
    let loop: LoopAccess
    /// What calls to vendors are sent with.
    let upstreamClient: any UpstreamClient
    let meter: RequestMeter
    let audit: LoopAudit
    /// The rules by which the loop admits new requests.
    let newest = NewestAdmission()

    var limiter: RateLimiter { shared.limiter }
    var metrics: Metrics { shared.metrics }
    var cluster: ClusterMember? { shared.cluster }
}
