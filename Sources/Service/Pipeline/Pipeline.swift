import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Providers
import Telemetry
import Upstream

/// What every request goes through, once, from left to right: host, route, caller, ask, origin, permit, token, answer.
///
/// One value serves one event loop; its storage is used again for every request.
struct Pipeline: ~Copyable {
    let configuration: Configuration
    /// What new requests are admitted by. A request that had to wait is checked against it before anything is issued.
    let newest: NewestAdmission
    let router: Router
    /// By the place of the address that is listened on.
    private let hosts: [HostRule]
    let origins: OriginRule
    /// By the grant's place; nil for one whose route issues nothing.
    private let makings: [Making?]
    let callbacks: CallbackTable
    let upstream: LoopUpstream
    let limiter: RateLimiter
    let meter: RequestMeter
    let accesses: AccessLog
    var record = RequestRecord(at: Instant(unixSeconds: 0, monotonic: 0))
    let audit: AuditClerk
    /// By the place of the grant.
    let audited: [AuditedGrant]
    var memo = SessionMemo()
    let log: Log
    var ask: Ask
    var workspace: PolicyWorkspace
    let keys: IssuerKeys
    /// Nil where there are no tickets.
    let tickets: TicketSigner?
    var scratch: ByteWriter
    private var random: RandomPool
    var requestID: RequestID
    private var tokens = TokenWriter()

    static let issueMethods: StaticString = "GET, HEAD, POST, OPTIONS"
    private static let readMethods: StaticString = "GET, HEAD, OPTIONS"

    /// How what a grant issues is made.
    private enum Making {
        case signing(any TokenIssuer, SigningKey)
        case signingBySession(any TokenIssuer, SigningSession)
        case session(DistributeToken)
        case asking(any VendorIssuer, SigningKey, VendorLine)

        init?(
            _ issuer: IssuerKind, of grant: Grant, with key: SigningKey?, from sessions: SessionCache?,
            on line: VendorLine?
        ) throws(CryptoError) {
            switch (issuer, key, sessions, line) {
            case (.signing(let issuer), let key?, _, _): self = .signing(issuer, key)
            case (.signingBySession(let issuer, let policy), _, let sessions?, _):
                guard let session = try STSSession(signingFor: grant, allowing: policy, of: sessions.account.account)
                else { return nil }
                self = .signingBySession(issuer, SigningSession(session, in: sessions))
            case (.session(let issuer), _, _, _): self = .session(issuer)
            case (.asking(let issuer), let key?, _, let line?): self = .asking(issuer, key, line)
            case (.signing, _, _, _), (.signingBySession, _, _, _), (.asking, _, _, _), (.verifying, _, _, _):
                return nil
            }
        }
    }

    init(
        _ admission: Admission, before newest: NewestAdmission, _ upstream: LoopUpstream, _ limiter: RateLimiter,
        _ meter: RequestMeter,
        _ accesses: AccessLog, _ audit: AuditClerk, log: Log
    ) throws(CryptoError) {
        let configuration = admission.configuration
        var keys: [SigningKey?] = []
        for credential in configuration.credentials {
            let pair = credential.sessions == nil ? credential.key : nil
            keys.append(
                try pair.map { pair throws(CryptoError) in
                    try SigningKey(accessKey: pair.accessKey, secret: pair.secret)
                })
        }
        let previous = try configuration.credentials.map { credential throws(CryptoError) in
            try credential.previous.map { old throws(CryptoError) in
                (key: try SigningKey(accessKey: old.pair.accessKey, secret: old.pair.secret), until: old.until)
            }
        }
        let makings = try zip(configuration.grants, upstream.lines).map { grant, line throws(CryptoError) in
            try Making(
                configuration.issuers[grant.index], of: grant, with: keys[grant.credential],
                from: upstream.sessions(of: grant.credential), on: line)
        }
        let requestID = try RequestID()
        var random = RandomPool()
        let nonce = Nonce(try random.draw())
        let tickets = try configuration.authenticator.ticketKey?.makeSigner()
        self.configuration = configuration
        self.newest = newest
        self.log = log
        self.upstream = upstream
        self.limiter = limiter
        self.meter = meter
        self.accesses = accesses
        self.audit = audit
        audited = configuration.grants.map { AuditedGrant($0, of: configuration) }
        self.makings = makings
        self.requestID = requestID
        callbacks = CallbackTable(configuration, with: keys, after: previous)
        router = Router(aliases: configuration.server.aliases, callbacks: callbacks.paths)
        hosts = admission.hosts
        origins = admission.origins
        ask = Ask(nonce)
        self.random = random
        workspace = PolicyWorkspace()
        self.keys = admission.keys
        self.tickets = tickets
        scratch = ByteWriter(capacity: 1024)
    }

    mutating func respond(
        to request: borrowing Request, as ticket: AnswerTicket, at instant: Instant, into response: inout Response
    ) -> Answering {
        begin(request, at: instant)
        do throws(Refusal) {
            let settlement = try answer(request, as: ticket, at: instant, into: &response)
            switch settlement.course {
            case .parked: return .later
            case .entered(let held?):
                hold(request, as: ticket, by: held, &response)
                return .later
            case .told, .entered(nil): finish(request, status: response.status, because: nil, at: instant, &response)
            }
        } catch {
            refuse(request, because: error, at: instant, &response)
        }
        return .done
    }

