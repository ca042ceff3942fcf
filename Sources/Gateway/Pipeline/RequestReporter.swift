import Bytes
import Configuration
import HTTP
import Telemetry

/// How the requests of a loop end: the answer gets the request's id, and metrics, log and audit are told. Whichever way a request
/// goes out, it comes by here.
final class RequestReporter {
    private let meter: RequestMeter
    private let accesses: AccessLog
    /// Nil where refusals are not put on record.
    private let audit: LoopAudit?
    /// The start of the `type` of each error.
    private let errorReference: [UInt8]

    init(
        _ meter: RequestMeter, _ accesses: AccessLog, _ audit: LoopAudit?,
        explainingErrorsAt errorReference: [UInt8] = Configuration.Server.standardErrorReference
    ) {
        self.errorReference = errorReference
        self.meter = meter
        self.accesses = accesses
        self.audit = audit
    }

    /// What requests are timed by.
    var now: Instant { meter.clock() }

    /// The answer leaves at once, and is no refusal.
    func finish(_ context: borrowing RequestContext, _ response: inout Response) {
        RequestReporter.name(&response, by: context)
        report(context, status: response.status, because: nil)
    }

    /// The answer is a refusal, and leaves at once.
    func refuse(_ context: borrowing RequestContext, because refusal: Refusal, _ response: inout Response) {
        audit?.note(refusal, of: context)
        if let clause = refusal.clause { meter.count(clause: clause) }
        write(refusal, into: &response, for: context)
        RequestReporter.name(&response, by: context)
        report(context, status: refusal.status, because: refusal.code)
    }

    /// The answer is held until its line is on the disk. The context goes along.
    func hold(_ context: inout RequestContext, _ response: inout Response, by held: HeldAnswer) {
        RequestReporter.name(&response, by: context)
        held.hold(&response, of: &context, by: self)
    }

    /// An answer leaves now that had to wait for what it says.
    /// - Parameter refusal: why there is no other; nil for a success.
    func finishParked(_ context: borrowing RequestContext, because refusal: Refusal?, _ response: inout Response) {
        if let refusal { write(refusal, into: &response, for: context) }
        RequestReporter.name(&response, by: context)
        report(late: context, status: refusal?.status ?? response.status, because: refusal?.code, at: now)
    }

    /// An answer leaves now that was held.
    /// - Parameter refusal: what is sent instead of it; nil where it is the answer itself.
    func finishHeld(
        _ context: borrowing RequestContext, because refusal: Refusal?, _ response: borrowing Response, at now: Instant
    ) {
        report(late: context, status: refusal?.status ?? response.status, because: refusal?.code, at: now)
    }

    /// A request that had to wait does not get its answer: its client is gone, or it took too long.
    func abandon() { meter.countAbandoned() }

    /// Hands over the lines of a batch of requests.
    func flush() { accesses.flush() }

    private static func name(_ response: inout Response, by context: borrowing RequestContext) {
        response.add("X-Request-Id", context.id.bytes)
    }

    /// - Parameters:
    ///   - status: what it is truly, whatever the head says.
    ///   - reason: the refusal's code; nil for a success.
    private func report(_ context: borrowing RequestContext, status: Int, because reason: Refusal.Code?) {
        meter.count(context, status: status, because: reason)
        accesses.write(context, status: status, because: reason, at: context.instant.unixSeconds)
    }

    /// Writes the refusal of a request.
    func write(_ refusal: Refusal, into response: inout Response, for context: borrowing RequestContext) {
        refusal.write(
            into: &response, requestID: context.id.bytes, in: context.words, explainedAt: errorReference)
    }

    private func report(
        late context: borrowing RequestContext, status: Int, because reason: Refusal.Code?, at now: Instant
    ) {
        let waited = meter.count(late: context, status: status, because: reason, at: now)
        accesses.write(context, status: status, because: reason, waited: waited, at: now.unixSeconds)
    }
}
