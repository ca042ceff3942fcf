import Access
import Bytes
import Net
import Upstream

/// One loop's memory of tokens and tickets, and of their issuers' keys; it makes those fetches that the cache gives to this loop. Everything is
/// called on the loop's thread.
final class LoopTokens {
    private struct Issuer {
        let source: JWKSSource
        let cache: LoopCache<[UInt8], FetchedKeys>
    }

    var memory: CredentialCache
    private let tools: LoopCallTools
    /// By the index of the issuer; nil for those whose keys are configured.
    private var issuers: [Issuer?] = []

    init(_ sources: JWKSSources, _ memory: consuming CredentialCache, _ tools: LoopCallTools) {
        self.memory = memory
        self.tools = tools
        for (index, source) in sources.sources.enumerated() {
            guard let source else {
                issuers.append(nil)
                continue
            }
            let cache = LoopCache(source.cache, post: tools.post) { [weak self] keys in
                self?.memory.take(keys.keys, of: index, areOther: keys.areOther, until: keys.until)
            }
            issuers.append(Issuer(source: source, cache: cache))
            // Keys that come between these two calls are taken twice, which changes nothing.
            if let known = source.cache.value(of: source.issuer.id) {
                self.memory.take(known.keys, of: index, areOther: true, until: known.until)
            }
        }
        // Before anybody asks.
        if issuers.contains(where: { $0 != nil }) {
            let keys = self
            tools.post { keys.tick(at: keys.tools.calls.clock()) }
        }
    }

    /// Whether it is fetching keys, which others may wait for.
    var isWaiting: Bool { !tools.calls.isEmpty }

    /// When `tick` is to be called though nobody asks, in monotonic milliseconds: a call is looked after all the time.
    var nextTick: Int64? {
        isWaiting ? .min : issuers.lazy.compactMap { $0.map { $0.cache.due($0.source.issuer.id) } }.min()
    }

    func tick(at now: Instant) {
        tools.calls.tick(at: now)
        for case let issuer? in issuers { refresh(issuer, at: now) }
    }

    /// Has the keys of an issuer fetched soon: a token's key is not among those that may be used.
    func want(of index: Int, at now: Instant) {
        guard issuers.indices.contains(index), let issuer = issuers[index] else { return }
        issuer.cache.want(issuer.source.issuer.id, at: now, pause: issuer.source.pause)
        refresh(issuer, at: now)
    }

    private func refresh(_ issuer: Issuer, at now: Instant) {
        issuer.cache.refresh(issuer.source.issuer.id, at: now) { issuer.source.fetch($0, with: tools, at: now) }
    }
}

// Unsafe: confined to its loop's thread, like the loop's client: caches ask for it by the loop's mailbox.
extension LoopTokens: @unchecked Sendable {}
