import Access
import Bytes
import HTTP
import Providers

/// The labels of requests in metrics. Every list is fixed, so that no client can add a sample by what it sends.
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
    /// Requests at no path of the service, and what cannot be read as a request.
    static let none = callback + 5

    static func route(_ endpoint: Router.Endpoint) -> Int {
        switch endpoint {
        case .issue(let route, _): route
        case .callback: callback
        case .grants: grants
        case .tickets: tickets
        case .alive: alive
        case .everything: none
        }
    }

    // MARK: Statuses

    /// Every status, and 0 for all others.
    static let statuses = Status.allCases.map(\.rawValue) + [0]

    /// By the status less 100; it is looked up for every request.
    private static let statusIndices: [UInt8] = (100..<600).map { status in
        UInt8(statuses.firstIndex(of: status) ?? statuses.count - 1)
    }

    /// The last stands for all others.
    static func index(ofStatus status: Int) -> Int {
        (100..<600).contains(status) ? Int(statusIndices[status - 100]) : statuses.count - 1
    }

    // MARK: Callers

    static let principals = Principal.Kind.allCases
    /// The kinds of credentials that requests present; `other` is for an unknown kind, or for two at once.
    static let proofs: [String] = principals.map(\.rawValue) + ["ticket", "other"]

    enum Proof {
        case principal(Principal.Kind)
        case ticket, other

        var index: Int {
            switch self {
            case .principal(let kind): principals.firstIndex(of: kind) ?? proofs.count - 1
            case .ticket: principals.count
            case .other: principals.count + 1
            }
        }
    }

    static let outcomes = ["accepted", "refused"]

    // MARK: Limits

    /// The limits of a request's size.
    enum Limit: String, CaseIterable {
        case perAddress, perCaller, perGrant, callsPerCaller, requestLine, headers, body, time

        var index: Int { Limit.allCases.firstIndex(of: self) ?? 0 }
    }
}

extension RequestLabels.Limit {
    /// The limit that a request went beyond; nil where it could not be read for another reason.
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
