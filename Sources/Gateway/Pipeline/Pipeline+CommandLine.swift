import Access
import Bytes
import Configuration
import HTTP
import Providers

/// What `countersign mint` and `countersign ticket` ask for, on behalf of a caller whom they name.
package enum IssuingMethod {
    /// Something of a route, by its index in the registry.
    case issue(route: Int)
    case ticket

    /// Where others ask for it.
    package var path: [UInt8] {
        switch self {
        case .issue(let route): Registry.routes[route].description.path
        case .ticket: Configuration.ticketsPath
        }
    }
}

/// Requests of the command line, whose operator names the caller: who can read the configuration has its secrets, and need not
/// prove an identity. All else is judged as for any request.
extension Pipeline {
    /// Answers as `respond` does, but that only requests that wait are counted and logged: the command tells the operator.
    mutating func run(
        _ method: IssuingMethod, of caller: Caller, by request: borrowing Request, as pending: PendingResponse,
        at instant: Instant, into response: inout Response
    ) -> Answering {
        begin(request, as: pending, at: instant)
        context.caller = caller
        context.words = words(at: router.find(request.path))
        do throws(Refusal) {
            switch try carryOut(method, request, into: &response).progress {
            case .parked: return .later
            case .recorded(let held?): return hold(&response, by: held)
            case .told, .recorded(nil): break
            }
        } catch {
            reporter.write(error, into: &response, for: context)
        }
        return .done
    }

    private mutating func carryOut(
        _ method: IssuingMethod, _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) -> Outcome {
        switch method {
        case .ticket: return try mintForCommand(request, into: &response)
        case .issue(let route):
            if configuration.policy.needsCredential(context.caller, on: route) {
                throw .unauthenticated(by: configuration.authenticator)
            }
            try admitKnownCaller(on: route)
            return try decide(route, request, into: &response)
        }
    }
}
