import Access
import Bytes
import Configuration
import HTTP
import Telemetry
import Upstream

/// Who asks.
extension Pipeline {
    /// Who asks, if it need not be asked first who that is. Who is denied is told so after what is wrong with the request (R7).
    mutating func identify(
        _ request: borrowing Request, on route: Int, at instant: Instant, into response: inout Response
    ) throws(Refusal) -> Caller {
        if request.head.method == .other { throw .methodNotAllowed(Pipeline.issueMethods) }
        let caller = try identify(request, at: instant, into: &response)
        if configuration.policy.needsCredential(caller, on: route) { throw Refusal(.unauthenticated) }
        return caller
    }

    /// Who asks, if that one does not ask too often.
    mutating func identify(
        _ request: borrowing Request, at instant: Instant, into response: inout Response
    ) throws(Refusal) -> Caller {
        let caller = try authenticate(request, at: instant)
        audit.identify(caller)
        try count(caller, request, at: instant, into: &response)
        return caller
    }

    private mutating func authenticate(_ request: borrowing Request, at instant: Instant) throws(Refusal) -> Caller {
        if request.head.isRepeated(.authorization) || request.head.isRepeated(.apiKey) {
            record.note(.other, isAccepted: false)
            throw .twoCredentials
        }
        if let place = try Pipeline.ticket(in: request.query) {
            guard request.head.value(of: .authorization) == nil, request.head.value(of: .apiKey) == nil else {
                record.note(.other, isAccepted: false)
                throw .twoCredentials
            }
            return try caller(
                of: configuration.authenticator.identify(
                    ticket: request.query.extracting(place), by: tickets, at: instant.unixSeconds,
                    remembering: keys.memory),
                by: .ticket, at: instant)
        }
        // What was said expressly goes before what the connection says.
        if let certificate = request.certificate, request.head.value(of: .authorization) == nil,
            request.head.value(of: .apiKey) == nil
        {
            return try caller(
                of: configuration.authenticator.identify(
                    certificate: certificate.names, until: certificate.notAfter,
                    checkedUntil: certificate.checkedUntil, proof: certificate.proof, at: instant.unixSeconds),
                by: .principal(.certificate), at: instant)
        }
        let authorization = request.head.value(of: .authorization) == nil ? nil : request.field(.authorization)
        let apiKey = request.head.value(of: .apiKey) == nil ? nil : request.field(.apiKey)
        return try caller(
            of: configuration.authenticator.identify(
                authorization: authorization, apiKey: apiKey, at: instant.unixSeconds, remembering: &keys.memory),
            by: nil, at: instant)
    }

    /// - Parameter proof: what was presented, where it is no bearer's.
    private mutating func caller(
        of finding: Authenticator.Finding, by proof: RequestLabels.Proof?, at instant: Instant
    ) throws(Refusal) -> Caller {
        switch finding {
        case .caller(let caller):
            record.note(proof ?? .principal(caller.principal.kind), isAccepted: true)
            return caller
        case .refused(let reason, let fault):
            record.note(proof ?? .principal(fault == nil ? .apiKey : .jwt), isAccepted: false)
            if let fault { note(fault) }
            if let issuer = fault?.issuerWithoutKey { keys.want(of: issuer, at: instant) }
            if fault?.isByOldKeys == true { throw .oldKeys }
            throw .unauthenticated(reason.description, wasPresented: true)
        }
    }

    /// Anybody may send tokens by the thousand, so the log is not told of each unless it wants everything.
    private func note(_ fault: JWTFault) {
        guard log.tells(.debug) else { return }
        let reason = fault.reason.description
        log.write(.debug, "token refused", ["requestId": requestID.text, "reason": reason])
    }
}
