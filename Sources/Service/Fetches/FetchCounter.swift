import Bytes
import HTTP
import Net
import Providers
import Telemetry
import Upstream

/// Where a loop's requests get what only the vendor knows: each is parked while the vendor is asked for it.
final class FetchCounter {
    private struct Parked {
        let request: ParkedRequest
        let fetch: Fetch
        /// Its caller, by a hash that nobody outside can aim at.
        let caller: UInt64
    }

    private let tools: Fetch.Tools
    private let answers: LateAnswers
    private var parked: [AnswerTicket: Parked] = [:]
    /// How many requests of each caller are parked.
    private var counts: [UInt64: Int] = [:]

    /// Requests that may be parked at once: half of what a loop's client takes, so that sessions are fetched whatever is asked
    /// here. A caller may have as many as it leaves free, so that there is always room for others.
    static let places = 512

    init(_ tools: Fetch.Tools, _ answers: LateAnswers) {
        self.tools = tools
        self.answers = answers
    }

    var isWaiting: Bool { !parked.isEmpty }

    /// Asks, and has the request answered when that is over; it never takes longer than the line's patience and a tick.
    /// - Parameters:
    ///   - caller: whose request it is, as a hash (`RateTable.Identity.hash`).
    ///   - credential: its name, for the log.
    /// - Throws: when the vendor is not asked at all.
    func park(
        _ request: ParkedRequest, of caller: UInt64, asking question: any VendorQuestion, on line: VendorLine,
        with credential: String,
        since now: Now
    ) throws(Refusal) {
        guard counts[caller, default: 0] < FetchCounter.places - parked.count else { throw .crowded }
        let fetch = Fetch(question, on: line, with: credential, for: request.requestID.text, tools)
        fetch.start(at: now)
        if case .failure(let refusal)? = fetch.outcome { throw refusal }
        let ticket = request.ticket
        parked[ticket] = Parked(request: request, fetch: fetch, caller: caller)
        counts[caller, default: 0] += 1
        fetch.whenOver = { [unowned self] outcome in finish(ticket, with: outcome) }
    }

    /// The client is gone.
    func abandon(_ ticket: AnswerTicket) { unpark(ticket)?.fetch.cancel() }

    private func unpark(_ ticket: AnswerTicket) -> Parked? {
        guard let request = parked.removeValue(forKey: ticket) else { return nil }
        let count = counts[request.caller, default: 1]
        counts[request.caller] = count > 1 ? count - 1 : nil
        return request
    }

    func tick(at instant: Instant) {
        let now = Now(instant)
        // What ends with this is not among them any more.
        for waiting in Array(parked.values) { waiting.fetch.tick(at: now) }
    }

    private func finish(_ ticket: AnswerTicket, with outcome: Fetch.Outcome) {
        unpark(ticket)?.request.finish(by: answers) { response throws(Refusal) in
            switch try outcome.get() {
            case .json(let text):
                response.body.append(text)
                response.body.append("\n")
                return IssueTerms.untimed
            case .absent: throw .absent
            case .unacceptable: throw .unacceptable
            }
        }
    }
}
