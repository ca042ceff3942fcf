import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Providers
import Telemetry

/// What every request goes through, once, from left to right: host, route, origin, caller, ask, permit, token, answer.
///
/// One value serves one event loop; its storage is used again for every request.
struct Pipeline: ~Copyable {
    private let configuration: Configuration
    private let router: Router
    /// By the place of the address that is listened on.
    private let hosts: [HostRule]
    private let origins: OriginRule
    private let keys: [SigningKey]
    private let log: Log
    private var ask: Ask
    private var workspace: PolicyWorkspace
    private var scratch: ByteWriter
    private var random: RandomPool
    private var requestID: RequestID
    private var serverTime: (second: Int64, text: [UInt8])

    private static let issueMethods: StaticString = "GET, HEAD, POST, OPTIONS"
    private static let readMethods: StaticString = "GET, HEAD, OPTIONS"

    init(_ configuration: Configuration, log: Log) throws(CryptoError) {
        var keys: [SigningKey] = []
        for credential in configuration.credentials {
            keys.append(try SigningKey(accessKey: credential.accessKey, secret: credential.secret))
        }
        let requestID = try RequestID()
        self.configuration = configuration
        self.log = log
        self.keys = keys
        self.requestID = requestID
        router = Router(aliases: configuration.server.aliases)
        hosts = configuration.server.listen.map { HostRule(configuration.server, listener: $0) }
        origins = OriginRule(configuration.server)
        ask = Ask()
        workspace = PolicyWorkspace()
        scratch = ByteWriter(capacity: 1024)
        random = RandomPool()
        serverTime = (.min, [])
    }

    mutating func respond(to request: borrowing Request, at instant: Instant, into response: inout Response) {
        requestID.begin(request)
        do throws(Refusal) {
            try answer(request, at: instant, into: &response)
        } catch {
            error.write(into: &response, requestID)
        }
        response.add("X-Request-Id", requestID.bytes)
    }

    mutating func respond(to error: RequestError, at instant: Instant, into response: inout Response) {
        requestID.begin()
        Refusal(error).write(into: &response, requestID)
        response.add("X-Request-Id", requestID.bytes)
    }

    private mutating func answer(
        _ request: borrowing Request, at instant: Instant, into response: inout Response
    ) throws(Refusal) {
        guard hosts.indices.contains(request.listener), hosts[request.listener].admits(request.authority) else {
            throw .misdirected
        }
        if request.path.isEmpty {
            response.status = 204
            response.add("Allow", Pipeline.issueMethods)
            return
        }
        switch router.find(request.path) {
        case .issue(let route): try issue(route, request, at: instant, into: &response)
        case .alive: try reportAlive(request, into: &response)
        case nil: throw .notFound
        }
    }

    private func reportAlive(_ request: borrowing Request, into response: inout Response) throws(Refusal) {
        switch request.head.method {
        case .get, .head: response.body.append("{\"status\":\"ok\"}\n")
        case .options:
            response.status = 204
            response.add("Allow", Pipeline.readMethods)
        case .post, .other: throw .methodNotAllowed(Pipeline.readMethods)
        }
    }

    // MARK: Issuing

    private mutating func issue(
        _ route: Int, _ request: borrowing Request, at instant: Instant, into response: inout Response
    ) throws(Refusal) {
        switch request.head.method {
        case .get, .head, .post: break
        case .options: return try explainOptions(request, into: &response)
        case .other: throw .methodNotAllowed(Pipeline.issueMethods)
        }
        admitOrigin(of: request, into: &response)
        let caller = try authenticate(request, at: instant)
        if let denial = configuration.policy.refusal(of: caller, on: route) { throw Refusal(denial) }
        let moment = try moment(at: instant)
        try read(request, for: Registry.routes[route].description, at: moment)
        guard origins.admits(request) else { throw .foreignOrigin }
        switch configuration.policy.decide(ask, on: route, by: caller, at: moment, in: &workspace) {
        case .denied(let denial): throw Refusal(denial)
        case .permitted(let permit):
            // HEAD asks whether, and gets nothing.
            if request.head.method != .head { try write(under: permit, at: moment, into: &response) }
            permit.end(in: &workspace)
        }
    }

    private func authenticate(_ request: borrowing Request, at instant: Instant) throws(Refusal) -> Caller {
        if request.head.isRepeated(.authorization) || request.head.isRepeated(.apiKey) {
            throw .unauthenticated("present one credential, not two", wasPresented: true)
        }
        let authorization = request.head.value(of: .authorization) == nil ? nil : request.field(.authorization)
        let apiKey = request.head.value(of: .apiKey) == nil ? nil : request.field(.apiKey)
        switch configuration.authenticator.identify(
            authorization: authorization, apiKey: apiKey, at: instant.unixSeconds)
        {
        case .caller(let caller): return caller
        case .refused(let reason): throw .unauthenticated(reason.description, wasPresented: true)
        }
    }

    private mutating func moment(at instant: Instant) throws(Refusal) -> Moment {
        do throws(CryptoError) {
            return Moment(unixSeconds: instant.unixSeconds, random: try random.draw())
        } catch {
            throw fail("random bytes", error)
        }
    }

    // MARK: Parameters

