import HTTP
import Net
import Upstream

/// What one loop has whatever it answers by: made once, and shared by the snapshots that follow each other.
struct LoopResources {
    let loop: LoopAccess
    /// What calls to vendors are sent with.
    let upstreamClient: any UpstreamClient
    /// Shared by all loops, as are `metrics`.
    let limiter: RateLimiter
    let metrics: Metrics
    let meter: RequestMeter
    let audit: LoopAudit
    /// What the loop answers new requests by.
    let newest = NewestAdmission()
}
