import HTTP

/// What each code means, and what the client can do about it, for docs/api.md and `/openapi.json`.
extension Refusal.Code {
    /// Which requests are answered so.
    enum Concern: Sendable {
        case everyRequest
        /// Those with a body.
        case bodies
        case parameters
        /// Those for which somebody must prove who asks.
        case callers
        /// Those that need keys, of an issuer of tokens or of a vendor, or sessions.
        case issuers
        /// Those that a grant must allow.
        case grants
        /// Those for which a vendor may have to be asked.
        case vendors
        case stringsToSign
    }

    var concern: Concern {
        switch self {
        case .malformedRequest, .uriTooLong, .headersTooLarge, .requestTimeout, .misdirected, .notFound,
            .methodNotAllowed, .rateLimited, .overloaded, .internalError:
            .everyRequest
        case .bodyTooLarge, .unsupportedMediaType: .bodies
        case .invalidParameter, .unknownParameter: .parameters
        case .unauthenticated, .forbidden: .callers
        case .upstreamUnavailable: .issuers
        case .missingParameter, .notInGrant, .ambiguousGrant, .credentialTooShort, .stopped, .ticketSpent,
            .clusterUnavailable, .auditUnavailable:
            .grants
        case .upstreamFailed: .vendors
        case .unreadableStringToSign: .stringsToSign
        }
    }

    /// The codes that concern requests of these kinds, in the order of the statuses.
    static func concerning(_ concerns: [Concern]) -> [Self] {
        inOrder.filter { concerns.contains($0.concern) }
    }

    /// All codes, in the order of their statuses.
    static let inOrder = allCases.sorted { ($0.status.rawValue, $0.rawValue) < ($1.status.rawValue, $1.rawValue) }

    /// Why a request is refused so: short sentences for programmers of clients.
    var cause: String {
        switch self {
        case .unauthenticated:
            "The request has no credential, and no grant of the route is for `anonymous`; or its API key, token, ticket or certificate is "
                + "wrong or has ended; or a vendor's callback has a wrong signature."
        case .notFound: "The service has nothing at this path; or the vendor has no such bucket or key."
        case .notInGrant: "No grant of the caller allows this. `clause` names the part of the grant that refuses it."
        case .rateLimited:
            "The caller, its address or its grant has sent too many requests, or the caller has used up its share of calls to the vendor."
        case .invalidParameter:
            "A parameter has a wrong value, or a name that is there twice. `parameter` names it. Or a GET has a body."
        case .unknownParameter:
            "The route has no parameter of this name. `parameter` names it where it is safe to repeat."
        case .missingParameter: "The route needs a parameter that the request does not have. `parameter` names it."
        case .forbidden:
            "The caller is on the deny list; or the web page's origin is not allowed; or a ticket was used to make another ticket."
        case .ambiguousGrant: "Several grants of the caller allow this, and the service does not choose between them."
        case .credentialTooShort: "The caller's own credential ends before that which it asks for would end."
        case .stopped:
            "The operator has stopped the grant, its credential, the caller or its issuer, or everything (`countersign brake`)."
        case .methodNotAllowed:
            "The path does not answer to this method. The field `Allow` lists those that it answers to."
        case .misdirected: "The service does not answer to the host name in the request."
        case .malformedRequest: "The request is not valid HTTP, or has no Host."
        case .bodyTooLarge: "The body has more bytes than `server.limits.body`."
        case .uriTooLong: "The request line has more bytes than `server.limits.requestLine`."
        case .headersTooLarge: "The header fields have more bytes than the service takes, or there are too many."
        case .requestTimeout: "The request did not arrive in time."
        case .unsupportedMediaType: "The body has no Content-Type, or one that the route does not take."
        case .unreadableStringToSign:
            "The service cannot tell what the string to sign is for, so that it does not sign it."
        case .upstreamFailed: "The vendor refused the service's request, or its answer cannot be used."
        case .upstreamUnavailable:
            "The vendor, or the issuer of the caller's token, cannot be reached, is too slow, or is asked as often as it may be. Or the "
                + "configuration changed while the request waited."
        case .ticketSpent:
            "The ticket was used as often as it may be; or Redis, which counts its uses, has begun anew since it was made."
        case .clusterUnavailable:
            "Redis cannot be reached, which counts the uses of the ticket; or it has not been reached for so long that nothing is issued."
        case .auditUnavailable: "The record of what is issued cannot be written. Without it nothing is issued."
        case .overloaded: "The service has too many connections or requests, or the disk of the audit is too slow."
        case .internalError: "Something in the service failed."
        }
    }

    /// What to do about it.
    var remedy: String {
        switch self {
        case .unauthenticated:
            "Send `Authorization: Bearer KEY` with a valid API key or token. Get a new token if the old one has ended. Do not repeat the "
                + "request unchanged."
        case .notFound: "Compare the path with this document. Compare bucket and key with what the vendor has."
        case .notInGrant:
            "Ask for what the grant allows; `GET /grants` lists it. An operator sees the reason by `countersign explain`."
        case .rateLimited:
            "Wait for as many seconds as `Retry-After` says, then ask again. Keep credentials until they end."
        case .invalidParameter: "Correct the value as `detail` says."
        case .unknownParameter: "Correct the name; `detail` suggests one. Names that begin with `_` are ignored."
        case .missingParameter: "Add the parameter."
        case .forbidden: "Ask the operator: `authentication.deny` and `server.cors.origins` decide about it."
        case .ambiguousGrant: "Name one of the grants in `detail` in the parameter `grant`; `GET /grants` lists all."
        case .credentialTooShort:
            "Get a newer credential, or ask for a shorter lifetime by `expires`. The operator can let the grant say `outliveCaller: true`."
        case .stopped:
            "Ask again later, not at once. The operator has the reason: `countersign brakes` and `explain` tell it."
        case .methodNotAllowed: "Use one of the methods in `Allow`."
        case .misdirected: "Use a name that the operator has listed in `server.hosts`."
        case .malformedRequest: "Correct the client or the proxy that made the request; `detail` says what is wrong."
        case .bodyTooLarge: "Send less, or let the operator raise `server.limits.body`."
        case .uriTooLong: "Send the parameters by POST."
        case .headersTooLarge: "Send fewer or shorter header fields."
        case .requestTimeout: "Ask again. If that happens often, look for what makes the connection slow."
        case .unsupportedMediaType:
            "Send `Content-Type: application/json` or `application/x-www-form-urlencoded`, and UTF-8. `detail` lists what the route takes."
        case .unreadableStringToSign: "Send the string exactly as the vendor's SDK made it, with its line breaks."
        case .upstreamFailed:
            "Tell the operator the `requestId` and the time: the service's log has the vendor's reason."
        case .upstreamUnavailable: "Wait for as many seconds as `Retry-After` says, then ask again."
        case .ticketSpent: "Have another ticket made."
        case .clusterUnavailable, .auditUnavailable, .overloaded:
            "Wait for as many seconds as `Retry-After` says, then ask again. If that lasts, tell the operator."
        case .internalError: "Tell the operator the `requestId`: the service's log has the reason."
        }
    }
}
