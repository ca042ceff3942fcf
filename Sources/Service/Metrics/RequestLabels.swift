import Access
import Bytes
import HTTP
import Providers

/// What requests are told apart by in metrics. Every list is fixed, so that a client adds no sample by what it sends.
enum RequestLabels {
    // MARK: Routes

    /// The registry's, then what the service has of its own.
    static let routes: [String] =
        Registry.routes.map(\.description.name) + ["callback", "grants", "tickets", "livez", "admin", "none"]
    static let callback = Registry.routes.count
    static let grants = callback + 1
    static let tickets = callback + 2
    static let alive = callback + 3
    static let admin = callback + 4
    /// What is asked at no path of the service's, or is no request.
    static let none = callback + 5

    static func route(_ endpoint: Router.Endpoint) -> Int {
        switch endpoint {
        case .issue(let route): route
        case .callback: callback
        case .grants: grants
        case .tickets: tickets
        case .alive: alive
        case .everything: none
        }
    }

    // MARK: Statuses

    static let statuses = [
        200, 204, 400, 401, 403, 404, 405, 408, 413, 414, 415, 421, 422, 429, 431, 500, 502, 503, 0,
    ]

    /// The last stands for all others.
    static func place(ofStatus status: Int) -> Int {
        switch status {
        case 200: 0
        case 204: 1
        case 400: 2
        case 401: 3
        case 403: 4
        case 404: 5
        case 405: 6
        case 408: 7
        case 413: 8
        case 414: 9
        case 415: 10
        case 421: 11
        case 422: 12
        case 429: 13
        case 431: 14
        case 500: 15
        case 502: 16
        case 503: 17
        default: 18
        }
    }

    // MARK: Reasons

    /// The codes of refusals (section 3 of the outside contract); the last stands for all others.
    static let reasons: [StaticString] = [
        "unauthenticated", "not_found", "not_in_grant", "rate_limited", "invalid_parameter", "unknown_parameter",
        "missing_parameter", "forbidden", "ambiguous_grant", "credential_too_short", "method_not_allowed",
        "misdirected", "malformed_request", "body_too_large", "uri_too_long", "headers_too_large", "request_timeout",
        "unsupported_media_type", "unreadable_string_to_sign", "upstream_failed", "upstream_unavailable",
        "audit_unavailable", "overloaded", "internal_error", "other",
    ]

    static func place(ofReason code: StaticString) -> Int {
        reasons.firstIndex { $0.bytes.equals(code) } ?? reasons.count - 1
    }

    // MARK: Who asks

    static let principals = Principal.Kind.allCases
    /// What a request proves who asks by; `other` is for what is none of the others, or two of them.
    static let proofs: [String] = principals.map(\.rawValue) + ["ticket", "other"]

    enum Proof {
        case principal(Principal.Kind)
        case ticket, other

        var place: Int {
            switch self {
            case .principal(let kind): principals.firstIndex(of: kind) ?? proofs.count - 1
            case .ticket: principals.count
            case .other: principals.count + 1
            }
        }
    }

    static let outcomes = ["accepted", "refused"]

    // MARK: Limits

    /// What there may be only so much of.
    enum Limit: String, CaseIterable {
        case perAddress, perCaller, perGrant, callsPerCaller, requestLine, headers, body, time

        var place: Int { Limit.allCases.firstIndex(of: self) ?? 0 }
    }
}

extension RequestLabels.Limit {
    /// What a request that could not be read was more than; nil where that is something else.
    init?(_ kind: RequestError.Kind) {
        switch kind {
        case .uriTooLong: self = .requestLine
        case .headersTooLarge: self = .headers
        case .bodyTooLarge: self = .body
        case .timeout: self = .time
        case .malformed, .overloaded: return nil
        }
    }
}
