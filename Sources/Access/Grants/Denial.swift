/// Why a caller does not get the token that it asks for.
package enum Denial: Sendable {
    /// Nobody who does not say who they are gets anything here.
    case unauthenticated
    /// The caller is on the deny list.
    case forbidden
    /// No grant of the caller's admits it; the objection of the grant that came nearest, if any did.
    case notInGrant(Objection?)
    /// The request cannot be read from what is asked, and no grant admits that (`Ask.obscurity`).
    case obscure(AskError)
    /// Several grants admit it; name one.
    case ambiguous
    /// The grant would admit it with this parameter.
    case missing(parameter: String)
    /// More than the grant's most seconds were asked for.
    case lifetimeTooLong(maximum: Int64)
    /// What is asked for would outlive the caller's own credential, and cannot be shortened.
    case credentialTooShort(Shortfall)
}
