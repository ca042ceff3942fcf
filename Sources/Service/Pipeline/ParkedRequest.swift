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
    private let meter: RequestMeter
    private let accesses: AccessLog

    init(
        _ request: borrowing Request, as ticket: AnswerTicket, requestID: [UInt8], in words: Refusal.Words,
        with response: borrowing Response, noting record: RequestRecord, by meter: RequestMeter, _ accesses: AccessLog
    ) {
        self.record = record
        self.meter = meter
        self.accesses = accesses
        self.ticket = ticket
        self.requestID = requestID
        self.words = words
        fields = response.fieldLines.array
        path = request.path.array
    }

    /// Has the request answered, by what `fill` puts into the response or by the refusal that it throws.
    func finish(by answers: LateAnswers, _ fill: (inout Response) throws(Refusal) -> Void) {
        answers.finish(ticket) { response in
            response.append(fields: fields.span)
            var reason: StaticString?
            var status = response.status
            do throws(Refusal) { try fill(&response) } catch {
                error.write(into: &response, requestID: requestID.span, in: words)
                (reason, status) = (error.code, error.status)
            }
            response.add("X-Request-Id", requestID.span)
            let waited = meter.count(late: record, status: status, because: reason)
            accesses.write(
                record, requestID: requestID.span, path: path.span, status: status, because: reason, waited: waited,
                at: SystemClock.now().unixSeconds)
        }
    }
}
