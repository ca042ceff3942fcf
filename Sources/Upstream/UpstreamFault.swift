import Bytes

/// Why an attempt, or a whole call, brought no credential.
package enum UpstreamFault: Error, Sendable, Equatable {
    /// No connection, no trust in the other side, a connection that broke, or no answer in time.
    case network
    /// The vendor says that it cannot just now: 5xx, ServiceUnavailable, InternalError.
    case unavailable
    /// The vendor says that it was asked too often: Throttling, 429.
    case throttled
    /// The vendor refuses: NoPermission, or another error that it would give again.
    case refused
    /// An answer that cannot be read: a redirect, HTML, bad JSON, too long, or without a member.
    case malformed
    /// A credential that had ended, or nearly, when it came, by the one clock or by the other.
    case expired
    /// Our clock is too far from the vendor's.
    case clockOff
    /// Not tried: the vendor has been failing. Monotonic milliseconds of the next chance.
    case breakerOpen(until: Int64)
    /// Not tried: too many calls in this second. Monotonic milliseconds of the next chance.
    case overBudget(until: Int64)

    /// Whether no attempt was made.
    package var isUntried: Bool {
        switch self {
        case .breakerOpen, .overBudget: true
        case .network, .unavailable, .throttled, .refused, .malformed, .expired, .clockOff: false
        }
    }

    /// Whether the same call, signed anew, may succeed at once.
    package var isRetried: Bool {
        switch self {
        case .network, .unavailable, .throttled: true
        case .refused, .malformed, .expired, .clockOff, .breakerOpen, .overBudget: false
        }
    }

    /// Whether another endpoint may succeed: this one would only fail in the same way again.
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
        let family = code.extracting(0..<(code.firstIndex(of: UInt8(ascii: ".")) ?? code.count))
        if family.begins(with: "Throttling") {
            self = .throttled
            return
        }
        for known in UpstreamFault.families where family.equals(known.name) {
            self = known.fault
            return
        }
        self =
            switch status {
            case 429: .throttled
            case 408, 500...599: .unavailable
            case ..<400 where code.isEmpty: .malformed
            default: .refused
            }
    }

    /// The vendors' error tables (Alibaba Cloud's document 42775; AWS STS API reference, "Common Errors" and those of each action), by
    /// the part of a code before its first dot. Those that are refused stand here so that no status can make them anything else.
    private static let families: [(name: StaticString, fault: UpstreamFault)] = [
        ("ServiceUnavailable", .unavailable), ("InternalError", .unavailable), ("InvalidTimeStamp", .clockOff),
        ("NoPermission", .refused), ("Forbidden", .refused), ("AuthenticationFail", .refused),
        ("EntityNotExist", .refused), ("InvalidParameter", .refused), ("MissingParameter", .refused),
        ("InvalidAccessKeyId", .refused), ("InvalidSecurityToken", .refused), ("MissingSecurityToken", .refused),
        ("SignatureDoesNotMatch", .refused), ("SignatureNonceUsed", .refused),
        ("RequestLimitExceeded", .throttled), ("SlowDown", .throttled), ("InternalFailure", .unavailable),
        ("IDPCommunicationError", .unavailable), ("RequestExpired", .clockOff), ("RequestTimeTooSkewed", .clockOff),
        ("AccessDenied", .refused), ("MalformedPolicyDocument", .refused), ("PackedPolicyTooLarge", .refused),
        ("RegionDisabledException", .refused), ("ExpiredToken", .refused), ("ExpiredTokenException", .refused),
        ("InvalidClientTokenId", .refused), ("ValidationError", .refused), ("IDPRejectedClaim", .refused),
        ("InvalidIdentityToken", .refused), ("InvalidParameterValue", .refused),
    ]
}
