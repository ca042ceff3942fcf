import Access
import Bytes
import HTTP
import Providers
import Telemetry
import Upstream

/// A question to a vendor for one request. The request is parked until the vendor has answered, never longer than the link's
/// patience and a tick; if the client goes, the call is cancelled.
struct Fetch {
    let question: any VendorQuestion
    let link: VendorLink
    /// The credential's name, for the log.
    let credential: String

    /// What the vendor said.
    private enum Answer {
        case reply(VendorReply)
        /// The vendor has answered, and its answer is longer than the limit.
        case tooLarge
    }

    /// Requests that may be parked at once in a loop: half of what its client takes, so that sessions are fetched whatever is
    /// asked here.
    static let mostParked = 512
    /// The most bytes of a vendor's answer.
    static let answerLimit = 1 << 20

    /// Asks, and has the request answered when that is over.
    /// - Throws: when the vendor is not asked at all.
    func park(
        _ request: ParkedRequest, in group: ParkedRequests.Group, of parked: ParkedRequests, _ tools: LoopCallTools,
        since now: Instant
    ) throws(Refusal) {
        try parked.admit(to: group)
        let (pending, id, log) = (request.pending, request.requestID.text, tools.log)
        var isParked = false
        var refusal: Refusal?
        let call = VendorCall<Answer>(on: link, among: tools.calls) {
            attempt($0, at: $1, now: $2)
        } end: {
            [weak parked] call, result, now in
            let answer = result.mapError { Refusal($0, at: now) }.flatMap(Fetch.reply)
            if case .failure = answer { tell(of: call, for: id, log) }
            if isParked {
                parked?.finish(pending) { response throws(Refusal) in try answer.get().write(into: &response) }
            } else if case .failure(let error) = answer {
                refusal = error
            }
        }
        call.start(at: now)
        if let refusal { throw refusal }
        try parked.park(request, in: group) { call.cancel() }
        isParked = true
    }

    private func attempt(_ call: VendorCall<Answer>, at endpoint: VendorEndpoint, now: Instant) {
        do throws(IssueError) {
            let request = try question.call(to: endpoint.authority, at: now.unixSeconds)
            call.send(request, to: endpoint, answerLimit: Fetch.answerLimit, whenTooLarge: .tooLarge) {
                answer, _ throws(CallFault) in
                do throws(VendorFault) { return .reply(try question.read(answer)) } catch {
                    throw CallFault(UpstreamFault(error), "\(error)")
                }
            }
        } catch {
            call.fail(.unavailable, "\(error)")
        }
    }

    private static func reply(_ answer: Answer) -> Result<VendorReply, Refusal> {
        switch answer {
        case .reply(let reply): .success(reply)
        case .tooLarge: .failure(.largeAnswer)
        }
    }

    private func tell(of call: VendorCall<Answer>, for requestID: String, _ log: Log) {
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
