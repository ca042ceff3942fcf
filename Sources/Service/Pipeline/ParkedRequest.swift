import Bytes
import HTTP
import Net
import Telemetry

/// A request whose answer must wait, and all that every answer needs of it.
struct ParkedRequest {
    let ticket: AnswerTicket
    let requestID: [UInt8]
    /// Field lines that its answer has already.
    private let fields: [UInt8]
    private let words: Refusal.Words
    private let path: String

    init(
        _ request: borrowing Request, as ticket: AnswerTicket, requestID: [UInt8], in words: Refusal.Words,
        with response: borrowing Response
    ) {
        self.ticket = ticket
        self.requestID = requestID
        self.words = words
        fields = response.fieldLines.array
        path = request.path.text
    }

    /// Has the request answered, by what `fill` puts into the response or by the refusal that it throws.
    func finish(by answers: LateAnswers, _ log: Log, _ fill: (inout Response) throws(Refusal) -> Void) {
        answers.finish(ticket) { response in
            response.append(fields: fields.span)
            var code: StaticString = "ok"
            var status = response.status
            do throws(Refusal) { try fill(&response) } catch {
                error.write(into: &response, requestID: requestID.span, in: words)
                (code, status) = (error.code, error.status)
            }
            response.add("X-Request-Id", requestID.span)
            log.write(answered: path, requestID: requestID.span, status: status, code: code)
        }
    }
}
