import Access
import Bytes
import Crypto
import HTTP
import Providers
import Upstream

/// One loop's side of a `SessionAccount`: it asks there for the loop's requests, and makes the calls that fall to the loop.
/// Everything is called on the loop's thread.
final class SessionCache {
    typealias Outcome = SlotOutcome<SessionCredential>
    typealias Reply = LoopCache<CredentialKey, SessionCredential>.Reply
    /// Writes the answer to a request whose session has come.
    typealias Fill = (SessionCredential, inout Response) throws(Refusal) -> IssueTerms

    let account: SessionAccount
    let tools: LoopCallTools
    /// For the nonces of calls.
    var random = RandomPool()
    let cache: LoopCache<CredentialKey, SessionCredential>
    private let serviceKey: ServiceKey
    /// How many sessions the other replicas are asked for.
    private var searches = 0

    /// - Parameter key: the service's configured key, where the account has one.
    init(_ account: SessionAccount, key: SigningKey?, _ tools: LoopCallTools) throws(CryptoError) {
        self.account = account
        self.tools = tools
        cache = LoopCache(account.cache, post: tools.post)
        serviceKey = try ServiceKey(account.source, key)
    }

    /// Whether anybody waits for it, be it a search among the replicas, or a call for the service's own key.
    var isWaiting: Bool { cache.isWaiting || searches > 0 }

    func tick(at now: Instant) { cache.tick(at: now) }

    // MARK: Requests

    /// Asks for a session. Nothing is delivered before this returns. While the clocks disagree nothing is issued (R17).
    func ask(_ session: VendorSession, for client: CacheClient, at now: Instant) -> Reply {
        guard !account.isClockOff(at: now) else {
            if account.takesRecheck(at: now) { begin(session.request, for: nil, at: now) }
            return .now(.refuse(.clockOff))
        }
        return cache.ask(session.key, of: client, at: now) {
            fetch(session, for: $0, at: now)
        }
    }

    /// Has a request answered when its session comes, or cannot be had, within the account's patience.
    func park(
        _ request: ParkedRequest, waiting waiter: UInt64, in parked: ParkedRequests, since now: Instant,
        _ fill: @escaping Fill
    ) throws(Refusal) {
        try parked.park(request, in: .sessions, for: waiter, of: cache, since: now) {
            outcome, response throws(Refusal) in
            switch outcome {
            case .serve(let credential): return try fill(credential, &response)
            case .refuse(let refusal): throw Refusal(refusal)
            }
        }
    }

    // MARK: Calls

    /// Has a session come: from the other replicas, if one has it, else from the vendor.
    private func fetch(_ session: VendorSession, for slot: SlotFetch, at now: Instant) {
        guard let shared = tools.sessions else { return begin(session.request, for: slot, at: now) }
        let held = account.cache.value(of: session.key)?.expiresAt ?? 0
        let post = tools.post
        let life = SharedSessions.leastLife(of: session.request.lifetime)
        let end = max(held, now.unixSeconds + life)
        // The service's own key may have to be fetched first.
        let longest = 2 * account.limits.callTimeout
        searches += 1
        shared.find(session.key, endingAfter: end, leaving: life, fetchedWithin: longest) { [self] found in
            post {
                self.searches -= 1
                self.take(found, of: session, for: slot)
            }
        }
    }

    private func take(_ found: SharedSessions.Found, of session: VendorSession, for slot: SlotFetch) {
        let now = tools.calls.clock()
        switch found {
        case .session(let credential, let moment):
            let lifetime = Lifetime.dated(expiresAt: credential.expiresAt, issuedAt: moment, longest: nil)
            account.cache.land(slot, with: .success((credential, lifetime)), at: now)
        case .turn(let turn):
            let shared = tools.sessions
            let fetch = SessionFetch(session.request, on: account.sts, for: slot, by: self) { result, moment in
                switch result {
                case .success(let issued): shared?.put(issued.value, of: session.key, at: moment, turn: turn)
                case .failure: shared?.release(session.key, turn: turn)
                }
            }
            fetch.begin(at: now)
        case .unknown: begin(session.request, for: slot, at: now)
        }
    }

    /// - Parameter slot: what the call is for; nil when only the vendor's clock is looked at.
    private func begin(_ request: any CredentialRequest, for slot: SlotFetch?, at now: Instant) {
        SessionFetch(request, on: account.sts, for: slot, by: self).begin(at: now)
    }

    /// Has `then` called with the key that the service signs its calls with, at once or when it has come. The clocks are looked at
    /// by what is signed with it.
    func withServiceKey(at now: Instant, _ then: @escaping (Result<SigningKey, UpstreamFault>) -> Void) {
        let (name, own): (CredentialKey, OwnKeySource)
        switch serviceKey.state {
        case .permanent(let key): return then(.success(key))
        case .temporary(let key, let source): (name, own) = (key, source)
        case .none: return then(.failure(.refused))
        }
        let link = own.endpoint == nil ? account.sts : account.metadata
        switch cache.ask(
            name, at: now, begin: { SessionFetch(own.request, on: link, for: $0, by: self).begin(at: now) })
        {
        case .now(let outcome): then(serviceKey.make(of: outcome))
        case .later(let waiter):
            // A call waits for the key until the fetch ends, not only as long as a request may wait.
            cache.wait(waiter, for: account.limits.callTimeout, at: now) { [serviceKey] in then(serviceKey.make(of: $0))
            }
        }
    }

    /// The vendor does not accept the service's own key any more; a temporary one is fetched anew.
    func dropServiceKey() {
        if case .temporary(let key, _) = serviceKey.state { account.cache.forget(key) }
    }
}

extension CacheClient {
    /// Callers without a name are told apart by their addresses.
    init(_ caller: Caller, from address: ClientAddress, paying pays: Bool) {
        self.init(mark: RateTable.Identity.hash(caller, from: address), pays: pays)
    }
}

// Unsafe: confined to its loop's thread; what other threads have for it, they post there.
extension SessionCache: @unchecked Sendable {}
