import Bytes
import Crypto
import HTTP
import Providers
import Upstream

/// One loop's side of the public keys that callbacks are signed by.
final class CallbackKeyCache {
    private let keys: CallbackKeys
    private let tools: LoopCallTools
    private let cache: LoopCache<PublishedKey, RSAPublicKey>
    private let parked: ParkedRequests
    private var refusals: RefusalLog

    init(_ keys: CallbackKeys, _ tools: LoopCallTools, _ parked: ParkedRequests) {
        self.keys = keys
        self.tools = tools
        self.parked = parked
        refusals = RefusalLog(tools.log)
        cache = LoopCache(keys.cache, post: tools.post)
    }

    /// What a callback that needs a key gets.
    enum Answer {
        case use(RSAPublicKey)
        /// The key is being fetched; the caller must now call `park` with this number.
        case later(UInt64)
    }

    /// - Throws: when the key cannot be had now.
    func ask(for name: PublishedKey, at now: Instant) throws(Refusal) -> Answer {
        let reply = cache.ask(name, alwaysFits: name.isUsual, at: now) { keys.fetch($0, name, with: tools, at: now) }
        switch reply {
        case .now(let outcome): return .use(try CallbackKeyCache.key(outcome, at: now))
        case .later(let waiter): return .later(waiter)
        }
    }

    /// Judges and answers the callback when its key has come or could not be fetched. If the client leaves, the fetch still goes
    /// on: the next callback needs the key.
    /// - Throws: when as many wait as may.
    func park(
        _ request: ParkedRequest, waiting waiter: UInt64, for claim: CallbackClaim, by entry: CallbackTable.Entry,
        at now: Instant
    ) throws(Refusal) {
        let (id, clock) = (request.requestID, tools.calls.clock)
        try parked.park(request, in: .callbacks(most: keys.waiting), for: waiter, of: cache, since: now) {
            [self] outcome, response throws(Refusal) in
            let instant = clock()
            let key = try CallbackKeyCache.key(outcome, at: instant)
            try entry.answer(claim, by: key, as: id.text, at: instant, &refusals, into: &response)
            return nil
        }
    }

    func tick(at now: Instant) { cache.tick(at: now) }

    private static func key(
        _ outcome: SlotOutcome<RSAPublicKey>, at now: Instant
    ) throws(Refusal) -> RSAPublicKey {
        switch outcome {
        case .serve(let key): return key
        case .refuse(let refusal):
            // A fault of a call that was not tried says when to come again.
            if case .fault(let fault) = refusal.reason { throw Refusal(fault, at: now) }
            throw .crowded
        }
    }
}
