import Access
import Bytes
import Net
import Providers
import Upstream

/// Where all loops get the temporary credentials of one account: the cache of them, the links to their issuers, and how far
/// the vendor's clock is from ours. It is called from any loop's thread.
///
/// Everything that shapes a credential is in its key, the caller included, so nobody gets another's.
package final class SessionAccount: Sendable {
    /// All that an account is made of: one with the same may serve the next configuration, too.
    struct Basis: Equatable, Sendable {
        /// The credential's name in the configuration.
        let name: String
        let source: any SessionSource
        /// Whom the account trusts: what stood in the file of that; nil for whom the system trusts.
        var trusted: WatchedFiles.Content?
        let limits: UpstreamLimits
        /// How many calls may begin for one caller.
        let callsPerCaller: Rate?

        static func == (first: Basis, second: Basis) -> Bool {
            first.name == second.name && first.source.equals(second.source) && first.trusted == second.trusted
                && first.limits == second.limits && first.callsPerCaller == second.callsPerCaller
        }
    }

    let basis: Basis
    package let cache: SharedCache<CredentialKey, SessionCredential>
    /// Whom calls for sessions go to, and those for the service's own key where somebody else gives it. One that fails says nothing
    /// about the other.
    let sts, metadata: VendorLink
    private let skew: Guarded<ClockSkew>

    init(_ basis: Basis, trusting trust: TLSTrust?, from now: Instant) {
        self.basis = basis
        let limits = basis.limits
        cache = SharedCache(CachePolicy(credentials: limits, fetchesPerClient: basis.callsPerCaller))
        sts = VendorLink(to: basis.source.endpoints, trusting: trust, limits, from: now)
        metadata = VendorLink(to: [basis.source.ownKey?.endpoint].compactMap(\.self), trusting: nil, limits, from: now)
        skew = Guarded(ClockSkew(limits: limits))
    }

    package var source: any SessionSource { basis.source }
    var name: String { basis.name }
    var limits: UpstreamLimits { basis.limits }

    // MARK: The vendor's clock

    /// Whether the vendor's clock and ours disagree, so that nothing is issued (R17).
    func isClockOff(at now: Instant) -> Bool { skew.withLock { $0.judge(at: now) != .fine } }

    /// Whether one call is to look at the vendor's clock again (`ClockSkew.takesRecheck`).
    func takesRecheck(at now: Instant) -> Bool { skew.withLock { $0.takesRecheck(at: now) } }

    /// - Parameter date: what the vendor's clock said, in seconds since 1970.
    func observe(vendorDate date: Int64, at now: Instant) { skew.withLock { $0.observe(vendorDate: date, at: now) } }
}
