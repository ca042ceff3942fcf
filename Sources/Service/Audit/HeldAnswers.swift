import Bytes
import HTTP
import Net

/// An answer that is ready, and must not leave before its line is on the disk.
final class HeldAnswer {
    var response = Response()
    /// Nil when it has left already.
    var ticket: AnswerTicket?
    /// Who gets what by it; nil where nobody can lose that while it is held.
    var pending: PendingIssue?
    fileprivate(set) var since: Int64 = 0
    private var requestID = ByteWriter(capacity: 64)
    private var path = ByteWriter(capacity: 64)
    private var words = Refusal.Words.problem
    private var record = RequestRecord(at: Instant(unixSeconds: 0, monotonic: 0))
    private var meter: RequestMeter?
    private var accesses: AccessLog?
    private var refusal: Refusal?

    fileprivate init() {}

    /// Takes the answer over, and leaves another response in its place.
    /// - Parameter path: empty where it is none of the service's own.
    func hold(
        _ other: inout Response, for ticket: AnswerTicket, noting record: RequestRecord, requestID id: Span<UInt8>,
        path: Span<UInt8>, in words: Refusal.Words, by meter: RequestMeter, _ accesses: AccessLog
    ) {
        swap(&response, &other)
        self.ticket = ticket
        self.record = record
        self.words = words
        self.meter = meter
        self.accesses = accesses
        requestID.reset()
        requestID.append(id)
        self.path.reset()
        self.path.append(path)
    }

    /// The request's id.
    var id: [UInt8] { requestID.array }

    /// Whether the newest configuration would still give what is in the answer.
    func isStillGood() -> Bool {
        guard let pending, let meter else { return true }
        return pending.isStillGood(at: meter.clock().unixSeconds)
    }

    /// Puts a refusal into the place of the answer.
    func refuse(_ refusal: Refusal) {
        let id = requestID.array
        refusal.write(into: &response, requestID: id.span, in: words)
        self.refusal = refusal
    }

    /// Gives the answer back, which leaves now, and counts the request.
    func release(into other: inout Response) {
        let status = refusal?.status ?? response.status
        if let meter, let accesses {
            let waited = meter.count(late: record, status: status, because: refusal?.code)
            accesses.write(
                record, requestID: requestID.bytes, path: path.bytes, status: status, because: refusal?.code,
                waited: waited, at: meter.clock().unixSeconds)
        }
        swap(&response, &other)
    }

    fileprivate func reset() {
        ticket = nil
        pending = nil
        meter = nil
        accesses = nil
        refusal = nil
        response.reset()
        response.body.trim(above: 16 << 10)
    }
}

/// Answers in the order in which they were held; their storage is used again.
struct HeldAnswers {
    private var answers: [HeldAnswer] = []
    /// Where the oldest is.
    private var start = 0
    private var spare: [HeldAnswer] = []

    private static let spares = 1024

    mutating func append(at moment: Int64) -> HeldAnswer {
        let answer = spare.popLast() ?? HeldAnswer()
        answer.since = moment
        answers.append(answer)
        return answer
    }

    mutating func takeFirst() -> HeldAnswer? {
        guard start < answers.count else { return nil }
        let answer = answers[start]
        start += 1
        if start == answers.count {
            answers.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 4096, start > answers.count / 2 {
            answers.removeFirst(start)
            start = 0
        }
        return answer
    }

    /// Since when the oldest has been held; nil where there is none, or it has left.
    var oldest: Int64? { start < answers.count && answers[start].ticket != nil ? answers[start].since : nil }

    /// Those that have been held since a moment or longer, and have not left.
    func oldest(until moment: Int64) -> [HeldAnswer] {
        guard start < answers.count, answers[start].since <= moment else { return [] }
        return answers[start...].prefix { $0.since <= moment }.filter { $0.ticket != nil }
    }

    mutating func reuse(_ answer: HeldAnswer) {
        guard spare.count < HeldAnswers.spares else { return }
        answer.reset()
        spare.append(answer)
    }
}
