import Access
import Bytes
import Crypto
import HTTP
import Providers
import Telemetry

/// What vendors send by themselves: nobody is given anything, and the signature is the only credential (R6).
extension Pipeline {
    static let callbackMethods: StaticString = "POST"

    /// Answers a callback if the vendor has sent it.
    mutating func receive(
        _ request: borrowing Request, at instant: Instant, into response: inout Response
    ) throws(Refusal) {
        let entry = try judgeHead(of: request, at: instant)
        let verdict: CallbackVerdict
        do throws(IssueError) {
            verdict = try entry.verifier.judge(
                Pipeline.callback(request, at: instant), with: entry.key, using: &scratch)
        } catch {
            throw fail("verifying a callback", error)
        }
        switch verdict {
        case .genuine:
            log.write(.info, "callback verified", ["requestId": requestID.text, "grant": entry.grant.name.text])
            response.body.append(entry.verifier.reply)
            response.body.append("\n")
        case .refused(let fault): throw forged(fault, entry)
        }
    }

    /// The grant that the request is for, if its head may be that of a callback by it.
    func judgeHead(of request: borrowing Request, at instant: Instant) throws(Refusal) -> CallbackTable.Entry {
        guard request.head.method == .post else { throw .methodNotAllowed(Pipeline.callbackMethods) }
        guard let entry = callbacks.find(path: request.path, query: request.query) else {
            throw forged(CallbackFault("no grant's publicURL has its path and query"), nil)
        }
        if request.head.isRepeated(.authorization) || request.head.isRepeated(.contentType) {
            throw forged(CallbackFault("Authorization or Content-Type comes twice"), entry)
        }
        if let fault = entry.verifier.faultOfHead(Pipeline.callback(request, at: instant), with: entry.key) {
            throw forged(fault, entry)
        }
        return entry
    }

    @_lifetime(copy request)
    private static func callback(_ request: borrowing Request, at instant: Instant) -> ReceivedCallback {
        ReceivedCallback(
            target: request.target, authorization: request.field(.authorization),
            contentType: request.field(.contentType), fieldLines: request.fieldLines, body: request.body,
            at: instant.unixSeconds)
    }

    /// Notes why the request is no callback, and gives what whoever has sent it is told.
    private func forged(_ fault: CallbackFault, _ entry: CallbackTable.Entry?) -> Refusal {
        log.write(
            .info, "callback refused",
            [
                "requestId": requestID.text, "grant": entry?.grant.name.text ?? "-",
                "reason": fault.reason.description,
            ])
        return .forgedCallback
    }
}
