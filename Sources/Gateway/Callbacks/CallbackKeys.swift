import Access
import Configuration
import Bytes
import Crypto
import Net
import Providers
import Telemetry
import Upstream

/// Where all loops get the public keys that vendors sign callbacks by: the cache of them, and the links to the vendors. A forged
/// callback can name any key, so unusual keys share a small budget, and a key that is in use never gives way to one that is only
/// asked for.
package final class CallbackKeys: Sendable {
    /// One for the vendor's usual key, and one for all others.
    private struct LinkKey: Hashable {
        let host: VendorEndpoint
        let isUsual: Bool
    }

    package let cache: SharedCache<PublishedKey, RSAPublicKey>
    /// How many callbacks may wait in a loop.
    let waiting: Int
    private let links: [LinkKey: VendorLink]
    private let limits: Configuration.CallbackKeys

    /// How long a key that comes now is used.
    package var lifetime: Lifetime { .fixed(refresh: limits.refresh, keep: limits.keep) }

    /// - Parameters:
    ///   - trusts: who vouches for vendors that are asked over TLS.
    ///   - now: when vendors may be asked for the first time.
    /// - Throws: when the authorities that the system trusts cannot be had, and one of the vendors is asked over TLS.
    package init(
        _ configuration: Configuration, trusting trusts: TLSTrusts, from now: Instant = SystemClock.now()
    ) throws(TLSTrust.Failure) {
        let hosts = CallbackKeys.hosts(of: configuration)
        let trust = hosts.contains(where: \.isSecure) ? try trusts.trust() : nil
        limits = configuration.callbackKeys
        waiting = limits.waiting
        cache = SharedCache(CallbackKeys.policy(limits))
        var links: [LinkKey: VendorLink] = [:]
        for host in hosts {
            for isUsual in [true, false] {
                links[LinkKey(host: host, isUsual: isUsual)] = VendorLink(
                    to: [host], trusting: trust, CallbackKeys.callLimits(limits, isUsual: isUsual), from: now)
            }
        }
        self.links = links
    }

    /// Those of the configuration before, if no other hosts are needed and their limits are the same.
    static func make(
        for configuration: Configuration, trusting trusts: TLSTrusts, after earlier: CallbackKeys?, from now: Instant
    ) throws(TLSTrust.Failure) -> CallbackKeys {
        if let earlier, earlier.limits == configuration.callbackKeys,
            hosts(of: configuration).isSubset(of: Set(earlier.links.keys.map(\.host)))
        {
            return earlier
        }
        return try CallbackKeys(configuration, trusting: trusts, from: now)
    }

    private static func hosts(of configuration: Configuration) -> Set<VendorEndpoint> {
        Set(
            configuration.issuers.compactMap { if case .verifying(let verifier) = $0 { verifier.keyHost } else { nil } }
        )
    }

    /// After a call in vain nothing is fetched for two seconds, or for a minute while there is a key to use.
    static func policy(_ limits: Configuration.CallbackKeys) -> CachePolicy {
        var policy = CachePolicy(
            keys: limits.remembered, pause: .constant(empty: 2_000, serving: min(60_000, limits.refresh)),
            FetchLinks.limits(endpoints: 1))
        policy.evictsUsefulValues = false
        return policy
    }

    /// The limits of any question to a vendor, and a rate: forged callbacks that name made-up keys must not cause more calls to
    /// the vendor.
    private static func callLimits(_ keys: Configuration.CallbackKeys, isUsual: Bool) -> UpstreamLimits {
        var limits = FetchLinks.limits(endpoints: 1)
        limits.callsPerSecond = isUsual ? keys.callsPerSecond : keys.strangeCallsPerSecond
        limits.callBurst = isUsual ? keys.callsPerSecond : 5 * keys.strangeCallsPerSecond
        limits.longestTurn = 0
        return limits
    }

    /// For metrics.
    var allLinks: [VendorLink] { Array(links.values) }

    /// Fetches a key for all who wait for it.
    func fetch(_ fetch: SlotFetch, _ name: PublishedKey, with tools: LoopCallTools, at now: Instant) {
        guard let link = links[LinkKey(host: name.host, isUsual: name.isUsual)] else {
            return cache.land(fetch, with: .failure(.unavailable), at: now)
        }
        let log = tools.log
        // Anybody can name an unusual key.
        let source = name.isUsual ? CallSource.service : .strangers
        let call = VendorCall<RSAPublicKey>(on: link, among: tools.calls, for: source) { call, endpoint, _ in
            call.send(name.call(), to: endpoint, answerLimit: PublishedKey.answerLimit, namesEndpoint: false) {
                answer, _ throws(CallFault) in
                do throws(VendorFault) { return try name.read(answer) } catch {
                    throw CallFault(UpstreamFault(error), "\(error)")
                }
            }
        } end: { [self] call, result, now in
            // No line for a call that was not tried: the call before it has logged the reason.
            if case .failure = result, !call.complaint.isEmpty {
                log.write(
                    .warning, "no public key from the vendor",
                    [
                        "host": name.host.authority.text, "path": name.path.text, "reason": call.complaint,
                        "attempts": "\(call.attempts)",
                    ])
            }
            cache.land(fetch, with: result.map { ($0, lifetime) }, at: now)
        }
        call.start(at: now)
    }
}
