import Access
import Bytes
import Configuration
import Net
import Providers
import Upstream

/// The links to the vendors that the service asks for its callers: one for each credential and the endpoints that are asked with
/// it, so that a vendor that fails does not stop the calls to another.
package struct FetchLinks: Sendable {
    private struct Key: Hashable {
        /// Its name, which stays from one configuration to the next.
        let credential: String
        let endpoints: [VendorEndpoint]
        let limits: FetchLimits
    }

    /// By the index of the grant; nil for those of other routes.
    let links: [VendorLink?]
    private let known: [Key: VendorLink]
    /// Each once, for metrics.
    var all: [VendorLink] { Array(known.values) }

    /// - Parameters:
    ///   - trusts: who vouches for vendors that are asked over TLS.
    ///   - earlier: those of the configuration before; what is known of the same endpoints stays while the limits do.
    ///   - now: when vendors may be asked for the first time.
    /// - Throws: when the authorities that the system trusts cannot be had, and one of the vendors is asked over TLS.
    package init(
        _ configuration: Configuration, trusting trusts: TLSTrusts, after earlier: FetchLinks? = nil,
        from now: Instant = SystemClock.now()
    ) throws(TLSTrust.Failure) {
        var known: [Key: VendorLink] = [:]
        var links: [VendorLink?] = []
        for (grant, kind) in zip(configuration.grants, configuration.issuers) {
            guard case .asking(let issuer) = kind else {
                links.append(nil)
                continue
            }
            let credential = configuration.credentials[grant.credential]
            let key = Key(credential: credential.name, endpoints: issuer.endpoints, limits: credential.fetches)
            let link: VendorLink
            if let carried = known[key] ?? earlier?.known[key] {
                link = carried
            } else {
                let trust = issuer.endpoints.contains(where: \.isSecure) ? try trusts.trust() : nil
                link = VendorLink(
                    to: issuer.endpoints, trusting: trust,
                    FetchLinks.limits(key.limits, endpoints: issuer.endpoints.count),
                    callsPerClient: key.limits.callsPerCaller, from: now)
            }
            known[key] = link
            links.append(link)
        }
        self.links = links
        self.known = known
    }

    /// A request waits as long as one for a session; nobody waits for what comes later, so that is a call's deadline, too. Each
    /// endpoint has its share of it.
    static func limits(_ limits: FetchLimits = .init(), endpoints: Int) -> UpstreamLimits {
        var upstream = UpstreamLimits()
        upstream.patience = limits.patience
        upstream.callTimeout = limits.patience
        upstream.attemptTimeout = min(limits.patience, max(300, limits.patience / Int64(max(1, endpoints))))
        upstream.callsPerSecond = limits.callsPerSecond
        upstream.callBurst = limits.callBurst
        return upstream
    }
}
