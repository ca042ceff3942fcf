import Bytes
import HTTP
import Net

/// An answer that is ready, or a call that may begin, and must wait until its line is on the disk.
final class HeldAnswer {
    var response = Response()
    /// Nil when it has left already.
    var pending: PendingResponse?
    /// Who gets what by it; nil where nobody can lose that while it is held.
    var issue: PendingIssue?
    /// Called if the client does not get the answer.
    var whenLost: (() -> Void)?
    /// What waits instead of an answer. It is called once, with whether it may go on.
    var next: ((_ isAdmitted: Bool) -> Void)?
    fileprivate var isWaiting: Bool { pending != nil || next != nil }
    fileprivate(set) var since: Int64 = 0
    private var context = RequestContext()
    private var reporter: RequestReporter?
    private var refusal: Refusal?

    fileprivate init() {}

    /// Takes an answer over with its context, and leaves others instead.
    func hold(_ other: inout Response, of context: inout RequestContext, by reporter: RequestReporter) {
        swap(&response, &other)
        swap(&self.context, &context)
        self.reporter = reporter
        pending = self.context.pending
    }

    /// The request's id.
    var id: [UInt8] { context.id.array }

    /// Whether the newest configuration would still give what is in the answer.
    func isStillGood(at now: Instant) -> Bool { issue?.isStillGood(at: now.unixSeconds) ?? true }

    /// Replaces the answer by a refusal.
    func refuse(_ refusal: Refusal) {
        // Without a reporter, too, nothing of the answer may leave.
        if let reporter {
            reporter.write(refusal, into: &response, for: context)
        } else {
            refusal.write(into: &response, requestID: context.id.bytes, in: context.words)
        }
        self.refusal = refusal
    }

    /// Gives the answer back, which leaves now.
    func release(into other: inout Response, at now: Instant) {
        reporter?.finishHeld(context, because: refusal, response, at: now)
        swap(&response, &other)
    }

    fileprivate func reset() {
        pending = nil
        issue = nil
        whenLost = nil
        next = nil
        reporter = nil
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

    /// The oldest.
    mutating func take(_ count: Int) -> [HeldAnswer] {
        let end = min(start + count, answers.count)
        let taken = Array(answers[start..<end])
        start = end
        if start == answers.count {
            answers.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 4096, start > answers.count / 2 {
            answers.removeFirst(start)
            start = 0
        }
        return taken
    }

    /// Since when the oldest has been held; nil where there is none, or it has left.
    var oldest: Int64? { start < answers.count && answers[start].isWaiting ? answers[start].since : nil }

    /// Those that have been held since a moment or longer, and have not left.
    func oldest(until moment: Int64) -> [HeldAnswer] {
        guard start < answers.count, answers[start].since <= moment else { return [] }
        return answers[start...].prefix { $0.since <= moment }.filter(\.isWaiting)
    }

    mutating func reuse(_ answers: [HeldAnswer]) {
        for answer in answers.prefix(max(0, HeldAnswers.spares - spare.count)) {
            answer.reset()
            spare.append(answer)
        }
    }
}
