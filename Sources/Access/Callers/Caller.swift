/// The caller of a request, once it is identified.
package final class Caller: Sendable {
    package let principal: Principal
    /// Of its principal, by a key that no client knows.
    package let hash: UInt64
    /// Where its grants are listed in a `Policy`.
    let index: Int
    /// When its own credential ends, in seconds since 1970; nil when it does not.
    package let endsAt: Int64?
    /// By how many seconds the clock by which it ends may be wrong.
    private let leeway: Int64
    /// Whether it is on the deny list (R12).
    package let isDenied: Bool
    /// What its token says of it, as far as grants look at it.
    let claims: CallerClaims
    /// The ticket by which it asks; nil for one that asks by a credential of its own.
    package let ticket: Ticket?
    /// The credential that identified the caller; for a ticket, the credential of the ticket's maker.
    package let proof: CallerProof

    /// The credential that a caller asks by.
    struct Credential {
        var endsAt: Int64?
        var leeway: Int64 = 0
        var ticket: Ticket?
        var proof = CallerProof.nothing
    }

    init(
        _ principal: Principal, index: Int, isDenied: Bool = false, claims: CallerClaims = .none,
        by credential: Credential = Credential()
    ) {
        self.principal = principal
        hash = RateTable.Identity.hash(principal)
        self.index = index
        endsAt = credential.endsAt
        leeway = credential.leeway
        self.isDenied = isDenied
        self.claims = claims
        ticket = credential.ticket
        proof = credential.proof
    }

    /// The caller before it is identified: denied everything.
    package static let nobody = Caller(.anonymous, index: 0, isDenied: true)

    /// When what is issued now has to end at the latest: with the caller's own credential, or, where that holds only because
    /// clocks differ, with what they may differ by.
    func end(at now: Int64) -> Int64? { endsAt.map { now < $0 ? $0 : $0 + leeway } }
}

/// Which callers a grant admits.
package enum CallerSelector: Sendable, Hashable {
    case anonymous
    /// Every caller that has an identity.
    case authenticated
    case identity(Principal.Kind, id: [UInt8])
}
