import HTTP

extension Refusal {
    /// The code of a refusal, by which programs tell refusals apart. This is the only list of codes: docs/api.md, `/openapi.json`,
    /// metrics, the log and the audit read it.
    package enum Code: Int, CaseIterable, Sendable {
        case unauthenticated, notFound, notInGrant, rateLimited
        case invalidParameter, unknownParameter, missingParameter
        case forbidden, ambiguousGrant, credentialTooShort, stopped
        case methodNotAllowed, misdirected
        case malformedRequest, bodyTooLarge, uriTooLong, headersTooLarge, requestTimeout
        case unsupportedMediaType, unreadableStringToSign
        case ticketSpent
        case upstreamFailed, upstreamUnavailable, clusterUnavailable
        case auditUnavailable, overloaded, internalError

        /// As answers, metrics (the label `reason`), the log and the audit have it.
        package var text: StaticString {
            switch self {
            case .unauthenticated: "unauthenticated"
            case .notFound: "not_found"
            case .notInGrant: "not_in_grant"
            case .rateLimited: "rate_limited"
            case .invalidParameter: "invalid_parameter"
            case .unknownParameter: "unknown_parameter"
            case .missingParameter: "missing_parameter"
            case .forbidden: "forbidden"
            case .ambiguousGrant: "ambiguous_grant"
            case .credentialTooShort: "credential_too_short"
            case .stopped: "stopped"
            case .methodNotAllowed: "method_not_allowed"
            case .misdirected: "misdirected"
            case .malformedRequest: "malformed_request"
            case .bodyTooLarge: "body_too_large"
            case .uriTooLong: "uri_too_long"
            case .headersTooLarge: "headers_too_large"
            case .requestTimeout: "request_timeout"
            case .unsupportedMediaType: "unsupported_media_type"
            case .unreadableStringToSign: "unreadable_string_to_sign"
            case .ticketSpent: "ticket_spent"
            case .upstreamFailed: "upstream_failed"
            case .upstreamUnavailable: "upstream_unavailable"
            case .clusterUnavailable: "cluster_unavailable"
            case .auditUnavailable: "audit_unavailable"
            case .overloaded: "overloaded"
            case .internalError: "internal_error"
            }
        }

        var status: Status {
            switch self {
            case .invalidParameter, .unknownParameter, .missingParameter, .ambiguousGrant, .malformedRequest:
                .badRequest
            case .unauthenticated: .unauthorized
            case .forbidden, .notInGrant, .credentialTooShort, .stopped, .ticketSpent: .forbidden
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .requestTimeout: .requestTimeout
            case .bodyTooLarge: .contentTooLarge
            case .uriTooLong: .uriTooLong
            case .unsupportedMediaType: .unsupportedMediaType
            case .misdirected: .misdirectedRequest
            case .unreadableStringToSign: .unprocessableContent
            case .rateLimited: .tooManyRequests
            case .headersTooLarge: .headerFieldsTooLarge
            case .internalError: .internalServerError
            case .upstreamFailed: .badGateway
            case .upstreamUnavailable, .clusterUnavailable, .auditUnavailable, .overloaded: .serviceUnavailable
            }
        }

        /// Whether the caller may not do what it asks for, or asks wrongly: the audit has a line for such a refusal (docs/audit.md). It
        /// only counts the others.
        var isDenial: Bool {
            switch status {
            case .badRequest, .forbidden, .unprocessableContent: true
            default: false
            }
        }

        /// Whether the reason is in the service and not in the request.
        var isFailure: Bool { status.rawValue >= 500 }
    }
}
