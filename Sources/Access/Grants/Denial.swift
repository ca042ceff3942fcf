/// Why a caller does not get the token that it asks for.
package enum Denial: Sendable {
    /// The caller is anonymous, and no grant of the route admits anonymous callers.
    case unauthenticated
    /// The caller is on the deny list.
    case forbidden
    /// No grant of the caller's admits the ask. With the objection of the grant that came nearest, if there is one.
    case notInGrant(Objection?)
    /// The vendor's request cannot be read from the ask, and no grant admits such asks (`Ask.obscurity`).
    case obscure(AskError)
    /// Several grants admit the ask; the caller must name one. With their names, which `GET /grants` lists for this caller, too;
    /// there may be more where they are not all.
    case ambiguous([[UInt8]], areAll: Bool)
    /// The grant would admit the ask with this parameter, or with the other, where the route has one in its place.
    case missing(parameter: String, or: String? = nil)
    /// The ask is for more seconds than the grant allows.
    case lifetimeTooLong(maximum: Int64)
    /// What is asked for would outlive the caller's own credential, and cannot be shortened.
    case credentialTooShort(Shortfall)
}
