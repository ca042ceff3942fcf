import Bytes

/// Why an attempt, or a whole call, brought no credential.
package enum UpstreamFault: Error, Sendable, Equatable {
    /// No connection, no trust in the other side, a connection that broke, or no answer in time.
    case network
    /// The vendor says that it cannot just now: 5xx, ServiceUnavailable, InternalError.
    case unavailable
    /// The vendor says that it was asked too often: Throttling, 429.
    case throttled
    /// The vendor will not: NoPermission and whatever else it would answer again.
    case refused
    /// An answer that is none: a redirect, HTML, bad JSON, too long, a member missing.
    case malformed
    /// A credential that had ended, or nearly, when it came, by the one clock or by the other.
    case expired
    /// Our clock is too far from the vendor's.
    case clockOff
    /// Not tried: the vendor has been failing. Monotonic milliseconds of the next chance.
    case breakerOpen(until: Int64)
    /// Not tried: too many calls in this second. Monotonic milliseconds of the next chance.
    case overBudget(until: Int64)

    /// Whether the same call, signed anew, may fare better at once.
    package var isRetried: Bool {
        switch self {
        case .network, .unavailable, .throttled: true
        case .refused, .malformed, .expired, .clockOff, .breakerOpen, .overBudget: false
        }
    }

    /// Whether another endpoint may fare better: this one is not what it should be, and would only say it again.
    package var isRetriedElsewhere: Bool {
        switch self {
        case .malformed, .expired, .clockOff: true
        case .network, .unavailable, .throttled, .refused, .breakerOpen, .overBudget: false
        }
    }

    /// Whether it shows that the vendor fails, so that what is left of a credential is stretched.
    package var isOutage: Bool {
        switch self {
        case .network, .unavailable, .throttled, .malformed, .breakerOpen: true
        case .refused, .expired, .clockOff, .overBudget: false
        }
    }
}

extension UpstreamFault {
    /// What an answer that is no success means, by its code before its status: "Retry only: network error, 5xx,
    /// ServiceUnavailable/InternalError, Throttling*".
    /// - Parameter code: the `Code` of the vendor's error, such as `EntityNotExist.Role`; empty for none.
    package init(status: Int, code: Span<UInt8>) {
        let kind = code.extracting(0..<(code.firstIndex(of: UInt8(ascii: ".")) ?? code.count))
        if kind.begins(with: "Throttling") {
            self = .throttled
        } else if kind.equals("ServiceUnavailable") || kind.equals("InternalError") {
            self = .unavailable
        } else if kind.equals("InvalidTimeStamp") {
            self = .clockOff
        } else if UpstreamFault.isFinal(kind) {
            self = .refused
        } else if status == 429 {
            self = .throttled
        } else if (500...599).contains(status) {
            self = .unavailable
        } else if code.isEmpty, status < 400 {
            self = .malformed
        } else {
            self = .refused
        }
    }

    /// Codes that are final under whatever status they come.
    private static func isFinal(_ kind: Span<UInt8>) -> Bool {
        kind.equals("NoPermission") || kind.equals("EntityNotExist") || kind.equals("InvalidParameter")
            || kind.equals("InvalidAccessKeyId") || kind.equals("InvalidSecurityToken")
            || kind.equals("MissingSecurityToken") || kind.equals("SignatureDoesNotMatch")
            || kind.equals("SignatureNonceUsed")
    }
}
