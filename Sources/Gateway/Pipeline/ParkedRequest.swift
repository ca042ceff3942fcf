import Bytes
import HTTP
import Net

/// A request whose answer must wait, and all that every answer needs of it.
final class ParkedRequest {
    let pending: PendingResponse
    private let context: RequestContext
    /// Field lines that its answer has already.
    private let fields: [UInt8]
    /// What the newest configuration judges before the answer leaves; nil where nobody can lose that meanwhile.
    private let issue: PendingIssue?
    /// The record of what is issued; nil where nothing is put on record.
    let record: IssueRecord?
    private let reporter: RequestReporter
    /// The use of a ticket by which it is issued; nil where that is not counted.
    var use: TicketUse?
    /// Whether its client is gone.
    var isAbandoned = false
    /// What became of the call that it waits for, for the audit.
    var outcome = "ok"
    /// Called once if the client does not get the answer that was written for it.
    var whenLost: (() -> Void)?

    var requestID: [UInt8] { context.id.array }

    init(
        _ context: borrowing RequestContext, as pending: PendingResponse, with response: borrowing Response,
        issuing issue: PendingIssue?, _ record: IssueRecord?, by reporter: RequestReporter
    ) {
        self.context = context.copy()
        self.pending = pending
        self.issue = issue
        self.record = record
        self.reporter = reporter
        fields = response.fieldLines.array
    }

    /// Has the request answered, by what `fill` puts into the response or by the refusal that it throws.
    /// What is issued does not leave before it is on record, nor once the configuration would not give it any more.
    func finish(by answers: LateAnswers, _ fill: (inout Response) throws(Refusal) -> IssueTerms?) {
        var response = Response()
        let fields = fields
        response.append(fields: fields.span)
        var refusal: Refusal?
        do throws(Refusal) {
            if let issue, !issue.isStillGood(at: reporter.now.unixSeconds) { throw .superseded }
            let terms = try fill(&response)
            if let terms, let held = try record?.write(terms, response, outcome) {
                var context = context.copy()
                held.issue = issue
                held.whenLost = whenLost
                return reporter.hold(&context, &response, by: held)
            }
        } catch {
            refusal = error
            record?.note(outcome)
        }
        guard !isAbandoned else {
            whenLost?()
            return
        }
        reporter.finishParked(context, because: refusal, &response)
        let isTaken = answers.finish(pending) { swap(&$0, &response) }
        if refusal != nil || !isTaken { whenLost?() }
    }
}
