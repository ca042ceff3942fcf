import Access
import Bytes
import Crypto
import HTTP
import Net
import Providers
import Upstream

/// What a permit says of a session's end, for whoever is served one.
struct SessionTerms {
    /// Seconds since 1970.
    let expiresAt: Int64
    let limitedBy: Permit.Limit
}

/// Where a loop's requests get temporary credentials: at once where one is remembered, else when it has come.
final class SessionCounter {
    /// Writes the answer to a request whose session has come.
    typealias Fill = (STSCredential, inout Response) throws(Refusal) -> IssueTerms

    /// A request that waits for its session.
    private struct Parked {
        let request: ParkedRequest
        let clerk: SessionClerk
        let waiter: UInt64
        let fill: Fill
    }

    /// By the place of the credential; nil for credentials that are keys.
    private let clerks: [SessionClerk?]
    private let answers: LateAnswers
    private var parked: [AnswerTicket: Parked] = [:]

    init(_ clerks: [SessionClerk?], _ answers: LateAnswers) {
        self.clerks = clerks
        self.answers = answers
    }

    /// The clerk of a credential; nil for one that is a key.
    func clerk(of credential: Int) -> SessionClerk? { clerks.indices.contains(credential) ? clerks[credential] : nil }

    var isWaiting: Bool { clerks.contains { $0?.isWaiting == true } }

    /// Has the request answered when its credential comes, or cannot be had.
    func park(
        _ request: ParkedRequest, waiting waiter: UInt64, at clerk: SessionClerk, since now: Now, _ fill: @escaping Fill
    ) {
        let ticket = request.ticket
        parked[ticket] = Parked(request: request, clerk: clerk, waiter: waiter, fill: fill)
        clerk.wait(waiter, at: now) { [unowned self] outcome in finish(ticket, with: outcome) }
    }

    /// The client is gone.
    func abandon(_ ticket: AnswerTicket) {
        guard let request = parked.removeValue(forKey: ticket) else { return }
        request.clerk.cancel(request.waiter)
    }

    func tick(at instant: Instant) {
        let now = Now(instant)
        for case let clerk? in clerks { clerk.tick(at: now) }
    }

    private func finish(_ ticket: AnswerTicket, with outcome: SessionDesk.Outcome) {
        guard let parked = parked.removeValue(forKey: ticket) else { return }
        parked.request.finish(by: answers) { response throws(Refusal) in
            switch outcome {
            case .serve(let credential): return try parked.fill(credential, &response)
            case .refuse(let refusal): throw Refusal(refusal)
            }
        }
    }
}

extension Response {
    /// The vendor's own words, and nothing else in the body (`STSCredential.writeAnswer`).
    mutating func write(_ credential: STSCredential, on terms: SessionTerms, at now: Now) -> IssueTerms {
        credential.writeAnswer(into: &body)
        let limit = credential.expiresAt < terms.expiresAt ? Permit.Limit.credential : terms.limitedBy
        add("Countersign-Limited-By", limit.name)
        return IssueTerms(
            lifetime: max(0, credential.expiresAt - now.unixSeconds), limitedBy: limit.name,
            accessKeyID: credential.accessKeyID)
    }
}

extension Now {
    init(_ instant: Instant) { self.init(unixSeconds: instant.unixSeconds, monotonic: instant.monotonic) }
}

extension STSSession {
    var slot: SlotKey { SlotKey(key) }
}

extension STSAccount {
    /// Under what the key is remembered that the service itself is given.
    func ownKeySlot() throws(CryptoError) -> SlotKey { SlotKey(try CredentialKey(ownKeyOf: self)) }
}
