import Access
import Bytes
import Crypto
import HTTP
import Providers
import Telemetry
import Upstream

/// Callbacks of vendors: they are given no token, and their signature is their only credential (R6).
extension Pipeline {
    /// Answers a callback if the vendor has sent it; parks it where the vendor's key has to be fetched first.
    mutating func receive(
        _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) -> Outcome {
        let (id, instant) = (context.id.bytes.text, context.instant)
        let entry = try judgeHead(of: request)
        let verdict: CallbackVerdict
        do throws(IssueError) {
            verdict = try entry.judge(
                Pipeline.callback(request, at: instant), at: instant.unixSeconds, using: &scratch)
        } catch {
            throw fail("verifying a callback", error)
        }
        guard case .claimed(let claim) = verdict else {
            try entry.answer(verdict, as: id, at: instant, &refusals, into: &response)
            return .told
        }
        switch try upstream.callbackKeys.ask(for: claim.key, at: instant) {
        case .use(let key):
            try entry.answer(claim, by: key, as: id, at: instant, &refusals, into: &response)
            return .told
        case .later(let waiter):
            try upstream.callbackKeys.park(
                park(callback: request, with: response, for: entry.grant), waiting: waiter, for: claim, by: entry,
                at: instant)
            return .parked
        }
    }

    /// The grant that the request is for, if its head may be that of a callback by it.
    mutating func judgeHead(of request: borrowing Request) throws(Refusal) -> CallbackTable.Entry {
        let instant = context.instant
        guard request.head.method == .post else { throw .methodNotAllowed(of: .callback) }
        guard let entry = callbacks.find(path: request.path, query: request.query) else {
            throw forged(CallbackFault("no grant's publicURL has its path and query"), nil)
        }
        if request.head.isRepeated(.authorization) || request.head.isRepeated(.contentType) {
            throw forged(CallbackFault("Authorization or Content-Type comes twice"), entry)
        }
        if let fault = entry.grant.availability.fault(at: instant.unixSeconds, from: request.client.ip) {
            throw forged(CallbackFault(fault.objection.reason), entry)
        }
        if let fault = entry.faultOfHead(Pipeline.callback(request, at: instant), at: instant.unixSeconds) {
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

    private mutating func forged(_ fault: CallbackFault, _ entry: CallbackTable.Entry?) -> Refusal {
        let (id, instant) = (context.id.bytes.text, context.instant)
        return refusals.refuse(callback: id, of: entry?.grant, because: fault, at: instant)
    }
}

extension CallbackTable.Entry {
    /// Answers a callback whose key has been fetched.
    /// - Parameter requestID: for the log.
    func answer(
        _ claim: CallbackClaim, by key: RSAPublicKey, as requestID: String, at instant: Instant,
        _ refusals: inout RefusalLog, into response: inout Response
    ) throws(Refusal) {
        let verdict: CallbackVerdict
        do throws(CryptoError) { verdict = try claim.judge(by: key) } catch {
            refusals.log.write(.error, "verifying a callback failed", ["requestId": requestID, "error": "\(error)"])
            throw .internalError
        }
        try answer(verdict, as: requestID, at: instant, &refusals, into: &response)
    }

    /// Answers a callback when its key is there, and logs the result.
    func answer(
        _ verdict: CallbackVerdict, as requestID: String, at instant: Instant, _ refusals: inout RefusalLog,
        into response: inout Response
    ) throws(Refusal) {
        switch verdict {
        case .genuine:
            refusals.log.write(.info, "callback verified", ["requestId": requestID, "grant": grant.name.text])
            response.body.append(verifier.reply)
            response.body.append("\n")
        case .refused(let fault):
            throw refusals.refuse(callback: requestID, of: grant, because: fault, at: instant)
        case .claimed: throw .internalError
        }
    }
}
