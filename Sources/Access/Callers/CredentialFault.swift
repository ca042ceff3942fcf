/// Why a credential is refused, for the log: the caller is not told all of it.
package enum CredentialFault: Error, Sendable {
    case token(JWTFault)
    /// It is the API key of this caller, and has ended.
    case endedKey(Principal)

    /// What is wrong with a token; nil for another credential.
    package var token: JWTFault? { if case .token(let fault) = self { fault } else { nil } }
}
