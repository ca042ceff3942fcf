import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Upstream

/// What a request at the admin listener goes through: host, page, path, key, answer. It shares nothing with what the public
/// listener does, and its paths are not there.
///
/// One value serves one event loop.
struct AdminPipeline: ~Copyable {
    enum Endpoint: CaseIterable {
        /// Whether the process answers at all.
        case alive
        /// Whether it can do its work.
        case ready
        /// Why a caller would get a token, or would not.
        case explanation
        /// What is stopped, and what is to be stopped or set free.
        case brakes
        /// What it has counted, for Prometheus.
        case metrics
        /// What callers can ask, for their tools.
        case openAPI
        /// The page for operators, and what it is made of.
        case page, style, script, icon
        /// What the page shows, and has done.
        case status, grants, asks, inspection, mint, verification

        var path: [UInt8] {
            switch self {
            case .alive: Configuration.livenessPath
            case .ready: Configuration.readinessPath
            case .explanation: Configuration.explanationPath
            case .brakes: Configuration.brakesPath
            case .metrics: Configuration.metricsPath
            case .openAPI: Configuration.openAPIPath
            case .page: ConsoleFile.page.path
            case .style: ConsoleFile.style.path
            case .script: ConsoleFile.script.path
            case .icon: ConsoleFile.icon.path
            case .status: Array("/console/status".utf8)
            case .grants: Array("/console/grants".utf8)
            case .asks: Array("/console/asks".utf8)
            case .inspection: Array("/console/inspect".utf8)
            case .mint: Array("/console/mint".utf8)
            case .verification: Array("/console/verify".utf8)
            }
        }

        var methods: String {
            if !isRead { return "POST, OPTIONS" }
            return takesBody ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS"
        }

        /// What it gives of the page; nil for what is no file of it.
        var file: ConsoleFile? {
            switch self {
            case .page: .page
            case .style: .style
            case .script: .script
            case .icon: .icon
            default: nil
            }
        }

        /// Whether it is there for the page alone.
        var isOfConsole: Bool {
            switch self {
            case .alive, .ready, .explanation, .brakes, .metrics, .openAPI: false
            case .page, .style, .script, .icon, .status, .grants, .asks, .inspection, .mint, .verification: true
            }
        }

        /// Whether it is asked by a body.
        var takesBody: Bool {
            switch self {
            case .explanation, .brakes, .inspection, .mint, .verification: true
            default: false
            }
        }

        /// Whether it is asked without one.
        var isRead: Bool { self == .brakes || !takesBody }

        /// Whether it answers without a key: supervisors and load balancers ask so, and a browser has none for a page, which tells
        /// nothing of the service.
        var isOpen: Bool { self == .alive || self == .ready || file != nil }
    }

    /// By the index among the admin's addresses.
    private let hosts: [HostRule]
    /// Nil where everybody who reaches the listener may ask.
    private let authenticator: Authenticator?
    private var memory: CredentialCache
    private let paths: [(path: [UInt8], endpoint: Endpoint)]
    /// Nil where there is no page for operators.
    let console: Console?
    let queued: QueuedAnswers
    /// Nil where nothing can be stopped.
    let brakes: BrakeKeeper?
    private let readiness: Readiness
    let explainer: Explainer
    private let metrics: MetricsPage
    let reporter: RequestReporter
    private(set) var context = RequestContext()
    private var ids: RequestIDs

    init(
        _ snapshot: Snapshot, _ readiness: Readiness, _ metrics: MetricsPage, _ reporter: RequestReporter,
        _ console: Console?, _ queued: QueuedAnswers
    ) throws(CryptoError) {
        let configuration = snapshot.configuration
        self.console = console
        self.queued = queued
        brakes = snapshot.brakes
        paths = Endpoint.allCases.filter { console != nil || !$0.isOfConsole }.map { ($0.path, $0) }
        ids = try RequestIDs()
        hosts = configuration.admin.listen.map { HostRule(configuration.server, listener: $0, isAdmin: true) }
        authenticator = configuration.admin.authenticator
        memory = CredentialCache(capacity: 0)
        self.readiness = readiness
        explainer = Explainer(configuration: configuration, brakes: snapshot.brakes)
        self.metrics = metrics
        self.reporter = reporter
    }