    /// R3: a GET is asked by its query, a POST by its body alone.
    private mutating func read(
        _ request: borrowing Request, for route: RouteDescription, at moment: borrowing Moment
    ) throws(Refusal) {
        ask.reset()
        if request.head.method == .post {
            try readQueryOfPost(request)
            try readBody(of: request, route)
        } else {
            guard request.body.isEmpty else { throw .bodyOnGet }
            try readParameters { ask throws(ParameterError) in try ask.parameters.read(form: request.query) }
        }
        // Some clients list every type they can stand; who can read JSON gets JSON.
        ask.wantsText =
            route.textParameter != nil && ListField.contains("text/plain", in: request.field(.accept))
            && !ListField.contains("application/json", in: request.field(.accept))
        do throws(AskError) {
            try ask.read(by: route.parameters)
            try route.read(&ask, moment)
        } catch {
            throw Refusal(error)
        }
    }

    /// A POST's query may hold what is ignored everywhere, such as a cache buster, and nothing else.
    private mutating func readQueryOfPost(_ request: borrowing Request) throws(Refusal) {
        if request.query.isEmpty { return }
        try readParameters { ask throws(ParameterError) in try ask.parameters.read(form: request.query) }
        for entry in ask.parameters.entries where !ask.parameters.bytes(entry.name).begins(with: "_") {
            throw .queryOnPost
        }
        ask.parameters.reset()
    }

    private mutating func readBody(of request: borrowing Request, _ route: RouteDescription) throws(Refusal) {
        let depth = configuration.server.limits.jsonDepth
        let type = MediaType(request.field(.contentType))
        guard !request.head.isRepeated(.contentType), type != .other else { throw .unreadableType }
        switch type {
        case .json:
            try readParameters { ask throws(ParameterError) in
                try ask.parameters.read(json: request.body, maximumDepth: depth)
            }
        case .form:
            try readParameters { ask throws(ParameterError) in try ask.parameters.read(form: request.body) }
        case .text:
            guard let name = route.textParameter else { throw .unreadableType }
            try readParameters { ask throws(ParameterError) in
                try ask.parameters.add(name: Array(name.utf8).span, value: request.body, form: .text)
            }
        case .none: guard request.body.isEmpty else { throw .unreadableType }
        case .other: throw .unreadableType
        }
    }

    private mutating func readParameters(_ body: (inout Ask) throws(ParameterError) -> Void) throws(Refusal) {
        do throws(ParameterError) { try body(&ask) } catch { throw Refusal(error) }
    }

    // MARK: Answers

    private mutating func write(
        under permit: borrowing Permit, at moment: borrowing Moment, into response: inout Response
    ) throws(Refusal) {
        let grant = permit.grant
        let key = keys[grant.credential]
        if !ask.wantsText { response.body.append(UInt8(ascii: "{")) }
        do throws(IssueError) {
            try grant.issuer.issue(ask, under: permit, with: key, at: moment, into: &response.body, using: &scratch)
        } catch {
            throw fail("issuing", error)
        }
        if ask.wantsText {
            response.contentType = .text
            return
        }
        writeTerms(of: permit, at: moment, into: &response)
    }

    /// The members that are the service's own: by which grant, and until when.
    private mutating func writeTerms(
        of permit: borrowing Permit, at moment: borrowing Moment, into response: inout Response
    ) {
        response.body.append(",\"grant\":")
        response.body.append(jsonString: permit.grant.name)
        response.body.append(",\"expiresAt\":\"")
        ISO8601.write(permit.expiresAt, into: &response.body)
        response.body.append("\",\"expiresIn\":")
        response.body.append(decimal: permit.lifetime)
        response.body.append(",\"limitedBy\":\"")
        response.body.append(permit.limitedBy.name)
        response.body.append("\",\"serverTime\":\"")
        if serverTime.second != moment.unixSeconds {
            serverTime = (moment.unixSeconds, ISO8601.write(moment.unixSeconds))
        }
        response.body.append(serverTime.text)
        response.body.append("\"}\n")
    }

    /// Notes what broke, and gives what the client is told.
    private func fail(_ what: String, _ error: any Error) -> Refusal {
        log.write(.error, "\(what) failed", ["requestId": requestID.text, "error": "\(error)"])
        return .internalError
    }

    // MARK: Web pages

    private func admitOrigin(of request: borrowing Request, into response: inout Response) {
        if origins.varies { response.add("Vary", "Origin") }
        if origins.isListed(request) {
            response.add("Access-Control-Allow-Origin", request.field(.origin))
            response.add("Access-Control-Expose-Headers", "X-Request-Id, Retry-After")
        }
    }

    /// OPTIONS: what the path answers to, and whether a web page may ask it (a preflight).
    private func explainOptions(_ request: borrowing Request, into response: inout Response) throws(Refusal) {
        let isPreflight =
            request.head.value(of: .origin) != nil && request.head.value(of: .accessControlRequestMethod) != nil
        admitOrigin(of: request, into: &response)
        if isPreflight, !origins.admits(request) { throw .foreignOrigin }
        response.status = 204
        response.add("Allow", Pipeline.issueMethods)
        if isPreflight {
            response.add("Access-Control-Allow-Methods", "GET, POST")
            response.add("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key, X-Request-Id")
            response.add("Access-Control-Max-Age", "600")
        }
    }
}
