import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Net
import Upstream

/// One loop's share of an edition: the pipeline, and what it has to do with vendors.
final class LoopEdition {
    private var pipeline: Pipeline
    private var admin: AdminPipeline
    /// Where the admin's listeners begin.
    private let adminPlace: Int
    private let upstream: LoopUpstream
    private let keys: IssuerKeys
    let reporter: RequestReporter
    let admission: Admission

    /// - Parameters:
    ///   - newest: what the loop answers new requests by.
    ///   - limiter: shared by all loops, and by the editions that follow each other, as are `metrics`.
    ///   - meter: the loop's own, shared by its editions, as is `audit`.
    ///   - courier: what calls to vendors are sent with.
    init(
        _ edition: Edition, before newest: NewestAdmission, _ limiter: RateLimiter, _ metrics: Metrics,
        _ meter: RequestMeter, _ audit: AuditClerk, _ loop: LoopAccess, _ courier: any Courier
    ) throws(CryptoError) {
        let (configuration, log) = (edition.configuration, edition.log)
        let accesses = AccessLog(log)
        reporter = RequestReporter(meter, accesses, audit)
        let tools = LoopTools(loop, courier, at: edition.clock, log)
        upstream = try LoopUpstream(edition, tools, loop.answers)
        keys = IssuerKeys(edition.issuerKeys, configuration.authenticator.makeMemory(), tools)
        admission = Admission(configuration, keys: keys)
        pipeline = try Pipeline(
            admission, before: newest, upstream, limiter, meter, reporter, audit, log: log)
        let readiness = Readiness(edition.accounts, edition.record, audit.desk)
        admin = try AdminPipeline(
            configuration, readiness, MetricsPage(of: edition, readiness, metrics, loop.connections, audit.desk),
            RequestReporter(meter, accesses, nil))
        adminPlace = configuration.server.listen.count
    }

    func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering {
        guard request.listener < adminPlace else {
            admin.respond(to: request, by: request.listener - adminPlace, at: instant, into: &response)
            return .done
        }
        return pipeline.respond(to: request, as: pending, at: instant, into: &response)
    }

    func respond(
        to request: borrowing Request, from caller: Caller, on errand: Errand, as pending: PendingResponse,
        at instant: Instant, into response: inout Response
    ) -> Answering {
        pipeline.respond(to: request, from: caller, on: errand, as: pending, at: instant, into: &response)
    }

    func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        guard request.listener < adminPlace else {
            return admin.refuses(request, by: request.listener - adminPlace, at: instant, into: &response)
        }
        return pipeline.refuses(request, at: instant, into: &response)
    }

    func respond(
        to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
        into response: inout Response
    ) {
        // Requests at the admin's listeners count for no address.
        let sender = listener < adminPlace ? client : .none
        pipeline.refuse(error, from: sender, at: instant, into: &response)
    }

    func abandon(_ pending: PendingResponse) { upstream.abandon(pending) }

    func tick(at instant: Instant) {
        upstream.tick(at: instant)
        keys.tick(at: instant)
    }

    var nextTick: Int64? { keys.nextTick }

    /// Whether somebody waits for an answer of it, or for what it fetches.
    var isWaiting: Bool { upstream.isWaiting }

    /// The same, the keys of issuers included, without which nobody is left unanswered.
    var isBusy: Bool { isWaiting || keys.isWaiting }
}

// Unsafe: made elsewhere, and confined to its loop's thread from then on.
extension LoopEdition: @unchecked Sendable {}
