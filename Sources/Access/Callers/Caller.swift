/// Somebody who asks, after it is known who.
package final class Caller: Sendable {
    package let principal: Principal
    /// Where its grants are listed in a `Policy`.
    let index: Int
    /// When its own credential ends, in seconds since 1970; nil when it does not.
    package let endsAt: Int64?
    /// Whether it is on the deny list (R12).
    package let isDenied: Bool

    init(_ principal: Principal, index: Int, endsAt: Int64? = nil, isDenied: Bool = false) {
        self.principal = principal
        self.index = index
        self.endsAt = endsAt
        self.isDenied = isDenied
    }
}

/// Which callers a grant admits.
package enum CallerSelector: Sendable, Hashable {
    case anonymous
    /// Anybody who is known, whoever.
    case authenticated
    case identity(Principal.Kind, id: [UInt8])

    func admits(_ principal: Principal) -> Bool {
        switch self {
        case .anonymous: principal.kind == .anonymous
        case .authenticated: principal.kind != .anonymous
        case .identity(let kind, let id): principal.kind == kind && principal.id == id
        }
    }
}
