import Access
import Bytes
import HTTP
import Providers
import Telemetry
import Upstream

/// A question to a vendor for one request. The request is parked until the vendor has answered, never longer than the line's
/// patience and a tick; if the client goes, the call is cancelled.
final class Fetch {
    /// What the vendor said.
    private enum Answer {
        case reply(VendorReply)
        /// The vendor is there; what was asked for is too much.
        case tooLarge
    }

    /// Requests that may be parked at once in a loop: half of what its client takes, so that sessions are fetched whatever is
    /// asked here.
    static let places = 512
    /// The most bytes of a vendor's answer.
    static let answerLimit = 1 << 20

    private unowned let parked: ParkedRequests
    private let request: ParkedRequest
    private let credential: String
    private let log: Log
    /// Why the vendor could not be asked at all.
    private var refusal: Refusal?
    private var isParked = false

    /// Asks, and has the request answered when that is over.
    /// - Parameters:
    ///   - caller: whose request it is, by a hash that nobody outside can aim at (`RateTable.Identity.hash`).
    ///   - isAnonymous: whether the caller has no name.
    ///   - credential: its name, for the log.
    /// - Throws: when the vendor is not asked at all.
    static func park(
        _ request: ParkedRequest, of caller: UInt64, isAnonymous: Bool, asking question: any VendorQuestion,
        on line: VendorLine,
        with credential: String, in parked: ParkedRequests, _ tools: LoopTools, since now: Now
    ) throws(Refusal) {
        let group = ParkedRequests.Group.fetches(most: places, caller: caller, isAnonymous: isAnonymous)
        try parked.admit(to: group)
        let fetch = Fetch(request, with: credential, in: parked, tools.log)
        let call = VendorCall<Answer>(on: line, tools.calls) { call, endpoint, until, now in
            fetch.attempt(call, question, endpoint, until: until, at: now)
        } end: { call, result, now in
            fetch.end(call, result, at: now)
        }
        call.start(at: now)
        if let refusal = fetch.refusal { throw refusal }
        try parked.park(request, in: group) { call.cancel() }
        fetch.isParked = true
    }

    private init(_ request: ParkedRequest, with credential: String, in parked: ParkedRequests, _ log: Log) {
        self.request = request
        self.credential = credential
        self.parked = parked
        self.log = log
    }

    private func attempt(
        _ call: VendorCall<Answer>, _ question: any VendorQuestion, _ index: Int, until: Int64, at now: Now
    ) {
        guard call.line.endpoints.indices.contains(index) else {
            return call.fail(.unavailable, "there is no endpoint")
        }
        let endpoint = call.line.endpoints[index]
        do throws(IssueError) {
            call.send(
                try question.call(to: endpoint.authority, at: now.unixSeconds), to: endpoint, until: until,
                as: endpoint.authority.text, answerLimit: Fetch.answerLimit, whenTooLarge: { _ in .tooLarge }
            ) { answer, _ throws(CallFault) in
                do throws(VendorFault) { return .reply(try question.read(answer)) } catch {
                    throw CallFault(UpstreamFault(error), "\(error)")
                }
            }
        } catch {
            call.fail(.unavailable, "\(error)")
        }
    }

    private func end(_ call: VendorCall<Answer>, _ result: Result<Answer, UpstreamFault>, at now: Now) {
        let outcome: Result<VendorReply, Refusal>
        switch result {
        case .success(.reply(let reply)): outcome = .success(reply)
        case .success(.tooLarge):
            tell(of: call)
            outcome = .failure(.largeAnswer)
        case .failure(let fault):
            tell(of: call)
            outcome = .failure(Refusal(fault, at: now))
        }
        guard isParked else {
            if case .failure(let refusal) = outcome { self.refusal = refusal }
            return
        }
        parked.finish(request.ticket) { response throws(Refusal) in
            switch try outcome.get() {
            case .json(let text):
                response.body.append(text)
                response.body.append("\n")
                return IssueTerms.untimed
            case .absent: throw .absent
            case .unacceptable: throw .unacceptable
            }
        }
    }

    private func tell(of call: VendorCall<Answer>) {
        // One that was not tried would only say again what the last one said.
        guard !call.complaint.isEmpty else { return }
        log.write(
            .warning, "no answer from the vendor",
            [
                "requestId": request.requestID.text, "credential": credential, "reason": call.complaint,
                "attempts": "\(call.attempts)",
            ])
    }
}
