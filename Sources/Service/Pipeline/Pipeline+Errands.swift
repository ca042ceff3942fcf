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
    /// Answers as `respond` does, but that only what waits is counted and logged: whoever asks is told by the command.
    mutating func run(
        _ errand: Errand, of caller: Caller, by request: borrowing Request, as pending: PendingResponse,
        at instant: Instant, into response: inout Response
    ) -> Answering {
        begin(request, as: pending, at: instant)
        context.caller = caller
        context.words = words(at: router.find(request.path))
        do throws(Refusal) {
            switch try carryOut(errand, request, into: &response).course {
            case .parked: return .later
            case .entered(let held?): return hold(&response, by: held)
            case .told, .entered(nil): break
            }
        } catch {
            error.write(into: &response, for: context)
        }
        return .done
    }

    private mutating func carryOut(
        _ errand: Errand, _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) -> Outcome {
        switch errand {
        case .ticket: return try mintOnErrand(request, into: &response)
        case .issue(let route):
            if configuration.policy.needsCredential(context.caller, on: route) { throw Refusal(.unauthenticated) }
            return try decide(route, request, into: &response)
        }
    }
}
