import Bytes
import Configuration
import Crypto
import HTTP
import Net
import Upstream

/// One loop's part of everything that is asked of vendors under one configuration: its caches, its calls and the requests that wait.
/// Everything is called on the loop's thread.
final class LoopUpstream {
    let parked: ParkedRequests
    let tools: LoopCallTools
    let callbackKeys: CallbackKeyCache
    /// The links to the vendors that are asked for a request, by the index of the grant.
    let links: [VendorLink?]
    /// By the index of the credential; nil for credentials that are keys.
    private let sessions: [SessionCache?]

    init(_ snapshot: Snapshot, _ tools: LoopCallTools, _ answers: LateAnswers) throws(CryptoError) {
        let parked = ParkedRequests(answers)
        self.tools = tools
        self.parked = parked
        links = snapshot.links.links
        sessions = try snapshot.accounts.caches(snapshot.configuration, tools)
        callbackKeys = CallbackKeyCache(snapshot.callbackKeys, tools, parked)
    }

    /// The sessions of a credential; nil for one that is a key.
    func sessions(of credential: Int) -> SessionCache? {
        sessions.indices.contains(credential) ? sessions[credential] : nil
    }

    /// Whether a request waits for an answer, or a call is under way.
    var isWaiting: Bool {
        !parked.isEmpty || !tools.calls.isEmpty || sessions.contains { $0?.isWaiting == true }
    }

    /// The client is gone.
    func abandon(_ pending: PendingResponse) { parked.abandon(pending) }

    /// Ends what has waited too long, and goes on with calls whose pause is over.
    func tick(at now: Instant) {
        for case let cache? in sessions { cache.tick(at: now) }
        callbackKeys.tick(at: now)
        tools.calls.tick(at: now)
    }
}
