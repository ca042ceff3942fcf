/// Why the service gave nothing: one case for each kind of refusal, as docs/api.md lists them, and what can go wrong on the way.
public enum CountersignError: Error, Sendable {
    /// A parameter has a wrong value; `problem.parameter` names it.
    case invalidParameter(Problem)
    /// The route has no such parameter.
    case unknownParameter(Problem)
    /// The route needs a parameter that was not sent.
    case missingParameter(Problem)
    /// Several grants allow this: name one in `RequestOptions.grant`.
    case ambiguousGrant(Problem)
    /// The request is no valid HTTP. A proxy may have spoiled it.
    case malformedRequest(Problem)
    /// The caller's credential is missing, wrong or ended.
    case unauthenticated(Problem)
    /// No grant allows this; `problem.clause` names the part of the grant that refuses.
    case notInGrant(Problem)
    /// The caller is on the deny list, or may not do this at all.
    case forbidden(Problem)
    /// The caller's own credential ends before what it asks for would.
    case credentialTooShort(Problem)
    /// The ticket was used as often as it may be.
    case ticketSpent(Problem)
    /// The operator has stopped this.
    case stopped(Problem)
    /// The service has nothing at this path: the base URL may be wrong.
    case notFound(Problem)
    /// The path does not answer to this method.
    case methodNotAllowed(Problem)
    /// The request did not arrive in time.
    case requestTimeout(Problem)
    /// The request's body is too long.
    case bodyTooLarge(Problem)
    /// The request line is too long.
    case uriTooLong(Problem)
    /// The service does not take the body's type.
    case unsupportedMediaType(Problem)
    /// The service does not answer to this host name.
    case misdirected(Problem)
    /// The service cannot tell what the string to sign is for.
    case unreadableStringToSign(Problem)
    /// Too many requests; `problem.retryAfter` says when to ask again.
    case rateLimited(Problem)
    /// The header fields are too long or too many.
    case headersTooLarge(Problem)
    /// Something in the service failed.
    case internalError(Problem)
    /// The vendor refused the service's own request.
    case upstreamFailed(Problem)
    /// The vendor cannot be reached now.
    case upstreamUnavailable(Problem)
    /// The replicas of the service cannot reach what counts the uses of tickets.
    case clusterUnavailable(Problem)
    /// The service cannot write its audit, and issues nothing without it.
    case auditUnavailable(Problem)
    /// The service has too much to do.
    case overloaded(Problem)
    /// A refusal with a code that this version of the library does not know.
    case other(Problem)

    /// No answer came, after all attempts; with the last attempt's error.
    case unreachable(any Error)
    /// An answer came that is not the service's: often a proxy's.
    case unreadableAnswer(status: Int, requestId: String?)
    /// The caller's credential has characters that no header field can have. It was not sent.
    case unusableCredential

    /// What the service said; nil where it said nothing.
    public var problem: Problem? {
        switch self {
        case .invalidParameter(let problem), .unknownParameter(let problem), .missingParameter(let problem),
            .ambiguousGrant(let problem), .malformedRequest(let problem), .unauthenticated(let problem),
            .notInGrant(let problem), .forbidden(let problem), .credentialTooShort(let problem),
            .ticketSpent(let problem), .stopped(let problem), .notFound(let problem), .methodNotAllowed(let problem),
            .requestTimeout(let problem),
            .bodyTooLarge(let problem), .uriTooLong(let problem), .unsupportedMediaType(let problem),
            .misdirected(let problem), .unreadableStringToSign(let problem), .rateLimited(let problem),
            .headersTooLarge(let problem), .internalError(let problem), .upstreamFailed(let problem),
            .upstreamUnavailable(let problem), .clusterUnavailable(let problem), .auditUnavailable(let problem),
            .overloaded(let problem),
            .other(let problem):
            problem
        case .unreachable, .unreadableAnswer, .unusableCredential: nil
        }
    }

    /// Whether the same request may succeed later.
    public var isTemporary: Bool {
        switch self {
        case .requestTimeout, .rateLimited, .upstreamUnavailable, .clusterUnavailable, .auditUnavailable, .overloaded,
            .unreachable:
            true
        case .unreadableAnswer(let status, _): [408, 429, 502, 503, 504].contains(status)
        default: false
        }
    }

    init(_ problem: Problem) {
        self = CountersignError.kinds[problem.code].map { $0(problem) } ?? .other(problem)
    }

    private static let kinds: [String: @Sendable (Problem) -> CountersignError] = [
        "invalid_parameter": { .invalidParameter($0) },
        "unknown_parameter": { .unknownParameter($0) },
        "missing_parameter": { .missingParameter($0) },
        "ambiguous_grant": { .ambiguousGrant($0) },
        "malformed_request": { .malformedRequest($0) },
        "unauthenticated": { .unauthenticated($0) },
        "not_in_grant": { .notInGrant($0) },
        "forbidden": { .forbidden($0) },
        "credential_too_short": { .credentialTooShort($0) },
        "ticket_spent": { .ticketSpent($0) },
        "stopped": { .stopped($0) },
        "not_found": { .notFound($0) },
        "method_not_allowed": { .methodNotAllowed($0) },
        "request_timeout": { .requestTimeout($0) },
        "body_too_large": { .bodyTooLarge($0) },
        "uri_too_long": { .uriTooLong($0) },
        "unsupported_media_type": { .unsupportedMediaType($0) },
        "misdirected": { .misdirected($0) },
        "unreadable_string_to_sign": { .unreadableStringToSign($0) },
        "rate_limited": { .rateLimited($0) },
        "headers_too_large": { .headersTooLarge($0) },
        "internal_error": { .internalError($0) },
        "upstream_failed": { .upstreamFailed($0) },
        "upstream_unavailable": { .upstreamUnavailable($0) },
        "cluster_unavailable": { .clusterUnavailable($0) },
        "audit_unavailable": { .auditUnavailable($0) },
        "overloaded": { .overloaded($0) },
    ]
}

extension CountersignError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        if let problem { return problem.description }
        return switch self {
        case .unreachable(let error): "the service cannot be reached: \(error)"
        case .unreadableAnswer(let status, _): "an answer of status \(status) is not the service's"
        default: "the caller's credential has characters that no header field can have"
        }
    }
}
