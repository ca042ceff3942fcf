import Access
import Bytes
import HTTP
import Upstream

/// What a client is told when it does not get what it asked: this file maps every fault of every room to it.
struct Refusal: Error {
    let status: Int
    /// Stable, for programs.
    let code: StaticString
    /// For people: why, and what would be right. Never a secret, a token or a string to sign.
    let detail: String
    /// The parameter or the grant's clause concerned.
    var subject: (kind: StaticString, name: String)?
    /// Fields that belong to the status.
    var field: (name: StaticString, value: StaticString)?
    /// Seconds after which it is worth asking again.
    var retryAfter: Int64?

    init(_ status: Int, _ code: StaticString, _ detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }
}

extension Refusal {
    static let notFound = Refusal(404, "not_found", "there is nothing at this path")

    static let misdirected = Refusal(
        421, "misdirected", "this host name is not one that the service answers to; server.hosts lists them")

    static let noHost = Refusal(
        400, "malformed_request",
        "Host is missing: the ticket's URL is built with the name that the service is asked by")

    static let foreignOrigin = Refusal(
        403, "forbidden",
        "this web page's origin is not one that the service answers to; server.cors.origins lists them")

    static let webPage = Refusal(403, "forbidden", "this listener is for programs, and answers to no web page")

    /// - Parameter textToo: whether the route takes plain text.
    static func unreadableType(textToo: Bool) -> Refusal {
        let types = "application/json\(textToo ? ", text/plain" : "") or application/x-www-form-urlencoded"
        return Refusal(415, "unsupported_media_type", "the body must be \(types), in UTF-8")
    }

    static let notJSON = Refusal(415, "unsupported_media_type", "the body must be application/json, in UTF-8")

    static let queryOnPost = Refusal(
        400, "unknown_parameter",
        "a POST is asked by its body; its query may have a ticket, and names that begin with _")

    static let unwantedBody = Refusal(
        400, "invalid_parameter", "only a POST has a body here; a GET is asked by its query and must have no body")

    static func methodNotAllowed(_ allowed: StaticString) -> Refusal {
        var refusal = Refusal(405, "method_not_allowed", "this path answers to \(allowed)")
        refusal.field = ("Allow", allowed)
        return refusal
    }

    /// - Parameter wasPresented: whether a credential was there, and was wrong.
    static func unauthenticated(_ reason: String, wasPresented: Bool) -> Refusal {
        var refusal = Refusal(401, "unauthenticated", reason)
        refusal.field = (
            "WWW-Authenticate",
            wasPresented ? "Bearer realm=\"countersign\", error=\"invalid_token\"" : "Bearer realm=\"countersign\""
        )
        return refusal
    }

    static let twoCredentials = unauthenticated("present one credential, not two", wasPresented: true)

    static let ticketByTicket = Refusal(403, "forbidden", "a ticket gives what it is for, and no other tickets")

    static let noTickets = Refusal(404, "not_found", "there are no tickets without authentication.tickets.secret")

    static let longTicket = Refusal(
        400, "invalid_parameter", "what the ticket should fix is too long for a URL; fix fewer parameters")

    /// - Parameter wait: milliseconds.
    static func rateLimited(wait: Int64) -> Refusal {
        var refusal = Refusal(429, "rate_limited", "this is asked for too often; Retry-After says when to come back")
        refusal.retryAfter = max(1, (wait + 999) / 1000)
        return refusal
    }

    /// One text for all reasons: who forges callbacks learns nothing by trying.
    static let forgedCallback: Refusal = {
        var refusal = Refusal(
            401, "unauthenticated", "the vendor's signature of this callback does not hold; the service's log says why")
        refusal.field = ("WWW-Authenticate", "Signature realm=\"countersign\"")
        return refusal
    }()

    init(_ error: RequestError) {
        let (status, code): (Int, StaticString) =
            switch error.kind {
            case .malformed: (400, "malformed_request")
            case .uriTooLong: (414, "uri_too_long")
            case .headersTooLarge: (431, "headers_too_large")
            case .bodyTooLarge: (413, "body_too_large")
            case .timeout: (408, "request_timeout")
            case .overloaded: (503, "overloaded")
            }
        self.init(status, code, error.reason.description)
        if status == 503 { retryAfter = 1 }
    }

