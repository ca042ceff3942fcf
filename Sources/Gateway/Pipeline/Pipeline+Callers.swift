import Access
import Bytes
import Configuration
import HTTP
import Telemetry
import Upstream

/// Identifies the caller.
extension Pipeline {
    /// The caller, if it is identified already. A caller on the deny list is refused after the faults of the request are (R7).
    mutating func identifyAsker(
        _ request: borrowing Request, of route: Int, into response: inout Response
    ) throws(Refusal) {
        if request.head.method == .other { throw .methodNotAllowed(of: .issue(route: route)) }
        try identify(request, into: &response)
        if configuration.policy.needsCredential(context.caller, on: route) { throw Refusal(.unauthenticated) }
    }

    /// The caller, if it does not ask too often.
    mutating func identify(_ request: borrowing Request, into response: inout Response) throws(Refusal) {
        context.caller = try authenticate(request)
        try admitCaller(of: request, into: &response)
    }

    private mutating func authenticate(_ request: borrowing Request) throws(Refusal) -> Caller {
        let now = context.instant.unixSeconds
        if request.head.isRepeated(.authorization) || request.head.isRepeated(.apiKey) {
            context.note(.other, isAccepted: false)
            throw .twoCredentials
        }
        if let range = try Pipeline.ticket(in: request.query) {
            guard request.head.value(of: .authorization) == nil, request.head.value(of: .apiKey) == nil else {
                context.note(.other, isAccepted: false)
                throw .twoCredentials
            }
            return try caller(
                of: configuration.authenticator.identify(
                    ticket: request.query.extracting(range), by: tickets, at: now,
                    remembering: keys.memory),
                by: .ticket)
        }
        // What was said expressly goes before what the connection says.
        if let certificate = request.certificate, request.head.value(of: .authorization) == nil,
            request.head.value(of: .apiKey) == nil
        {
            return try caller(
                of: configuration.authenticator.identify(
                    certificate: certificate.names, until: certificate.notAfter,
                    checkedUntil: certificate.checkedUntil, proof: certificate.proof, at: now),
                by: .principal(.certificate))
        }
        let authorization = request.head.value(of: .authorization) == nil ? nil : request.field(.authorization)
        let apiKey = request.head.value(of: .apiKey) == nil ? nil : request.field(.apiKey)
        return try caller(
            of: configuration.authenticator.identify(
                authorization: authorization, apiKey: apiKey, at: now, remembering: &keys.memory),
            by: nil)
    }

    /// - Parameter proof: what was presented, where it is no bearer's.
    private mutating func caller(
        of finding: Authenticator.Finding, by proof: RequestLabels.Proof?
    ) throws(Refusal) -> Caller {
        switch finding {
        case .caller(let caller):
            context.note(proof ?? .principal(caller.principal.kind), isAccepted: true)
            return caller
        case .refused(let reason, let fault):
            context.note(proof ?? .principal(fault == nil ? .apiKey : .jwt), isAccepted: false)
            if let fault { note(fault) }
            if let issuer = fault?.issuerWithoutKey { keys.want(of: issuer, at: context.instant) }
            if fault?.isByOldKeys == true { throw .oldKeys }
            throw .unauthenticated(reason.description, wasPresented: true)
        }
    }

    /// Anybody may send tokens by the thousand, so the log is not told of each unless it wants everything.
    private func note(_ fault: JWTFault) {
        guard log.tells(.debug) else { return }
        let reason = fault.reason.description
        log.write(.debug, "token refused", ["requestId": context.id.bytes.text, "reason": reason])
    }
}
