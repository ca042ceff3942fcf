import Access
import Bytes
import HTTP
import Providers
import Telemetry
import Upstream

/// A question to a vendor for one request. The request is parked until the vendor has answered, never longer than the timeout of the
/// question or the link, and a tick. If the client goes, the call is cancelled, unless it changes something at the vendor: then it
/// goes on to its end, and what the client cannot learn any more is taken back.
struct Fetch {
    let question: any VendorQuestion
    let link: VendorLink
    /// The credential's name, for the log.
    let credential: String
    /// A hash of the caller that no client can predict.
    let caller: UInt64
    let isAnonymous: Bool

    /// What the vendor said.
    private enum Answer {
        case reply(VendorReply)
        /// The vendor has answered, and its answer is longer than the limit.
        case tooLarge
    }

    private typealias Call = VendorCall<Answer>

    /// What takes back what the call has done.
    private final class Reversal {
        var question: (any VendorQuestion)?
    }

    /// Requests that may be parked at once in a loop: half of what its client takes, so that sessions are fetched whatever is
    /// asked here.
    static let mostParked = 512
    /// The same of those that have a timeout of their own.
    static let mostSlow = 128
    /// The most bytes of a vendor's answer.
    static let answerLimit = 1 << 20

    private var group: ParkedRequests.Group {
        var group: ParkedRequests.Group =
            question.operation.timeout == nil
            ? .fetches(most: Fetch.mostParked, caller: caller, isAnonymous: isAnonymous)
            : .slowFetches(most: Fetch.mostSlow, caller: caller, isAnonymous: isAnonymous)
        group.staysWithoutClient = question.operation.isChange
        return group
    }

    /// Anybody can have many addresses, so callers without a name are one.
    private var source: CallSource { isAnonymous ? .strangers : .caller(caller) }

    /// Asks, and has the request answered when that is over.
    /// - Throws: when the vendor is not asked at all.
    func park(
        _ request: ParkedRequest, in parked: ParkedRequests, _ tools: LoopCallTools, since now: Instant
    ) throws(Refusal) {
        try parked.admit(to: group)
        let (pending, id) = (request.pending, request.requestID.text)
        let reversal = Reversal()
        var isParked = false
        var refusal: Refusal?
        let call = makeCall(reversal, tools) { [weak parked] call, result, now in
            let answer = result.mapError { Refusal($0, at: now) }.flatMap(Fetch.reply)
            request.outcome = Fetch.outcome(of: result)
            if case .failure = answer { tell(of: call, for: id, tools.log) }
            if isParked {
                parked?.finish(pending) { response throws(Refusal) in try answer.get().write(into: &response) }
            } else if case .failure(let error) = answer {
                refusal = error
            }
        }
        request.whenLost = { [record = request.record] in takeBack(reversal, by: record, for: id, tools) }
        let held: HeldAnswer?
        do throws(Refusal) { held = try request.record?.begin() } catch {
            call.cancel()
            throw error
        }
        if let held {
            held.next = { [weak parked] isAdmitted in
                guard !isAdmitted else { return call.start(at: tools.calls.clock()) }
                call.cancel()
                request.outcome = "notCalled"
                parked?.finish(pending) { _ throws(Refusal) in throw .auditUnavailable }
            }
        } else {
            call.start(at: now)
        }
        if let refusal {
            request.record?.note(request.outcome)
            throw refusal
        }
        try parked.park(request, in: group) { call.cancel() }
        isParked = true
    }

    private func makeCall(_ reversal: Reversal, _ tools: LoopCallTools, end: @escaping Call.End) -> Call {
        Call(
            on: link, among: tools.calls, for: source, timeout: question.operation.timeout,
            attempt: { attempt($0, at: $1, now: $2, reversal) }, end: end)
    }

    private func attempt(_ call: Call, at endpoint: VendorEndpoint, now: Instant, _ reversal: Reversal) {
        do throws(IssueError) {
            let request = try question.call(to: endpoint.authority, at: now.unixSeconds)
            call.send(request, to: endpoint, answerLimit: Fetch.answerLimit, whenTooLarge: .tooLarge) {
                answer, _ throws(CallFault) in
                reversal.question = question.reversal(of: answer)
                do throws(VendorFault) { return .reply(try question.read(answer)) } catch {
                    throw CallFault(UpstreamFault(error), "\(error)")
                }
            }
        } catch {
            call.fail(.unavailable, "\(error)")
        }
    }

    /// Takes back what was done for a client that did not learn of it.
    private func takeBack(_ reversal: Reversal, by record: IssueRecord?, for id: String, _ tools: LoopCallTools) {
        guard let question = reversal.question else { return }
        let record = record?.reversal(by: question.operation)
        let other = Fetch(
            question: question, link: link, credential: credential, caller: caller, isAnonymous: isAnonymous)
        let call = other.makeCall(Reversal(), tools) { call, result, _ in
            record?.note(Fetch.outcome(of: result))
            if case .failure = result { other.tell(of: call, for: id, tools.log) }
        }
        record?.announce()
        call.start(at: tools.calls.clock())
    }

    /// As the audit has it.
    private static func outcome(of result: Result<Answer, UpstreamFault>) -> String {
        switch result {
        case .success(.reply(.json)): "ok"
        case .success(.reply(.absent)): "absent"
        case .success(.reply(.unacceptable)): "unacceptable"
        case .success(.tooLarge): CallOutcome.malformed.rawValue
        case .failure(let fault): CallOutcome(fault).rawValue
        }
    }

    private static func reply(_ answer: Answer) -> Result<VendorReply, Refusal> {
        switch answer {
        case .reply(let reply): .success(reply)
        case .tooLarge: .failure(.largeAnswer)
        }
    }

    private func tell(of call: Call, for requestID: String, _ log: Log) {
        // No line for a call that was not tried: the call before it has logged the reason.
        guard !call.complaint.isEmpty else { return }
        log.write(
            .warning, "no answer from the vendor",
            [
                "requestId": requestID, "credential": credential, "reason": call.complaint,
                "attempts": "\(call.attempts)",
            ])
    }
}

extension VendorReply {
    fileprivate func write(into response: inout Response) throws(Refusal) -> IssueTerms {
        switch self {
        case .json(let text):
            response.body.append(text)
            response.body.append("\n")
            return IssueTerms.untimed
        case .absent: throw .absent
        case .unacceptable: throw .unacceptable
        }
    }
}
