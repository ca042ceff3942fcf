import Access
import Bytes
import Configuration
import HTTP
import Providers
import Upstream

/// Identifies the caller.
extension Pipeline {
    /// Identifies the caller of a route that issues something, and refuses one who can get nothing there. Parameters are read only
    /// after that (R7).
    mutating func identifyAsker(
        _ request: borrowing Request, of route: Int, into response: inout Response
    ) throws(Refusal) {
        let method = request.head.method
        let isTaken =
            if let form = context.form, !form.operations.isEmpty {
                form.operation(by: method.name) != nil
            } else {
                switch method {
                case .get, .head, .post: true
                case .delete, .options, .other: false
                }
            }
        guard isTaken else { throw .methodNotAllowed(of: .issue(route: route, at: context.form)) }
        try identify(request, into: &response)
        if configuration.policy.needsCredential(context.caller, on: route) {
            throw .unauthenticated(by: configuration.authenticator)
        }
        try admitKnownCaller(on: route)
    }

    /// Refuses a caller who can get nothing on a route.
    mutating func admitKnownCaller(on route: Int) throws(Refusal) {
        try admitKnownCaller()
        guard configuration.policy.hasGrant(on: route, for: context.caller) else {
            refusals.tell(configuration.policy.claimFaults(of: context.caller, on: route), of: context)
            throw Refusal(.notInGrant(nil))
        }
    }

    /// Refuses a caller whom the deny list or a brake names.
    func admitKnownCaller() throws(Refusal) {
        if context.caller.isDenied { throw Refusal(.forbidden) }
        if newest.brakes.covers(context.caller, at: context.instant.unixSeconds) != nil { throw .stopped }
    }

    /// Identifies the caller, and counts the request for it.
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
                    remembering: &keys.memory),
                by: .ticket)
        }
        // A credential in the request goes before the certificate of the connection.
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

    /// - Parameter proof: the kind of credential; nil for an API key or a token.
    private mutating func caller(
        of finding: Authenticator.Finding, by proof: RequestLabels.Proof?
    ) throws(Refusal) -> Caller {
        switch finding {
        case .caller(let caller):
            context.note(proof ?? .principal(caller.principal.kind), isAccepted: true)
            return caller
        case .refused(let reason, let fault):
            let token = fault?.token
            context.note(proof ?? .principal(token == nil ? .apiKey : .jwt), isAccepted: false)
            refusals.tell(reason, because: fault, of: context)
            if let issuer = token?.issuerWithoutKey { keys.want(of: issuer, at: context.instant) }
            if token?.isByOldKeys == true { throw .oldKeys }
            throw .unauthenticated(reason.description, wasPresented: true)
        }
    }
}
