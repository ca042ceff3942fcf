import Access
import Bytes
import Configuration
import HTTP
import Net
import Providers
import Upstream

/// `POST /console/mint`: what a caller would get whom the operator names, by a grant of a sandbox alone. It opens nothing, and goes
/// through the pipeline as `countersign mint` does.
extension AdminPipeline {
    func mint(
        _ request: borrowing Request, as pending: PendingResponse, through pipeline: inout Pipeline,
        into response: inout Response
    ) throws(Refusal) -> Answering {
        let inquiry = try explainer.inquiry(request.body, at: context.instant.unixSeconds)
        guard inquiry.time == context.instant.unixSeconds else {
            throw Refusal(.invalidParameter, "at is for an explanation; what is issued holds from now on")
        }
        let caller = try admit(inquiry)
        console?.note("mint", of: context)
        // The answer and the audit's lines have the operator's request id.
        let head = Array(
            text: "POST \(inquiry.description.path.text) HTTP/1.1\r\nHost: localhost\r\n"
                + "X-Request-Id: \(context.id.array.text)\r\nContent-Type: application/json\r\n\r\n")
        let body = inquiry.body
        guard let parsed = try? RequestParser(limits: Limits()).parse(head.span) else { throw .internalError }
        let asked = Request(
            parsed, in: head.span, body: body.span, client: inquiry.address.map { ClientAddress($0) } ?? .none)
        let answering = pipeline.run(
            .issue(route: inquiry.route), of: caller, by: asked, as: pending, at: context.instant, into: &response)
        if case .done = answering { reporter.finish(context, &response) }
        return answering
    }

    /// The caller of an inquiry to which a grant of a sandbox gives something.
    private func admit(_ inquiry: Inquiry) throws(Refusal) -> Caller {
        let answer = explainer.explain(inquiry)
        if let refusal = answer.refusal { throw refusal }
        let configuration = explainer.configuration
        guard let grant = answer.permitted?.grant, configuration.credentials[grant.issuance.credential].isSandbox else {
            throw Refusal(
                .forbidden, "only grants of a credential with sandbox: true can be tried here; see `countersign mint`")
        }
        return try configuration.caller(inquiry.caller, claiming: inquiry.claims, at: inquiry.time)
    }
}