    /// - Parameters:
    ///   - listener: the index of the address that it came in by, among the admin's.
    ///   - pipeline: by which something is issued for the page.
    mutating func respond(
        to request: borrowing Request, as pending: PendingResponse, by listener: Int, at instant: Instant,
        through pipeline: inout Pipeline, into response: inout Response
    ) -> Answering {
        begin(request, as: pending, at: instant)
        do throws(Refusal) {
            let endpoint = try find(request, by: listener)
            try admit(request, to: endpoint)
            if endpoint == .brakes, request.head.method == .post {
                try admitType(of: request)
                try orderBrake(request, for: park(as: pending, with: response))
                return .later
            }
            if let console, request.head.method != .options {
                switch endpoint {
                case .grants, .asks, .inspection, .verification:
                    try begin(endpoint, request, for: park(as: pending, with: response), by: console)
                    return .later
                case .mint:
                    try admitType(of: request)
                    return try mint(request, as: pending, through: &pipeline, into: &response)
                default: break
                }
            }
            try answer(request, by: endpoint, into: &response)
            reporter.finish(context, &response)
        } catch {
            reporter.refuse(context, because: error, &response)
        }
        return .done
    }

    /// Begins what is answered later, from a queue.
    private func begin(
        _ endpoint: Endpoint, _ request: borrowing Request, for parked: ParkedRequest, by console: Console
    ) throws(Refusal) {
        switch endpoint {
        case .grants: try console.readGrants(ConsoleQuery(request), for: parked)
        case .asks: try console.readAsks(ConsoleQuery(request), for: parked)
        case .verification:
            try admitType(of: request)
            try console.verify(request.body, for: parked)
            console.note("verify", of: context)
        case .inspection:
            try admitType(of: request)
            try console.inspect(request.body, at: context.instant.unixSeconds, for: parked)
            console.note("inspect", of: context)
        default: throw .notFound
        }
    }

    /// What is kept of a request that waits for a queue.
    private func park(as pending: PendingResponse, with response: borrowing Response) -> ParkedRequest {
        ParkedRequest(context, as: pending, with: response, issuing: nil, nil, by: reporter)
    }

    mutating func refuses(
        _ request: borrowing Request, by listener: Int, at instant: Instant, into response: inout Response
    ) -> Bool {
        begin(request, as: nil, at: instant)
        do throws(Refusal) {
            let endpoint = try find(request, by: listener)
            try admit(request, to: endpoint)
            guard endpoint.takesBody, request.head.method == .post else { throw .unwantedBody }
            try admitType(of: request)
            return false
        } catch {
            reporter.refuse(context, because: error, &response)
            return true
        }
    }

    private mutating func begin(_ request: borrowing Request, as pending: PendingResponse?, at instant: Instant) {
        context.begin(request, as: pending, at: instant, named: &ids)
        let path = request.path
        var isKnown = false
        for known in paths where path.equals(known.path) { isKnown = true }
        context.setRoute(RequestLabels.admin, path.extracting(0..<(isKnown ? path.count : 0)))
    }

    // MARK: Endpoints

    /// Web pages get no answer, whatever their origin, but for the listener's own.
    private func find(_ request: borrowing Request, by listener: Int) throws(Refusal) -> Endpoint {
        let isProbe = request.path.equals(Endpoint.alive.path)
        guard hosts.indices.contains(listener), isProbe || hosts[listener].admits(request.authority) else {
            throw .misdirected
        }
        let isOfNoPage = request.head.value(of: .origin) == nil
        guard CORSPolicy.isOwnOrNone(request), isOfNoPage || console != nil && CORSPolicy.ownPages.isListed(request)
        else {
            throw .webPage
        }
        for candidate in paths where request.path.equals(candidate.path) { return candidate.endpoint }
        for endpoint in Endpoint.allCases where endpoint.isOfConsole && request.path.equals(endpoint.path) {
            throw .noConsole
        }
        throw .notFound
    }

