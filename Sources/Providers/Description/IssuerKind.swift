import Access

/// The kinds of issuer. A route's `makeIssuer` decides which one a grant has, when the configuration compiles.
///
/// It is indirect, since a list has one for each grant, and an issuer of sessions has many fields.
package indirect enum IssuerKind: Sendable {
    /// Signs with the credential's key.
    case signing(any TokenIssuer)
    /// Signs with the key of one session, which may do what `policy` says (JSON). A request waits for that session with no more
    /// of its ask than `Ask.detailOnly`, so the issuer reads nothing else when it issues.
    case signingBySession(any TokenIssuer, policy: [UInt8])
    /// Gives the caller a session.
    case session(SessionIssuer)
    /// Asks the vendor for the answer.
    case asking(any VendorIssuer)
    /// Issues nothing, and verifies the vendor's callbacks.
    case verifying(any CallbackVerifier)

    /// What the policy asks, whichever kind it is.
    package var issuer: any Issuer {
        switch self {
        case .signing(let issuer), .signingBySession(let issuer, policy: _): issuer
        case .session(let issuer): issuer
        case .asking(let issuer): issuer
        case .verifying(let verifier): verifier
        }
    }

    /// The issuer that signs here, with whichever key; nil where nothing is signed here.
    package var signer: (any TokenIssuer)? {
        switch self {
        case .signing(let issuer), .signingBySession(let issuer, policy: _): issuer
        case .session, .asking, .verifying: nil
        }
    }
}
