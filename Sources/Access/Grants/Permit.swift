import Bytes

/// The policy's permission to issue one credential: for which resource, until when, by which grant. It cannot be copied, and only
/// `Policy` can make one.
package struct Permit: ~Copyable {
    /// What part of a bucket the permit is for.
    package enum Extent: Sendable {
        /// The one object `key`.
        case object
        /// Every object whose key begins with `key`.
        case prefix
        /// The whole bucket (`unscoped`); `key` is empty.
        case bucket
        /// All of the account (`unscoped`); `bucket` and `key` are empty.
        case service
    }

    /// What made the credential end when it does (R5).
    package enum Limit: Sendable {
        case requested, grant, caller
        /// The credential that signs or was fetched; this is found out after the permit (`shorten`).
        case credential

        package var name: StaticString {
            switch self {
            case .requested: "requested"
            case .grant: "grant"
            case .caller: "caller"
            case .credential: "credential"
            }
        }
    }

    package let grant: Grant
    package let extent: Extent
    package private(set) var limitedBy: Limit
    /// How many seconds the credential holds from the moment it was permitted.
    package private(set) var lifetime: Int64
    /// Seconds since 1970.
    package private(set) var expiresAt: Int64
    private let scope: Scope

    init(_ grant: Grant, _ scope: consuming Scope, lifetime: Int64, limitedBy: Limit, now: Int64) {
        self.grant = grant
        extent = scope.extent
        self.scope = scope
        self.lifetime = lifetime
        self.limitedBy = limitedBy
        expiresAt = now + lifetime
    }

    package var bucket: Span<UInt8> {
        @_lifetime(borrow self)
        get { scope.bucket }
    }

    /// The whole key or the rendered prefix.
    package var key: Span<UInt8> {
        @_lifetime(borrow self)
        get { scope.key }
    }

    /// The name that the caller has with the vendor; empty for none.
    package var vendorName: Span<UInt8> {
        @_lifetime(borrow self)
        get { scope.vendorName }
    }

    /// Lets the credential end with the key that signs it, if that ends earlier. There is no way to let it end later.
    /// - Parameter end: seconds since 1970.
    package mutating func shorten(to end: Int64) {
        guard end < expiresAt else { return }
        let begin = expiresAt - lifetime
        lifetime = max(0, end - begin)
        expiresAt = begin + lifetime
        limitedBy = .credential
    }

    /// Ends the permit, and gives its storage back for the next.
    package consuming func end(in workspace: inout PolicyWorkspace) { workspace.winning = scope }
}
