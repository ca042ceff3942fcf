import Access
import Configuration
import Crypto
import HTTP
import Net
import Upstream

/// One loop's share of an edition: the pipeline, and the places where its answers wait.
final class LoopEdition {
    private var pipeline: Pipeline
    private var admin: AdminPipeline
    /// Where the admin's listeners begin.
    private let adminPlace: Int
    private let counter: SessionCounter
    private let fetches: FetchCounter
    private let callbacks: CallbackCounter
    private let tokens: KeyClerk
    let accesses: AccessLog
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
        let (configuration, log, clock) = (edition.configuration, edition.log, edition.clock)
        let tools = Fetch.Tools(courier: courier, clock: { Now(clock()) }, log: log)
        let mailbox = loop.clients.mailbox
        accesses = AccessLog(log)
        counter = SessionCounter(
            try edition.desks.clerks(configuration, loop, courier, clock: clock, log), loop.answers)
        fetches = FetchCounter(tools, loop.answers)
        callbacks = CallbackCounter(edition.callbackKeys, tools, loop.answers) { mailbox.post($0) }
        tokens = KeyClerk(edition.issuerKeys, configuration.authenticator.makeMemory(), tools) { mailbox.post($0) }
        admission = Admission(configuration, keys: tokens)
        pipeline = try Pipeline(
            admission, before: newest, counter, fetches, callbacks, on: edition.lines, limiter, meter, accesses, audit,
            log: log)
        let readiness = Readiness(edition.desks, edition.record, audit.desk)
        admin = try AdminPipeline(
            configuration, readiness, MetricsPage(of: edition, readiness, metrics, loop.connections, audit.desk), meter,
            accesses)
        adminPlace = configuration.server.listen.count
    }

    func respond(
        to request: borrowing Request, as ticket: AnswerTicket, at instant: Instant, into response: inout Response
    ) -> Answering {
        guard request.listener < adminPlace else {
            admin.respond(to: request, by: request.listener - adminPlace, at: instant, into: &response)
            return .done
        }
        return pipeline.respond(to: request, as: ticket, at: instant, into: &response)
    }

    func respond(
        to request: borrowing Request, from caller: Caller, on errand: Errand, as ticket: AnswerTicket,
        at instant: Instant, into response: inout Response
    ) -> Answering {
        pipeline.respond(to: request, from: caller, on: errand, as: ticket, at: instant, into: &response)
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
        pipeline.respond(to: error, from: sender, at: instant, into: &response)
    }

    func abandon(_ ticket: AnswerTicket) {
        counter.abandon(ticket)
        fetches.abandon(ticket)
        callbacks.abandon(ticket)
    }

    func tick(at instant: Instant) {
        counter.tick(at: instant)
        fetches.tick(at: instant)
        callbacks.tick(at: instant)
        tokens.tick(at: Now(instant))
    }

    var nextTick: Int64? { tokens.nextTick }

    /// Whether somebody waits for an answer of it, or for what it fetches.
    var isWaiting: Bool { counter.isWaiting || fetches.isWaiting || callbacks.isWaiting }

    /// The same, the keys of issuers included, without which nobody is left unanswered.
    var isBusy: Bool { isWaiting || tokens.isWaiting }
}

// Unsafe: made elsewhere, and confined to its loop's thread from then on.
extension LoopEdition: @unchecked Sendable {}
