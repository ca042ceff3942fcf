import Access
import Bytes
import Crypto
import HTTP
import Net
import Providers
import Telemetry
import Upstream

/// What a permit says of a session's end, for whoever is served one.
struct SessionTerms {
    /// Seconds since 1970.
    let expiresAt: Int64
    let limitedBy: Permit.Limit
}

/// Where a loop's requests get temporary credentials: at once where one is remembered, else when it has come.
final class SessionCounter {
    /// A request whose answer must wait, and all that its answer needs.
    private struct Parked {
        let ticket: AnswerTicket
        let clerk: SessionClerk
        let waiter: UInt64
        let terms: SessionTerms
        let requestID: [UInt8]
        /// Field lines that its answer has already.
        let fields: [UInt8]
        let words: Refusal.Words
        let path: String
    }

    /// By the place of the credential; nil for credentials that are keys.
    private let clerks: [SessionClerk?]
    private let answers: LateAnswers
    private let log: Log
    private var parked: [AnswerTicket: Parked] = [:]

    init(_ clerks: [SessionClerk?], _ answers: LateAnswers, _ log: Log) {
        self.clerks = clerks
        self.answers = answers
        self.log = log
    }

    /// The clerk of a credential; nil for one that is a key.
    func clerk(of credential: Int) -> SessionClerk? { clerks.indices.contains(credential) ? clerks[credential] : nil }

    var isWaiting: Bool { clerks.contains { $0?.isWaiting == true } }

    /// Has the request under `ticket` answered when its credential comes, or cannot be had.
    func park(
        _ ticket: AnswerTicket, waiting waiter: UInt64, at clerk: SessionClerk, for terms: SessionTerms,
        _ request: borrowing Request, requestID: [UInt8], words: Refusal.Words, with response: borrowing Response,
        since instant: Instant
    ) {
        parked[ticket] = Parked(
            ticket: ticket, clerk: clerk, waiter: waiter, terms: terms, requestID: requestID,
            fields: response.fieldLines.array, words: words, path: request.path.text)
        clerk.wait(waiter, at: Now(instant)) { [unowned self] outcome in finish(ticket, with: outcome) }
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
        guard let request = parked.removeValue(forKey: ticket) else { return }
        answers.finish(ticket) { response in
            response.append(fields: request.fields.span)
            var code: StaticString = "ok"
            var status = response.status
            switch outcome {
            case .serve(let credential): response.write(credential, on: request.terms)
            case .refuse(let reason):
                let refusal = Refusal(reason)
                refusal.write(into: &response, requestID: request.requestID.span, in: request.words)
                (code, status) = (refusal.code, refusal.status)
            }
            response.add("X-Request-Id", request.requestID.span)
            log.write(answered: request.path, requestID: request.requestID.span, status: status, code: code)
        }
    }
}

extension Response {
    /// The vendor's own words, and nothing else in the body (`STSCredential.writeAnswer`).
    mutating func write(_ credential: STSCredential, on terms: SessionTerms) {
        credential.writeAnswer(into: &body)
        let limit = credential.expiresAt < terms.expiresAt ? Permit.Limit.credential : terms.limitedBy
        add("Countersign-Limited-By", limit.name)
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
