import Access
import Bytes
import Configuration
import Net
import Providers
import Telemetry
import Upstream

/// Where all loops get the keys of one issuer whose keys are fetched. They are fetched when it is time though nobody asks, and
/// posted to all loops.
final class JWKSSource: Sendable {
    let issuer: JWTIssuer
    let source: Configuration.KeySource
    let link: VendorLink
    /// By the issuer's id.
    let cache: SharedCache<[UInt8], FetchedKeys>

    init(_ issuer: JWTIssuer, _ source: Configuration.KeySource, trusting trust: TLSTrust?, from now: Instant) {
        self.issuer = issuer
        self.source = source
        let limits = UpstreamLimits()
        link = VendorLink(to: [source.endpoint], trusting: trust, limits, from: now)
        var policy = CachePolicy(keys: 1, pause: .growing(most: source.refresh), limits)
        policy.isPublished = true
        cache = SharedCache(policy)
    }

    /// Whether the next configuration may have the keys of an issuer from it.
    func isGood(for issuer: JWTIssuer, _ source: Configuration.KeySource) -> Bool {
        self.issuer.id == issuer.id && self.issuer.algorithms == issuer.algorithms && self.source == source
    }

    /// The least time between two fetches when a token needs a key that is not known, in milliseconds.
    var pause: Int64 { min(10_000, source.refresh) }

    /// Fetches the keys, and has all loops take them.
    func fetch(_ fetch: SlotFetch, with tools: LoopCallTools, at now: Instant) {
        let log = tools.log
        let call = VendorCall<FetchedKeys>(on: link, among: tools.calls) { [self] call, endpoint, _ in
            let request = UpstreamCall(
                .get, authority: endpoint.authority, path: source.path,
                headers: [NameValue(Array(text: "accept"), Array(text: "application/json"))])
            call.send(request, to: endpoint, answerLimit: JWTKeySet.longestText, namesEndpoint: false, read)
        } end: { [self] call, result, now in
            // The keys stay what they are however often they are fetched; the loops know when they are too old.
            let lifetime = Lifetime.fixed(refresh: source.refresh, keep: .max)
            cache.land(fetch, with: result.map { ($0, lifetime) }, at: now)
            switch result {
            case .success(let keys) where keys.areOther:
                log.write(
                    .info, "keys of an issuer taken", ["issuer": issuer.id.text, "keys": "\(keys.keys.keys.count)"])
                if !keys.faults.isEmpty {
                    log.write(
                        .warning, "keys of an issuer left out",
                        ["issuer": issuer.id.text, "reason": keys.faults.prefix(8).joined(separator: "; ")])
                }
            case .success: break
            case .failure(let fault):
                log.write(
                    .warning, "keys of an issuer not fetched",
                    [
                        "issuer": issuer.id.text, "reason": call.complaint.isEmpty ? "\(fault)" : call.complaint,
                        "attempts": "\(call.attempts)",
                    ])
            }
        }
        call.start(at: now)
    }

    private func read(_ answer: UpstreamAnswer, at now: Instant) throws(CallFault) -> FetchedKeys {
        guard answer.status == 200 else {
            throw CallFault(
                UpstreamFault(status: answer.status, code: Span()), "the answer's status is \(answer.status)")
        }
        // Whole seconds, rounded up: the one that has begun counts as none.
        let until = now.unixSeconds + 1 + (source.keep + 999) / 1000
        // Checking keys takes time, and most fetched sets are the same as before.
        if let before = cache.value(of: issuer.id), before.text == answer.body {
            return FetchedKeys(keys: before.keys, text: before.text, until: until, areOther: false)
        }
        do throws(JWTKeySet.Fault) {
            var faults: [JWTKeySet.Fault] = []
            let keys = try JWTKeySet(published: answer.body.span, leavingOut: &faults)
            if !issuer.algorithms.contains(where: { algorithm in keys.keys.contains { $0.fits(algorithm) } }) {
                faults.append(JWTKeySet.Fault("has no key for the issuer's algorithms"))
            }
            return FetchedKeys(
                keys: keys, text: answer.body, until: until, areOther: true, faults: faults.map(\.reason))
        } catch {
            throw CallFault(.malformed, "the answer \(error.reason)")
        }
    }
}

/// A set of keys as it was fetched.
struct FetchedKeys: Sendable {
    let keys: JWTKeySet
    let text: [UInt8]
    /// How long they may be used, in seconds since 1970.
    let until: Int64
    /// Whether they are others than those before.
    let areOther: Bool
    /// What is wrong with keys of the set that were left out, or with the set.
    var faults: [String] = []
}
