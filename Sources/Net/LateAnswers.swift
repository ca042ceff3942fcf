import Bytes
import HTTP

/// The answers of one loop's handler that come later than their requests.
///
/// `finish` only has an answer filled in. The loop sends it at the end of its pass, when no handler is running, so that an answer
/// may be finished at any moment, even while another request is being answered.
package final class LateAnswers {
    /// One that is finished and not sent.
    final class Answer {
        fileprivate(set) var pending: PendingResponse
        var response = Response()

        fileprivate init(_ pending: PendingResponse) { self.pending = pending }
    }

    /// Answers that are kept to be used again.
    private static let spares = 256

    private var awaited: Set<PendingResponse> = []
    /// Who takes the answers that no connection waits for.
    private var takers: [PendingResponse: (inout Response) -> Void] = [:]
    private var finished: [Answer] = []
    private var spare: [Answer] = []

    init() {}

    /// Has the answer under `pending` filled in (the response comes reset) and sent, and goes on with the connection's later
    /// requests. On the loop's thread.
    /// - Returns: false when nobody waits for it any more, or `respond` has not returned yet; `fill` was not called then.
    @discardableResult
    package func finish(_ pending: PendingResponse, _ fill: (inout Response) -> Void) -> Bool {
        guard awaited.remove(pending) != nil else { return false }
        let answer = spare.popLast() ?? Answer(pending)
        answer.pending = pending
        fill(&answer.response)
        if !takers.isEmpty, let take = takers.removeValue(forKey: pending) {
            take(&answer.response)
        } else {
            finished.append(answer)
        }
        return true
    }

    /// Takes back an answer that nobody needs any more.
    func reuse(_ answer: Answer) {
        guard spare.count < LateAnswers.spares else { return }
        answer.response.reset()
        answer.response.body.trim(above: 16 << 10)
        spare.append(answer)
    }

    func expect(_ pending: PendingResponse) { awaited.insert(pending) }

    /// Has the answer under `pending`, which is of no connection, given to `take` when it is finished.
    package func expect(_ pending: PendingResponse, _ take: @escaping (inout Response) -> Void) {
        takers[pending] = take
        awaited.insert(pending)
    }

    /// - Returns: whether the request waited for it until now.
    func abandon(_ pending: PendingResponse) -> Bool { awaited.remove(pending) != nil }

    /// What was finished since the last call, in that order.
    func takeFinished() -> [Answer] {
        guard !finished.isEmpty else { return [] }
        let taken = finished
        finished = []
        return taken
    }
}

// Unsafe: confined to its loop's thread, like the loop's client: other threads ask for it by the mailbox.
extension LateAnswers: @unchecked Sendable {}
