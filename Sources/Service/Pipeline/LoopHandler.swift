import HTTP

/// An event loop's own pipeline, as the loop sees it.
final class LoopHandler: RequestHandler {
    private var pipeline: Pipeline

    init(_ pipeline: consuming Pipeline) { self.pipeline = pipeline }

    func respond(
        to request: borrowing Request, as ticket: AnswerTicket, at instant: Instant, into response: inout Response
    ) -> Answering {
        pipeline.respond(to: request, at: instant, into: &response)
        return .done
    }

    func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        pipeline.refuses(request, at: instant, into: &response)
    }

    func respond(to error: RequestError, at instant: Instant, into response: inout Response) {
        pipeline.respond(to: error, at: instant, into: &response)
    }
}
