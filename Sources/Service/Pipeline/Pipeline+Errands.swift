import Access
import Bytes
import Configuration
import HTTP
import Providers

/// What somebody wants who is known before anything is presented.
enum Errand {
    /// Something of a route, by its place in the registry.
    case issue(route: Int)
    case ticket

    /// Where others ask for it.
    var path: [UInt8] {
        switch self {
        case .issue(let route): Registry.routes[route].description.path
        case .ticket: Configuration.ticketsPath
        }
    }
}

/// Requests of those whom the command line speaks for: whoever has the configuration has its secrets, and need not prove who
/// they are. All else is judged as it is for everybody.
extension Pipeline {
    mutating func respond(
        to request: borrowing Request, from caller: Caller, on errand: Errand, as ticket: AnswerTicket,
        at instant: Instant, into response: inout Response
    ) -> Answering {
        begin(request, at: instant)
        do throws(Refusal) {
            switch try run(errand, for: caller, request, as: ticket, at: instant, into: &response).course {
            case .parked: return .later
            case .entered(let held?):
                hold(request, as: ticket, by: held, &response)
                return .later
            case .told, .entered(nil): break
            }
        } catch {
            error.write(into: &response, requestID: requestID.bytes, in: words(for: request))
        }
        return .done
    }

    private mutating func run(
        _ errand: Errand, for caller: Caller, _ request: borrowing Request, as ticket: AnswerTicket,
        at instant: Instant, into response: inout Response
    ) throws(Refusal) -> Settlement {
        switch errand {
        case .ticket: return try mint(for: caller, request, at: instant, into: &response)
        case .issue(let route):
            if configuration.policy.needsCredential(caller, on: route) { throw Refusal(.unauthenticated) }
            return try issue(route, to: caller, request, as: ticket, at: instant, into: &response)
        }
    }
}
