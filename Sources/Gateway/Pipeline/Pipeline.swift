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
    /// By the index of the address that is listened on.
    private let hosts: [HostRule]
    let origins: CORSPolicy
    /// By the grant's index; nil for one whose route issues nothing.
    private let grantIssuers: [GrantIssuer?]
    let callbacks: CallbackTable
    let upstream: LoopUpstream
    let limiter: RateLimiter
    let meter: RequestMeter
    let reporter: RequestReporter
    var context = RequestContext()
    let audit: LoopAudit
    let audited: AuditedGrants
    var memo = SessionMemo()
    let log: Log
    var refusals: RefusalLog
    var ask: Ask
    var workspace: PolicyWorkspace
    let keys: LoopTokens
    /// Nil where there are no tickets.
    let tickets: TicketSigner?
    /// Nil for a service that is alone.
    let cluster: ClusterMember?
    var scratch: ByteWriter
    private var random: RandomPool
    private var ids: RequestIDs
    private var tokens = TokenWriter()

    /// A grant's issuer with the key or the session that it signs with, or the link to the vendor that it asks.
    private enum GrantIssuer {
        case signing(any TokenIssuer, SigningKey)
        case signingBySession(any TokenIssuer, SigningSession)
        case session(SessionIssuer)
        case asking(any VendorIssuer, SigningKey, VendorLink)

        init?(
            _ issuer: IssuerKind, of grant: Grant, with key: SigningKey?, from sessions: SessionCache?,
            on link: VendorLink?
        ) throws(CryptoError) {
            switch (issuer, key, sessions, link) {
            case (.signing(let issuer), let key?, _, _): self = .signing(issuer, key)
            case (.signingBySession(let issuer, let policy), _, let sessions?, _):
                guard let session = try VendorSession(signingFor: grant, allowing: policy, of: sessions.account.source)
                else { return nil }
                self = .signingBySession(issuer, SigningSession(session, in: sessions))
            case (.session(let issuer), _, _, _): self = .session(issuer)
            case (.asking(let issuer), let key?, _, let link?): self = .asking(issuer, key, link)
            case (.signing, _, _, _), (.signingBySession, _, _, _), (.asking, _, _, _), (.verifying, _, _, _):
                return nil
            }
        }
    }

    init(
        _ admission: Admission, _ upstream: LoopUpstream, _ reporter: RequestReporter, _ resources: LoopResources,
        log: Log
    ) throws(CryptoError) {
        let configuration = admission.configuration
        var keys: [SigningKey?] = []
        for credential in configuration.credentials {
            let pair = credential.sessions == nil ? credential.key : nil
            keys.append(
                try pair.map { pair throws(CryptoError) in
                    try SigningKey(accessKey: pair.accessKey, secret: pair.secret, securityToken: pair.securityToken)
                })
        }
        let previous = try configuration.credentials.map { credential throws(CryptoError) in
            try credential.previous.map { old throws(CryptoError) in
                (key: try SigningKey(accessKey: old.pair.accessKey, secret: old.pair.secret), until: old.until)
            }
        }
        let grantIssuers = try zip(configuration.grants, upstream.links).map { grant, link throws(CryptoError) in
            try GrantIssuer(
                configuration.issuers[grant.index], of: grant, with: keys[grant.credential],
                from: upstream.sessions(of: grant.credential), on: link)
        }
        let ids = try RequestIDs()
        var random = RandomPool()
        let nonce = Nonce(try random.draw())
        let tickets = try configuration.authenticator.ticketKey?.makeSigner()
        self.configuration = configuration
        newest = resources.newest
        self.log = log
        refusals = RefusalLog(log)
        self.upstream = upstream
        limiter = resources.limiter
        meter = resources.meter
        self.reporter = reporter
        audit = resources.audit
        audited = AuditedGrants(configuration)
        self.grantIssuers = grantIssuers
        self.ids = ids
        callbacks = CallbackTable(configuration, with: keys, after: previous)
        router = Router(aliases: configuration.server.aliases, callbacks: callbacks.paths)
        hosts = admission.hosts
        origins = admission.origins
        ask = Ask(nonce)
        self.random = random
        workspace = PolicyWorkspace()
        self.keys = admission.keys
        self.tickets = tickets
        cluster = resources.cluster
        scratch = ByteWriter(capacity: 1024)
    }

    mutating func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering {
        begin(request, as: pending, at: instant)
        do throws(Refusal) {
            switch try answer(request, into: &response).progress {
            case .parked: return .later
            case .recorded(let held?): return hold(&response, by: held)
            case .told, .recorded(nil): reporter.finish(context, &response)
            }
        } catch {
            reporter.refuse(context, because: error, &response)
        }
        return .done
    }

    mutating func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        begin(request, as: nil, at: instant)
        do throws(Refusal) {
            switch try find(request, into: &response) {
            case .issue(let route, _) where request.head.method != .options:
                try identifyAsker(request, of: route, into: &response)
                guard request.head.method == .post else { throw .unwantedBody }
                _ = try bodyType(
                    of: request, textParameter: Registry.routes[route].description.request.textParameter)
            case .callback: _ = try judgeHead(of: request)
            case .grants where request.head.method != .options:
                try identifyLister(request, into: &response)
                throw .unwantedBody
            case .tickets where request.head.method != .options:
                try identifyMinter(request, into: &response)
                _ = try bodyType(of: request, textParameter: nil)
            case .alive:
                if request.head.method != .options { try reportAlive(request, into: &response) }
                throw .unwantedBody
            case .issue, .grants, .tickets, .everything: throw .unwantedBody
            }
            return false
        } catch {
            reporter.refuse(context, because: error, &response)
            return true
        }
    }

    /// Refuses what could not be read.
    mutating func refuse(
        _ error: RequestError, from client: ClientAddress, at instant: Instant, into response: inout Response
    ) {
        context.beginUnread(at: instant, named: &ids)
        audit.begin(at: instant)
        takeToken(for: client)
        if let limit = RequestLabels.Limit(error.kind) { meter.count(limit) }
        reporter.refuse(context, because: Refusal(error), &response)
    }

    /// - Parameter pending: nil where only the head has come.
    mutating func begin(_ request: borrowing Request, as pending: PendingResponse?, at instant: Instant) {
        context.begin(request, as: pending, at: instant, named: &ids)
        audit.begin(at: instant)
    }

    /// Has the answer wait until its line is on the disk.
    mutating func hold(_ response: inout Response, by held: HeldAnswer) -> Answering {
        reporter.hold(&context, &response, by: held)
        return .later
    }

    // MARK: Routes

    /// The endpoint that a request is for, if its address does not ask too often. Every request is counted here, whatever comes of
    /// it, but probes and preflights.
    private mutating func find(
        _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) -> Router.Endpoint {
        let endpoint: Router.Endpoint
        do throws(Refusal) { endpoint = try locate(request) } catch {
            // What is wrong with the name or the path is told first (R7).
            takeAddressToken(of: request)
            throw error
        }
        if case .options = request.head.method { return endpoint }
        switch endpoint {
        case .alive, .everything: return endpoint
        case .issue, .grants, .tickets: addCORSFields(of: request, into: &response)
        case .callback: break
        }
        try admitAddress(of: request, into: &response)
        return endpoint
    }

    /// The endpoint that a request is for, if the service answers to the request's host name. `/livez` answers under every name:
    /// probes ask by address, and a web page learns nothing from the answer.
    private mutating func locate(_ request: borrowing Request) throws(Refusal) -> Router.Endpoint {
        let found = router.find(request.path)
        context.words = words(at: found)
        guard hosts.indices.contains(request.listener),
            found?.isForProbes == true || hosts[request.listener].admits(request.authority) || isPublic(request)
        else { throw .misdirected }
        // `OPTIONS *`, or of a URL without a path.
        if request.path.isEmpty, request.head.method == .options { return .everything }
        guard let found else { throw .notFound(at: request.path) }
        if case .issue(_, let form?) = found {
            // What a client puts into it is not for logs.
            context.form = form
            context.setRoute(RequestLabels.route(found), form.template.utf8.span)
        } else {
            context.setRoute(RequestLabels.route(found), request.path)
        }
        return found
    }

    /// The form in which the errors of an endpoint are written.
    func words(at endpoint: Router.Endpoint?) -> Refusal.Words {
        guard case .issue(let route, _)? = endpoint else { return .problem }
        return switch Registry.routes[route].description.answer.reader {
        case .anything: .problem
        case .alibabaSDK: .sdk(inBody: configuration.server.statusInBody)
        case .iceberg: .iceberg
        }
    }

    /// Whether it is for a callback's public URL, host and all.
    private func isPublic(_ request: borrowing Request) -> Bool {
        guard let url = callbacks.find(path: request.path, query: request.query)?.verifier.publicURL else {
            return false
        }
        return request.authority.equals(ignoringCaseOf: url.authority)
    }

    private mutating func answer(
        _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) -> Outcome {
        let found = try find(request, into: &response)
        if case .options = request.head.method { guard request.body.isEmpty else { throw .unwantedBody } }
        switch found {
        case .issue(let route, _): return try issue(route, request, into: &response)
        case .callback: return try receive(request, into: &response)
        case .tickets: return try mint(request, into: &response)
        case .grants: try listGrants(request, into: &response)
        case .alive: try reportAlive(request, into: &response)
        case .everything: explain(.everything, into: &response)
        }
        return .told
    }

    private func reportAlive(_ request: borrowing Request, into response: inout Response) throws(Refusal) {
        switch request.head.method {
        case .get, .head:
            guard request.body.isEmpty else { throw .unwantedBody }
            response.tellAlive()
        case .options: explain(.alive, into: &response)
        case .post, .delete, .other: throw .methodNotAllowed(of: .alive)
        }
    }

    func explain(_ endpoint: Router.Endpoint, into response: inout Response) {
        response.tellMethods(endpoint.methods)
    }

    // MARK: Issuing

    private mutating func issue(
        _ route: Int, _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) -> Outcome {
        if case .options = request.head.method {
            try explainOptions(request, of: .issue(route: route, at: context.form), into: &response)
            return .told
        }
        try identifyAsker(request, of: route, into: &response)
        return try decide(route, request, into: &response)
    }

    /// For a caller who may get something on the route.
    mutating func decide(
        _ route: Int, _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) -> Outcome {
        try read(request, for: Registry.routes[route].description)
        guard origins.admits(request) else { throw .foreignOrigin }
        switch configuration.policy.decide(ask, on: route, by: context.caller, at: context.instant, in: &workspace) {
        case .denied(let denial):
            if case .notInGrant = denial {
                refusals.tell(configuration.policy.claimFaults(of: context.caller, on: route), of: context)
            }
            throw Refusal(denial)
        case .permitted(let permit):
            try admit(to: permit.grant, request, into: &response)
            return try give(under: permit, request, into: &response)
        }
    }

    private mutating func give(
        under permit: consuming Permit, _ request: borrowing Request, into response: inout Response
    ) throws(Refusal) -> Outcome {
        try checkBrakes(on: permit.grant)
        // HEAD asks whether a GET would issue something, and issues nothing.
        if case .head = request.head.method { return withhold(permit) }
        context.isIssuing = true
        if let cluster, !cluster.admits(at: context.instant) { throw .clusterStale }
        try audit.admit()
        switch grantIssuers[permit.grant.index] {
        case .signing(let issuer, let key):
            try write(by: issuer, under: permit, with: key, into: &response)
            let terms = IssueTerms(permit)
            return try record(permit, terms, of: request, in: &response)
        case .signingBySession(let issuer, let session):
            return try sign(by: issuer, with: session, under: permit, request, into: &response)
        case .session(let issuer):
            return try distribute(by: issuer, under: permit, request, into: &response)
        case .asking(let issuer, let key, let link):
            if let signer = issuer.signer(of: ask) {
                try write(by: signer, under: permit, with: key, into: &response)
                let terms = IssueTerms(permit)
                return try record(permit, terms, of: request, in: &response)
            }
            guard context.caller.ticket?.uses == nil else { throw .ticketForgotten }
            let question = try question(by: issuer, under: permit, with: key)
            try fetch(question, under: permit, on: link, request, with: response)
            return postpone(permit)
        case nil: throw fail("issuing", IssueError.nothingToSign)
        }
    }

    mutating func drawNonce() throws(Refusal) -> Nonce {
        do throws(CryptoError) { return Nonce(try random.draw()) } catch { throw fail("random bytes", error) }
    }

    // MARK: Answers

    mutating func write(
        by issuer: any TokenIssuer, under permit: borrowing Permit, with key: SigningKey, into response: inout Response
    ) throws(Refusal) {
        do throws(IssueError) {
            try tokens.write(
                ask, by: issuer, with: key, under: permit, at: context.instant, into: &response)
        } catch {
            throw fail("issuing", error)
        }
    }

    /// Logs the failure, and returns the refusal that the client gets.
    func fail(_ what: String, _ error: any Error) -> Refusal {
        log.write(.error, "\(what) failed", ["requestId": context.id.bytes.text, "error": "\(error)"])
        return .internalError
    }
}
