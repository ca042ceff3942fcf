import Access
import Bytes
import Configuration
import HTTP
import Upstream

/// What a client is told when it does not get what it asked: this file maps the errors of all modules to it.
package struct Refusal: Error {
    /// Stable, for programs; the status goes with it.
    package let code: Code
    /// For people: why, and what would be right. Never a secret, a token or a string to sign.
    package let detail: String
    /// The parameter or the grant's clause concerned.
    var subject: (kind: StaticString, name: String)?
    /// Fields that belong to the status.
    var field: (name: StaticString, value: StaticString)?
    /// The methods that the path has, for a 405.
    var allowed: String?
    /// Seconds after which it is worth asking again (`retried`).
    var retryAfter: Int64?

    var status: Int { code.status.rawValue }

    /// The grant's clause that refuses; nil where none does.
    var clause: String? { code == .notInGrant ? subject?.name : nil }

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension Refusal {
    static let notFound = Refusal(.notFound, "there is nothing at this path")

    static let noConsole = Refusal(.notFound, "there is no page for operators without admin: { console: true }")

    /// - Parameter path: a path that nothing is at.
    static func notFound(at path: Span<UInt8>) -> Refusal {
        guard let meant = Router.suggestion(for: path) else { return .notFound }
        return Refusal(.notFound, "\(Refusal.notFound.detail); did you mean \(meant)?")
    }

    static let misdirected = Refusal(
        .misdirected, "this host name is not one that the service answers to; server.hosts lists them")

    static let noHost = Refusal(
        .malformedRequest,
        "Host is missing: the ticket's URL is built with the name that the service is asked by")

    static let foreignOrigin = Refusal(
        .forbidden,
        "this web page's origin is not one that the service answers to; server.cors.origins lists them")

    static let webPage = Refusal(.forbidden, "this listener is for programs, and answers to no web page")

    /// - Parameter textToo: whether the route takes plain text.
    static func unreadableType(textToo: Bool) -> Refusal {
        let types = "application/json\(textToo ? ", text/plain" : "") or application/x-www-form-urlencoded"
        return Refusal(.unsupportedMediaType, "the body must be \(types), in UTF-8")
    }

    static let untoldJSON = Refusal(
        .unsupportedMediaType, "the body looks like JSON: send it with the header Content-Type: application/json")

    static let notJSON = Refusal(.unsupportedMediaType, "the body must be application/json, in UTF-8")

    static let queryOnPost = Refusal(
        .unknownParameter,
        "a POST is asked by its body; its query may have a ticket, and names that begin with _")

    static let unwantedBody = Refusal(
        .invalidParameter, "only a POST has a body here; a GET is asked by its query and must have no body")

    /// - Parameter wasPresented: whether a credential was there, and was wrong.
    static func unauthenticated(_ reason: String, wasPresented: Bool) -> Refusal {
        var refusal = Refusal(.unauthenticated, reason)
        refusal.field = (
            "WWW-Authenticate",
            wasPresented ? "Bearer realm=\"countersign\", error=\"invalid_token\"" : "Bearer realm=\"countersign\""
        )
        return refusal
    }

    /// Nothing was presented.
    static func unauthenticated(by authenticator: Authenticator) -> Refusal {
        unauthenticated("this needs a credential: \(authenticator.kinds)", wasPresented: false)
    }

    static let twoCredentials = unauthenticated("present one credential, not two", wasPresented: true)

    static let ticketByTicket = Refusal(.forbidden, "a ticket gives what it is for, and no other tickets")

    static let noTickets = Refusal(.notFound, "there are no tickets without authentication.tickets.secret")

    static let longTicket = Refusal(
        .invalidParameter,
        "the ticket would be too long for a URL; fix fewer parameters, or make it by a certificate with fewer names")

    /// - Parameter wait: milliseconds.
    static func rateLimited(wait: Int64) -> Refusal {
        Refusal(.rateLimited, "this is asked for too often; Retry-After says when to come back")
            .retried(afterMilliseconds: wait)
    }

    /// One text for all reasons, so that somebody who forges callbacks learns nothing from it.
    static let forgedCallback: Refusal = {
        var refusal = Refusal(
            .unauthenticated, "the vendor's signature of this callback does not hold; the service's log says why")
        refusal.field = ("WWW-Authenticate", "Signature realm=\"countersign\"")
        return refusal
    }()

    init(_ error: RequestError) {
        let code: Code =
            switch error.kind {
            case .malformed: .malformedRequest
            case .uriTooLong: .uriTooLong
            case .headersTooLarge: .headersTooLarge
            case .bodyTooLarge: .bodyTooLarge
            case .timeout: .requestTimeout
            case .overloaded: .overloaded
            }
        self.init(code, error.reason.description)
        if code == .overloaded { self = retriedSoon }
    }

    /// - Parameter known: the names that may be shown; in a malformed body, a secret may stand where a name belongs.
    init(_ error: ParameterError, known: ParameterList) {
        var name = error.name
        if case .json(let error) = error.fault { name = error.key ?? [] }
        let description = known.first { ([$0.name] + $0.aliases).contains { $0.utf8.elementsEqual(name) } }
        let shown = description.flatMap { ([$0.name] + $0.aliases).first { $0.utf8.elementsEqual(name) } }
        let subject = shown ?? "a parameter"
        let reason =
            switch error.fault {
            case .badEscape: "\(subject) has a % that is not followed by two hex digits"
            case .notUTF8: "\(subject) must be UTF-8"
            case .notAnObject: "the body must be a JSON object"
            case .unsupportedValue where description?.isText == true: "\(subject) must be a string"
            case .unsupportedValue:
                "\(subject) must be a string, a number, true, false, a list of strings, or an object of strings and numbers"
            case .json(let error):
                "\(shown.map { "\($0): " } ?? "")the body is not proper JSON at byte \(error.offset): \(error.reason)"
            }
        self.init(.invalidParameter, reason)
        if let shown { self.subject = ("parameter", shown) }
    }

    init(_ error: AskError) {
        let code: Code =
            switch error.fault {
            case .unknown: .unknownParameter
            case .invalid: .invalidParameter
            case .missing: .missingParameter
            case .unreadableStringToSign: .unreadableStringToSign
            }
        self.init(code, error.parameter.isEmpty ? error.reason : "\(error.parameter) \(error.reason)")
        if !error.parameter.isEmpty { subject = ("parameter", error.parameter) }
    }

    init(_ denial: Denial) {
        switch denial {
        case .unauthenticated:
            self = .unauthenticated("this needs a credential", wasPresented: false)
        case .forbidden: self.init(.forbidden, "this caller is denied")
        case .notInGrant(let objection):
            let reason =
                objection.map { "\($0.clause): \($0.words)\(Refusal.ending($0.granted))" }
                ?? "the caller has no such grant of this route"
            self.init(.notInGrant, "no grant admits this; \(reason)")
            if let objection { subject = ("clause", objection.clause.description) }
        case .obscure(let error): self.init(error)
        case .ambiguous(let names, let areAll):
            let list = names.map(\.text).joined(separator: ", ")
            self.init(
                .ambiguousGrant,
                "several grants admit this\(areAll ? "" : ", among them"): \(list); name one with the parameter grant")
            subject = ("parameter", "grant")
        case .missing(let parameter, let other):
            self.init(.missingParameter, "\(parameter)\(other.map { " or \($0)" } ?? "") is needed")
            subject = ("parameter", parameter)
        case .lifetimeTooLong(let maximum):
            self.init(.invalidParameter, "expires must be at most \(maximum) seconds, the grant's maxLifetime")
            subject = ("parameter", "expires")
        case .credentialTooShort(let shortfall):
            self.init(.credentialTooShort, Refusal.words(shortfall))
        }
    }

    /// What the grant gives, unless it is too long for an answer.
    private static func ending(_ granted: [UInt8]?) -> String {
        guard let granted, granted.count <= 256 else { return "" }
        return ": \(granted.text)"
    }

    private static func words(_ shortfall: Shortfall) -> String {
        let needed = shortfall.needed.map { "holds for \($0) seconds" } ?? "never ends"
        let remedy =
            switch shortfall.remedy {
            case .endlessCredential: "only a caller whose credential has no end gets it"
            case .earlierEnd: "ask for an earlier end, or with a newer credential"
            case .outliveCaller: "ask with a newer credential, or let the grant say outliveCaller: true"
            case .lesserLifetime(let least) where shortfall.left >= least:
                "ask for expires from \(least) to \(shortfall.left), or let the grant say outliveCaller: true"
            case .lesserLifetime(let least):
                "the least that the vendor gives is expires=\(least): ask with a newer credential, or let the grant say "
                    + "outliveCaller: true"
            }
        return "what is asked for would outlive the caller's own credential: it \(needed), and the credential has "
            + "\(shortfall.left) seconds left; \(remedy)"
    }

    init(_ refusal: SlotRefusal) {
        switch refusal.reason {
        case .fault(let fault): self.init(fault)
        case .slow: self = .upstream(.upstreamUnavailable, "the vendor has not answered in time")
        case .crowded, .full: self = .crowded
        case .share: self = .rateLimited(wait: 0)
        }
        self = retried(after: refusal.retryAfter)
    }

    /// - Parameter now: when it is told.
    init(_ fault: UpstreamFault, at now: Instant) {
        self.init(fault)
        switch fault {
        case .breakerOpen(let until), .overBudget(let until):
            self = retried(afterMilliseconds: until - now.monotonic)
        default: break
        }
    }

    private init(_ fault: UpstreamFault) {
        switch fault {
        case .refused: self = .upstream(.upstreamFailed, "the vendor refuses; the service's log says why")
        case .malformed:
            self = .upstream(.upstreamFailed, "the vendor's answer cannot be used; the service's log says more")
        case .expired: self = .upstream(.upstreamFailed, "the vendor's credential had ended when it came")
        case .clockOff:
            self = .upstream(
                .upstreamUnavailable, "the service's clock and the vendor's are more than five minutes apart")
        case .network:
            self = .upstream(.upstreamUnavailable, "the vendor cannot be reached, or does not answer in time")
        case .unavailable, .breakerOpen: self = .upstream(.upstreamUnavailable, "the vendor is failing")
        case .throttled, .overBudget:
            self = .upstream(.upstreamUnavailable, "the vendor is asked as often as it may be")
        }
    }

    private static func upstream(_ code: Code, _ detail: String) -> Refusal {
        Refusal(code, detail).retriedSoon
    }

    /// A token's signature holds, but only by keys that are too old to be believed.
    static let oldKeys = upstream(
        .upstreamUnavailable, "the issuer's keys are out of date; the service's log says more")

    /// The operator has stopped it; why is for operators.
    static let stopped = Refusal(.stopped, "the operator has stopped this; ask again when it is free again")

    /// What is issued must be on record, and the audit cannot be written.
    static let auditUnavailable =
        Refusal(.auditUnavailable, "nothing is issued while the audit cannot be written").retriedSoon

    /// As many lines wait for the disk as may.
    static let auditOverloaded = Refusal(.overloaded, "the audit's disk does not keep up").retriedSoon

    /// While the request waited, the configuration or the caller's credential changed, so that it may not get its answer any more.
    static let superseded = upstream(
        .upstreamUnavailable,
        "the configuration changed, or the grant or the caller's credential ended, while the request waited; ask again")

    /// As many wait for vendors as may.
    static let crowded = upstream(.upstreamUnavailable, "too many are waiting for the vendor")

    static let largeAnswer = upstream(
        .upstreamFailed, "the vendor's answer is too large; a listing may ask for less, by limit")

    /// The vendor knows nothing of the kind.
    static let absent = Refusal(.notFound, "the vendor has no such bucket or key")

    static let unacceptable = Refusal(
        .invalidParameter,
        "the vendor does not take this; a marker must be that of an earlier listing, parts must be those of the upload, and the key of a new object must be free"
    )

    static let ticketSpent = Refusal(.ticketSpent, "the ticket was used as often as it may be")

    static let ticketForgotten = Refusal(
        .ticketSpent, "Redis has begun anew since the ticket was made, and does not know how often it was used")

    static let clusterUnavailable = Refusal(
        .clusterUnavailable, "Redis cannot be reached, which counts the uses of tickets"
    ).retriedSoon

    static let clusterStale = Refusal(
        .clusterUnavailable, "Redis has not been reached for so long that nothing is issued (cluster.whenStale)"
    ).retriedSoon

    /// Something in the service itself failed; the log says what.
    static let internalError = Refusal(.internalError, "the service failed; its log has the request's id")

    /// The form in which errors are written.
    package enum Words {
        /// A problem document alone (RFC 9457).
        case problem
        /// With the members that Alibaba's SDKs read; `inBody` where the HTTP status is 200 all the same.
        case sdk(inBody: Bool)
        /// With the member that clients of Iceberg's REST catalog read.
        case iceberg
    }

    /// Writes the refusal as a problem document (RFC 9457).
    /// - Parameter reference: the start of `type`, which the code follows: the page with a section for each code
    ///   (RFC 9457 section 3.1.1).
    package func write(
        into response: inout Response, requestID: Span<UInt8>, in words: Words = .problem,
        explainedAt reference: [UInt8] = Configuration.Server.standardErrorReference
    ) {
        response.status = status
        response.contentType = .problem
        response.body.reset()
        response.body.append(object: { json in
            json.add(
                "type",
                text: { url in
                    url.append(reference.span)
                    url.append(code.text)
                })
            json.add("title", code.status.phrase)
            json.add("status", status)
            json.add("code", code.text)
            json.add("detail", detail)
            if let subject { json.add(subject.kind, subject.name) }
            json.add("requestId", requestID)
            // What Alibaba's SDKs read. Those of Android look at no body that comes with an error of HTTP.
            if case .sdk = words {
                json.add("StatusCode", status)
                json.add("ErrorCode", code.text)
                json.add("ErrorMessage", detail)
            }
            if case .iceberg = words {
                json.add(
                    "error",
                    object: { error in
                        error.add("message", detail)
                        error.add("type", code.text)
                        error.add("code", status)
                    })
            }
        })
        response.body.append("\n")
        if case .sdk(inBody: true) = words {
            response.status = 200
            response.contentType = .json
        }
        if let field { response.add(field.name, field.value) }
        if let allowed { response.addAllow(allowed) }
        addRetryAfter(to: &response)
    }
}
