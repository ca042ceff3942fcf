import Access
import Configuration
import Crypto
import HTTP
import Net
import Telemetry
import Upstream

/// An event loop's own pipeline, as the loop sees it.
package final class LoopHandler: RequestHandler {
    private var pipeline: Pipeline
    private var admin: AdminPipeline
    /// Where the admin's listeners begin.
    private let adminPlace: Int
    private let counter: SessionCounter
    private let fetches: FetchCounter
    private let callbacks: CallbackCounter
    private let tokens: KeyClerk

    /// - Parameters:
    ///   - desks: those of the same configuration, shared by all loops.
    ///   - lines: likewise, as are `callbackKeys` and `issuerKeys`.
    ///   - limiter: shared by all loops, and by the configurations that follow each other.
    package init(
        _ configuration: Configuration, _ desks: SessionDesks, _ lines: FetchLines, _ callbackKeys: CallbackKeys,
        _ issuerKeys: KeyDesks, _ limiter: RateLimiter, _ loop: LoopAccess, _ log: Log
    ) throws(CryptoError) {
        let tools = Fetch.Tools(courier: loop.clients, clock: { Now(SystemClock.now()) }, log: log)
        let mailbox = loop.clients.mailbox
        counter = SessionCounter(try desks.clerks(configuration, loop, log), loop.answers, log)
        fetches = FetchCounter(tools, loop.answers)
        callbacks = CallbackCounter(callbackKeys, tools, loop.answers) { mailbox.post($0) }
        tokens = KeyClerk(issuerKeys, configuration.authenticator.makeMemory(), tools) { mailbox.post($0) }
        pipeline = try Pipeline(
            configuration, counter, fetches, callbacks, on: lines, believing: tokens, limiter, log: log)
        admin = try AdminPipeline(configuration, Readiness(desks), log)
        adminPlace = configuration.server.listen.count
    }

    package func respond(
        to request: borrowing Request, as ticket: AnswerTicket, at instant: Instant, into response: inout Response
    ) -> Answering {
        guard request.listener < adminPlace else {
            admin.respond(to: request, by: request.listener - adminPlace, at: instant, into: &response)
            return .done
        }
        return pipeline.respond(to: request, as: ticket, at: instant, into: &response)
    }

    package func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        guard request.listener < adminPlace else {
            return admin.refuses(request, by: request.listener - adminPlace, at: instant, into: &response)
        }
        return pipeline.refuses(request, at: instant, into: &response)
    }

    package func respond(to error: RequestError, at instant: Instant, into response: inout Response) {
        pipeline.respond(to: error, at: instant, into: &response)
    }

    package func abandon(_ ticket: AnswerTicket) {
        counter.abandon(ticket)
        fetches.abandon(ticket)
        callbacks.abandon(ticket)
    }

    package func tick(at instant: Instant) {
        counter.tick(at: instant)
        fetches.tick(at: instant)
        callbacks.tick(at: instant)
        tokens.tick(at: Now(instant))
    }

    package var isWaiting: Bool { counter.isWaiting || fetches.isWaiting || callbacks.isWaiting }
}