    /// - Parameter known: the names that may be shown: a body that is put together wrongly may have anything for a name.
    init(_ error: ParameterError, known: [ParameterDescription]) {
        var name = error.name
        if case .json(let error) = error.fault { name = error.key ?? [] }
        let shown = known.flatMap { [$0.name] + $0.aliases }.first { $0.utf8.elementsEqual(name) }
        let subject = shown ?? "a parameter"
        let reason =
            switch error.fault {
            case .badEscape: "\(subject) has a % that is not followed by two hex digits"
            case .notUTF8: "\(subject) must be UTF-8"
            case .notAnObject: "the body must be a JSON object"
            case .unsupportedValue:
                "\(subject) must be a string, a number, true, false, or one string or more in a list or an object"
            case .json(let error):
                "\(shown.map { "\($0): " } ?? "")the body is not proper JSON at byte \(error.offset): \(error.reason)"
            }
        self.init(400, "invalid_parameter", reason)
        if let shown { self.subject = ("parameter", shown) }
    }

    init(_ error: AskError) {
        let (status, code): (Int, StaticString) =
            switch error.fault {
            case .unknown: (400, "unknown_parameter")
            case .invalid: (400, "invalid_parameter")
            case .missing: (400, "missing_parameter")
            case .unreadableStringToSign: (422, "unreadable_string_to_sign")
            }
        self.init(status, code, error.parameter.isEmpty ? error.reason : "\(error.parameter) \(error.reason)")
        if !error.parameter.isEmpty { subject = ("parameter", error.parameter) }
    }

    init(_ denial: Denial) {
        switch denial {
        case .unauthenticated:
            self = .unauthenticated("this needs an API key: Authorization: Bearer <key>", wasPresented: false)
        case .forbidden: self.init(403, "forbidden", "this caller is denied")
        case .notInGrant(let objection):
            let reason =
                objection.map { "\($0.clause): \($0.reason)" } ?? "the caller has no such grant of this route"
            self.init(403, "not_in_grant", "no grant admits this; \(reason)")
            if let objection { subject = ("clause", objection.clause.description) }
        case .obscure(let error): self.init(error)
        case .ambiguous:
            self.init(400, "ambiguous_grant", "several grants admit this; name one with the parameter grant")
            subject = ("parameter", "grant")
        case .missing(let parameter):
            self.init(400, "missing_parameter", "\(parameter) is needed")
            subject = ("parameter", parameter)
        case .lifetimeTooLong(let maximum):
            self.init(400, "invalid_parameter", "expires must be at most \(maximum) seconds, the grant's maxLifetime")
            subject = ("parameter", "expires")
        case .credentialTooShort(let shortfall):
            self.init(403, "credential_too_short", Refusal.words(shortfall))
        }
    }

    private static func words(_ shortfall: Shortfall) -> String {
        let needed = shortfall.needed.map { "holds for \($0) seconds" } ?? "never ends"
        let remedy =
            switch shortfall.remedy {
            case .endlessCredential: "only a caller whose credential has no end gets it"
            case .earlierEnd: "ask for an earlier end, or with a newer credential"
            case .outliveCaller: "ask with a newer credential, or let the grant say outliveCaller: true"
            }
        return "what is asked for would outlive the caller's own credential: it \(needed), and the credential has "
            + "\(shortfall.left) seconds left; \(remedy)"
    }

    init(_ refusal: SlotRefusal) {
        switch refusal.reason {
        case .fault(let fault): self.init(fault)
        case .slow: self = .upstream(503, "the vendor has not answered in time")
        case .crowded, .full: self = .crowded
        case .share: self = .rateLimited(wait: 0)
        }
        retryAfter = refusal.retryAfter
    }

    /// - Parameter now: when it is told.
    init(_ fault: UpstreamFault, at now: Now) {
        self.init(fault)
        switch fault {
        case .breakerOpen(let until), .overBudget(let until): retryAfter = max(1, (until - now.monotonic + 999) / 1000)
        default: break
        }
    }

