import Bytes
import HTTP

/// The sandbox as an event loop sees it. One loop serves it: what it remembers must not be split over several.
package final class SandboxHandler: RequestHandler {
    private var sts: SandboxSTS

    package init(_ settings: SandboxSTS.Settings) { sts = SandboxSTS(settings) }

    package func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering {
        write(sts.answer(SandboxRequest(request), at: instant.unixSeconds), into: &response)
        return .done
    }

    package func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        false
    }

    package func respond(
        to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
        into response: inout Response
    ) {
        let status =
            switch error.kind {
            case .malformed: 400
            case .uriTooLong: 414
            case .headersTooLarge: 431
            case .bodyTooLarge: 413
            case .timeout: 408
            case .overloaded: 503
            }
        let complaint = STSComplaint(
            status, status == 503 ? "ServiceUnavailable" : "InvalidRequest", error.reason.description)
        write(SandboxSTS.refuse(complaint), into: &response)
    }

    private func write(_ answer: SandboxSTS.Answer, into response: inout Response) {
        response.status = answer.status
        response.body.append(answer.body)
    }
}
