import Access
import Bytes
import Configuration
import Net
import Providers
import Upstream

/// The ways to the vendors that the service asks for its callers: one for each credential and the endpoints that are asked with
/// it, since one that fails says nothing about another.
package struct FetchLines: Sendable {
    private struct Key: Hashable {
        let credential: Int
        let endpoints: [VendorEndpoint]
    }

    /// By the place of the grant; nil for those of other routes.
    let lines: [VendorLine?]

    /// - Throws: when the authorities that the system trusts cannot be had, and one of the vendors is asked over TLS.
    package init(_ configuration: Configuration) throws(TLSTrust.Failure) {
        let now = Now(SystemClock.now())
        var trust: TLSTrust?
        var known: [Key: VendorLine] = [:]
        var lines: [VendorLine?] = []
        for grant in configuration.grants {
            guard let issuer = grant.issuer as? any VendorIssuer else {
                lines.append(nil)
                continue
            }
            let key = Key(credential: grant.credential, endpoints: issuer.endpoints)
            let isSecure = issuer.endpoints.contains(where: \.isSecure)
            if isSecure, trust == nil { trust = try TLSTrust(.system) }
            let line =
                known[key]
                ?? VendorLine(
                    to: issuer.endpoints, trusting: isSecure ? trust : nil,
                    FetchLines.limits(endpoints: issuer.endpoints.count), from: now)
            known[key] = line
            lines.append(line)
        }
        self.lines = lines
    }

    /// A request waits as long as one for a session; nobody waits for what comes later, so that is a call's deadline, too. Each
    /// endpoint has its share of it.
    static func limits(endpoints: Int) -> UpstreamLimits {
        var limits = UpstreamLimits()
        limits.callTimeout = limits.patience
        limits.attemptTimeout = max(300, limits.patience / Int64(max(1, endpoints)))
        limits.callsPerSecond = 1_000
        limits.callBurst = 1_000
        return limits
    }
}