    private mutating func admit(_ request: borrowing Request, to endpoint: Endpoint) throws(Refusal) {
        if let authenticator, !endpoint.isOpen { try identify(request, by: authenticator) }
        switch request.head.method {
        case .options: break
        case .get, .head: if !endpoint.isRead { throw .methodNotAllowed(endpoint.methods) }
        case .post: if !endpoint.takesBody { throw .methodNotAllowed(endpoint.methods) }
        case .delete, .other: throw .methodNotAllowed(endpoint.methods)
        }
    }

    private func admitType(of request: borrowing Request) throws(Refusal) {
        guard case .json = MediaType(request.field(.contentType)), !request.head.isRepeated(.contentType) else {
            throw .notJSON
        }
    }

    private mutating func identify(
        _ request: borrowing Request, by authenticator: Authenticator
    ) throws(Refusal) {
        if request.head.isRepeated(.authorization) || request.head.isRepeated(.apiKey) { throw .twoCredentials }
        let authorization = request.head.value(of: .authorization) == nil ? nil : request.field(.authorization)
        let apiKey = request.head.value(of: .apiKey) == nil ? nil : request.field(.apiKey)
        switch authenticator.identify(
            authorization: authorization, apiKey: apiKey, at: context.instant.unixSeconds, remembering: &memory)
        {
        case .caller(let caller):
            if caller.principal.isAnonymous { throw .unauthenticated(by: authenticator) }
            context.caller = caller
        case .refused(let reason, _): throw .unauthenticated(reason.description, wasPresented: true)
        }
    }

    // MARK: Answers

    private func answer(
        _ request: borrowing Request, by endpoint: Endpoint, into response: inout Response
    ) throws(Refusal) {
        if request.head.method == .options {
            guard request.body.isEmpty else { throw .unwantedBody }
            response.tellMethods(endpoint.methods)
            return
        }
        guard request.head.method == .post || request.body.isEmpty else { throw .unwantedBody }
        switch endpoint {
        case .alive: response.tellAlive()
        case .ready: readiness.write(at: context.instant, into: &response)
        case .explanation:
            try admitType(of: request)
            response.body.append(try explainer.explain(request.body, at: context.instant.unixSeconds))
            response.body.append("\n")
            console?.note("explain", of: context)
        case .page, .style, .script, .icon:
            if let console { endpoint.file?.write(reaching: console.sandbox.sources, into: &response) }
            AdminPipeline.compress(request, &response)
        case .status:
            console?.writeStatus(at: context.instant, into: &response.body)
            AdminPipeline.compress(request, &response)
        case .grants, .asks, .inspection, .mint, .verification: throw .notFound
        case .brakes: try writeBrakes(into: &response)
        case .metrics:
            response.contentType = .metrics
            metrics.write(at: context.instant, into: &response.body)
            AdminPipeline.compress(request, &response)
        case .openAPI:
            response.body.append(OpenAPI.bytes)
            AdminPipeline.compress(request, &response)
        }
    }

    /// Compresses a large body if the client takes gzip. No answer here holds a secret that the compressed length could reveal.
    private static func compress(_ request: borrowing Request, _ response: inout Response) {
        response.add("Vary", "Accept-Encoding")
        guard response.body.count >= Gzip.threshold, !request.head.isRepeated(.acceptEncoding),
            AcceptEncoding.prefersGzip(request.field(.acceptEncoding)), let bytes = Gzip.compress(response.body)
        else { return }
        response.body.reset()
        response.body.append(bytes)
        response.add("Content-Encoding", "gzip")
    }
}
