import Audit
import Bytes
import Dispatch
import HTTP
import Net

/// Requests of one loop at the admin listener that are answered from a queue: what reads files must not keep a loop.
final class QueuedAnswers {
    private let answers: LateAnswers
    private let mailbox: Mailbox
    private var parked: [PendingResponse: ParkedRequest] = [:]

    /// Requests of a loop that may wait for a queue.
    private static let most = 8

    init(_ loop: LoopAccess) {
        answers = loop.answers
        mailbox = loop.clients.mailbox
    }

    /// - Throws: when as many wait as may.
    func admit() throws(Refusal) {
        guard parked.count < QueuedAnswers.most else { throw .crowded }
    }

    /// Has a request answered with an object of what `work` makes on a queue.
    func answer(
        _ request: ParkedRequest, from queue: DispatchQueue, _ work: @escaping @Sendable () throws -> JSONMembers
    ) throws(Refusal) {
        try admit()
        let pending = request.pending
        parked[pending] = request
        queue.async { @Sendable [self, mailbox] in
            let members = Result { try work() }
            mailbox.post { self.finish(pending, with: members) }
        }
    }

    private func finish(_ pending: PendingResponse, with members: Result<JSONMembers, any Error>) {
        parked.removeValue(forKey: pending)?.finish(by: answers) { response throws(Refusal) in
            switch members {
            case .success(let members): response.body.append(object: { $0.add(members) })
            case .failure(let refusal as Refusal): throw refusal
            case .failure(let fault as AuditFault):
                // The path is the operator's own, and it says what is wrong.
                throw Refusal(.auditUnavailable, "\(fault)")
            case .failure: throw .auditUnavailable
            }
            response.body.append("\n")
            return nil
        }
    }
}

// Unsafe: confined to its loop's thread; a queue only holds it, and posts to that thread.
extension QueuedAnswers: @unchecked Sendable {}