    private init(_ fault: UpstreamFault) {
        switch fault {
        case .refused: self = .upstream(502, "the vendor refuses; the service's log says why")
        case .malformed: self = .upstream(502, "the vendor's answer cannot be used; the service's log says more")
        case .expired: self = .upstream(502, "the vendor's credential had ended when it came")
        case .clockOff: self = .upstream(503, "the service's clock and the vendor's are more than five minutes apart")
        case .network: self = .upstream(503, "the vendor cannot be reached, or does not answer in time")
        case .unavailable, .breakerOpen: self = .upstream(503, "the vendor is failing")
        case .throttled, .overBudget: self = .upstream(503, "the vendor is asked as often as it may be")
        }
    }

    private static func upstream(_ status: Int, _ detail: String) -> Refusal {
        var refusal = Refusal(status, status == 502 ? "upstream_failed" : "upstream_unavailable", detail)
        refusal.retryAfter = 1
        return refusal
    }

    /// A token's signature holds, but only by keys that are too old to be believed.
    static let oldKeys = upstream(503, "the issuer's keys are out of date; the service's log says more")

    /// What is issued must be on record, and cannot be.
    static let auditUnavailable: Refusal = {
        var refusal = Refusal(503, "audit_unavailable", "nothing is issued while the audit cannot be written")
        refusal.retryAfter = 1
        return refusal
    }()

    /// As many lines wait for the disk as may.
    static let auditOverloaded: Refusal = {
        var refusal = Refusal(503, "overloaded", "the audit's disk does not keep up")
        refusal.retryAfter = 1
        return refusal
    }()

    /// Whether it tells what somebody may not do or asks wrongly, rather than that it cannot be done now.
    var isDenial: Bool { status == 400 || status == 403 || status == 422 }

    /// The configuration, or the caller's credential, may not give any more what was asked for before the vendor was asked.
    static let superseded = upstream(
        503, "the configuration or the caller's credential changed or ended while the vendor was asked; ask again")

    /// As many wait for vendors as may.
    static let crowded = upstream(503, "too many are waiting for the vendor")

    static let largeAnswer = upstream(502, "the vendor's answer is too large; a listing may ask for less, by limit")

    /// The vendor knows nothing of the kind.
    static let absent = Refusal(404, "not_found", "the vendor has no such bucket or key")

    static let unacceptable = Refusal(
        400, "invalid_parameter", "the vendor does not take this; a marker must be that of an earlier listing")

    /// Something in the service itself failed; the log says what.
    static let internalError = Refusal(500, "internal_error", "the service failed; its log has the request's id")

    /// In whose words a route's errors are told.
    enum Words {
        /// A problem document alone (RFC 9457).
        case problem
        /// With the members that Alibaba's SDKs read; `inBody` where the HTTP status is 200 all the same.
        case sdk(inBody: Bool)
    }

    /// Writes the refusal as a problem document (RFC 9457).
    func write(into response: inout Response, requestID: Span<UInt8>, in words: Words = .problem) {
        response.status = status
        response.contentType = .problem
        response.body.reset()
        response.body.append("{\"type\":\"about:blank\",\"title\":\"")
        response.body.append(Response.reason(status))
        response.body.append("\",\"status\":")
        response.body.append(decimal: status)
        response.body.append(",\"code\":\"")
        response.body.append(code)
        response.body.append("\",\"detail\":")
        response.body.append(jsonString: detail)
        if let subject {
            response.body.append(",\"")
            response.body.append(subject.kind)
            response.body.append("\":")
            response.body.append(jsonString: subject.name)
        }
        response.body.append(",\"requestId\":")
        response.body.append(jsonString: requestID)
        if case .sdk(let inBody) = words { write(forSDK: inBody, into: &response) }
        response.body.append("}\n")
        if let field { response.add(field.name, field.value) }
        if let retryAfter { response.add("Retry-After", Array(String(retryAfter).utf8).span) }
    }

    /// What Alibaba's SDKs read. Those of Android look at no body that comes with an error of HTTP.
    private func write(forSDK inBody: Bool, into response: inout Response) {
        response.body.append(",\"StatusCode\":")
        response.body.append(decimal: status)
        response.body.append(",\"ErrorCode\":\"")
        response.body.append(code)
        response.body.append("\",\"ErrorMessage\":")
        response.body.append(jsonString: detail)
        guard inBody else { return }
        response.status = 200
        response.contentType = .json
    }
}