    mutating func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        begin(request, at: instant)
        do throws(Refusal) {
            switch try find(request, at: instant, into: &response) {
            case .issue(let route) where request.head.method != .options:
                _ = try identify(request, on: route, at: instant, into: &response)
                guard request.head.method == .post else { throw .unwantedBody }
                _ = try bodyType(
                    of: request, textParameter: Registry.routes[route].description.request.textParameter)
            case .callback: _ = try judgeHead(of: request, at: instant)
            case .grants where request.head.method != .options:
                _ = try identifyLister(request, at: instant, into: &response)
                throw .unwantedBody
            case .tickets where request.head.method != .options:
                _ = try identifyMinter(request, at: instant, into: &response)
                _ = try bodyType(of: request, textParameter: nil)
            case .alive:
                if request.head.method != .options { try reportAlive(request, into: &response) }
                throw .unwantedBody
            case .issue, .grants, .tickets, .everything: throw .unwantedBody
            }
            return false
        } catch {
            refuse(request, because: error, at: instant, &response)
            return true
        }
    }

    mutating func respond(
        to error: RequestError, from client: ClientAddress, at instant: Instant, into response: inout Response
    ) {
        takeFor(address: client, at: instant)
        requestID.begin()
        audit.begin(at: instant)
        let refusal = Refusal(error)
        refusal.write(into: &response, requestID: requestID.bytes)
        response.add("X-Request-Id", requestID.bytes)
        audit.note(refusal) { _, _ in }
        if let limit = RequestLabels.Limit(error.kind) { meter.count(limit) }
        record = RequestRecord(at: instant)
        meter.count(record, status: refusal.status, because: refusal.code)
        let none: [UInt8] = []
        accesses.write(
            record, requestID: requestID.bytes, path: none.span, status: refusal.status, because: refusal.code,
            at: instant.unixSeconds)
    }

    mutating func begin(_ request: borrowing Request, at instant: Instant) {
        requestID.begin(request)
        record = RequestRecord(request, at: instant)
        audit.begin(at: instant)
    }

    private func refuse(
        _ request: borrowing Request, because refusal: Refusal, at instant: Instant, _ response: inout Response
    ) {
        note(refusal, of: request, at: instant)
        refusal.write(into: &response, requestID: requestID.bytes, in: words(for: request))
        finish(request, status: refusal.status, because: refusal.code, at: instant, &response)
    }

    /// In whose words the errors of the request's route are told.
    func words(for request: borrowing Request) -> Refusal.Words {
        guard case .issue(let route)? = router.find(request.path),
            Registry.routes[route].description.answer.errorsForSDK
        else { return .problem }
        return .sdk(inBody: configuration.server.statusInBody)
    }

    /// - Parameters:
    ///   - status: what it is truly, whatever the head says.
    ///   - reason: the refusal's code; nil for a success.
    private func finish(
        _ request: borrowing Request, status: Int, because reason: Refusal.Code?, at instant: Instant,
        _ response: inout Response
    ) {
        response.add("X-Request-Id", requestID.bytes)
        meter.count(record, status: status, because: reason)
        accesses.write(
            record, requestID: requestID.bytes, path: knownPath(of: request), status: status, because: reason,
            at: instant.unixSeconds)
    }

    /// The path, if it is one of the service's own.
    @_lifetime(copy request)
    func knownPath(of request: borrowing Request) -> Span<UInt8> {
        let path = request.path
        return path.extracting(0..<(record.route == RequestLabels.none ? 0 : path.count))
    }

    // MARK: Routes

    /// The endpoint that a request is for, if its address does not ask too often. Every request is counted here, whatever comes of
    /// it, but probes and preflights.
    private mutating func find(
        _ request: borrowing Request, at instant: Instant, into response: inout Response
    ) throws(Refusal) -> Router.Endpoint {
        let endpoint: Router.Endpoint
        do throws(Refusal) { endpoint = try locate(request) } catch {
            // What is wrong with the name or the path is told first (R7).
            take(forAddressOf: request, at: instant)
            throw error
        }
        if request.head.method == .options { return endpoint }
        switch endpoint {
        case .alive, .everything: return endpoint
        case .issue, .grants, .tickets: admitOrigin(of: request, into: &response)
        case .callback: break
        }
        try count(addressOf: request, at: instant, into: &response)
        return endpoint
    }

    /// The endpoint that a request is for, if the service answers to the name that it was asked by.
    private mutating func locate(_ request: borrowing Request) throws(Refusal) -> Router.Endpoint {
        guard hosts.indices.contains(request.listener),
            hosts[request.listener].admits(request.authority) || isPublic(request)
        else { throw .misdirected }
        // `OPTIONS *`, or of a URL without a path.
        if request.path.isEmpty, request.head.method == .options { return .everything }
        guard let endpoint = router.find(request.path) else { throw .notFound }
        record.route = RequestLabels.route(endpoint)
        return endpoint
    }

    /// Whether it is for a callback's public URL, host and all.
    private func isPublic(_ request: borrowing Request) -> Bool {
        guard let url = callbacks.find(path: request.path, query: request.query)?.verifier.publicURL else {
            return false
        }
        return request.authority.equals(ignoringCaseOf: url.authority)
    }

    private mutating func answer(
        _ request: borrowing Request, as ticket: AnswerTicket, at instant: Instant, into response: inout Response
    ) throws(Refusal) -> Settlement {
        let found = try find(request, at: instant, into: &response)
        if request.head.method == .options { guard request.body.isEmpty else { throw .unwantedBody } }
        switch found {
        case .issue(let route): return try issue(route, request, as: ticket, at: instant, into: &response)
        case .callback: return try receive(request, as: ticket, at: instant, into: &response)
        case .tickets: return try mint(request, at: instant, into: &response)
        case .grants: try listGrants(request, at: instant, into: &response)
        case .alive: try reportAlive(request, into: &response)
        case .everything: explain(Pipeline.issueMethods, into: &response)
        }
        return .told
    }

    private func reportAlive(_ request: borrowing Request, into response: inout Response) throws(Refusal) {
        switch request.head.method {
        case .get, .head:
            guard request.body.isEmpty else { throw .unwantedBody }
            response.body.append("{\"status\":\"ok\"}\n")
        case .options: explain(Pipeline.readMethods, into: &response)
        case .post, .other: throw .methodNotAllowed(Pipeline.readMethods)
        }
    }

    func explain(_ methods: StaticString, into response: inout Response) {
        response.status = 204
        response.add("Allow", methods)
    }

    // MARK: Issuing

    private mutating func issue(
        _ route: Int, _ request: borrowing Request, as ticket: AnswerTicket, at instant: Instant,
        into response: inout Response
    ) throws(Refusal) -> Settlement {
        if request.head.method == .options {
            try explainOptions(request, into: &response)
            return .told
        }
        let caller = try identify(request, on: route, at: instant, into: &response)
        return try issue(route, to: caller, request, as: ticket, at: instant, into: &response)
    }

    /// - Parameter caller: somebody who may get something on the route.
    mutating func issue(
        _ route: Int, to caller: Caller, _ request: borrowing Request, as ticket: AnswerTicket, at instant: Instant,
        into response: inout Response
    ) throws(Refusal) -> Settlement {
        try read(request, for: Registry.routes[route].description, by: caller, at: instant)
        guard origins.admits(request) else { throw .foreignOrigin }
        switch configuration.policy.decide(ask, on: route, by: caller, at: instant, in: &workspace) {
        case .denied(let denial): throw Refusal(denial)
        case .permitted(let permit):
            try count(permit.grant, to: caller, request, at: instant, into: &response)
            return try issue(under: permit, to: caller, request, as: ticket, at: instant, into: &response)
        }
    }

    private mutating func issue(
        under permit: consuming Permit, to caller: Caller, _ request: borrowing Request, as ticket: AnswerTicket,
        at instant: Instant, into response: inout Response
    ) throws(Refusal) -> Settlement {
        // HEAD asks whether, and gets nothing.
        if request.head.method == .head { return settle(withoutIssuing: permit) }
        record.isIssuing = true
        try audit.admit()
        switch makings[permit.grant.index] {
        case .signing(let issuer, let key):
            try write(by: issuer, under: permit, with: key, at: instant, into: &response)
            let terms = IssueTerms(permit)
            return try settle(permit, to: caller, terms, at: instant, in: response)
        case .signingBySession(let issuer, let session):
            return try sign(
                by: issuer, with: session, under: permit, to: caller, request, as: ticket, at: instant,
                into: &response)
        case .session(let issuer):
            return try distribute(
                by: issuer, under: permit, to: caller, request, as: ticket, at: instant, into: &response)
        case .asking(let issuer, let key, let line):
            try fetch(
                by: issuer, under: permit, to: caller, with: key, on: line, request, as: ticket, at: instant,
                with: response)
            return settle(parked: permit)
        case nil: throw fail("issuing", IssueError.nothingToSign)
        }
    }

    mutating func drawNonce() throws(Refusal) -> Nonce {
        do throws(CryptoError) { return Nonce(try random.draw()) } catch { throw fail("random bytes", error) }
    }

    // MARK: Answers

    mutating func write(
        by issuer: any TokenIssuer, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into response: inout Response
    ) throws(Refusal) {
        do throws(IssueError) {
            try tokens.write(ask, by: issuer, under: permit, with: key, at: instant, into: &response, using: &scratch)
        } catch {
            throw fail("issuing", error)
        }
    }

    /// Notes what broke, and gives what the client is told.
    func fail(_ what: String, _ error: any Error) -> Refusal {
        log.write(.error, "\(what) failed", ["requestId": requestID.text, "error": "\(error)"])
        return .internalError
    }
}
