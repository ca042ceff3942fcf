import Bytes
import HTTP
import Net

/// A request whose answer must wait, and all that every answer needs of it.
struct ParkedRequest {
    let ticket: AnswerTicket
    let requestID: [UInt8]
    /// Field lines that its answer has already.
    private let fields: [UInt8]
    private let words: Refusal.Words
    private let path: [UInt8]
    private let record: RequestRecord
    /// The record of what is issued by the answer; nil where nothing is.
    private let issue: IssueRecord?
    /// What the newest configuration judges before the answer leaves; nil where nobody can lose that meanwhile.
    private let pending: PendingIssue?
    private let meter: RequestMeter
    private let accesses: AccessLog

    init(
        _ request: borrowing Request, as ticket: AnswerTicket, requestID: [UInt8], in words: Refusal.Words,
        with response: borrowing Response, noting record: RequestRecord, issuing issue: IssueRecord?,
        of pending: PendingIssue? = nil, by meter: RequestMeter, _ accesses: AccessLog
    ) {
        self.record = record
        self.issue = issue
        self.pending = pending
        self.meter = meter
        self.accesses = accesses
        self.ticket = ticket
        self.requestID = requestID
        self.words = words
        fields = response.fieldLines.array
        path = request.path.array
    }

    /// Has the request answered, by what `fill` puts into the response or by the refusal that it throws.
    /// What is issued does not leave before it is on record, nor once the configuration would not give it any more.
    func finish(by answers: LateAnswers, _ fill: (inout Response) throws(Refusal) -> IssueTerms?) {
        var response = Response()
        response.append(fields: fields.span)
        var reason: Refusal.Code?
        var status = response.status
        var held: HeldAnswer?
        do throws(Refusal) {
            if let pending, !pending.isStillGood(at: meter.clock().unixSeconds) { throw .superseded }
            let terms = try fill(&response)
            if let terms, let issue { held = try issue.enter(terms, response) }
        } catch {
            error.write(into: &response, requestID: requestID.span, in: words)
            (reason, status) = (error.code, error.status)
        }
        response.add("X-Request-Id", requestID.span)
        if let held {
            held.pending = pending
            return held.hold(
                &response, for: ticket, noting: record, requestID: requestID.span, path: path.span, in: words,
                by: meter, accesses)
        }
        let waited = meter.count(late: record, status: status, because: reason)
        accesses.write(
            record, requestID: requestID.span, path: path.span, status: status, because: reason, waited: waited,
            at: meter.clock().unixSeconds)
        answers.finish(ticket) { swap(&$0, &response) }
    }
}
