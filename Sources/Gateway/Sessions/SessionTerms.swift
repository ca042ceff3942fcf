import Access
import Bytes
import HTTP
import Providers
import Upstream

/// What a permit says of the end of the session that a caller gets.
struct SessionTerms {
    /// Seconds since 1970.
    let expiresAt: Int64
    let limitedBy: Permit.Limit
    /// What the session is for, as its answer tells it (`STSSession.scope`).
    let scope: JSONMembers
}

extension Response {
    /// The vendor's own words, and what the session is for (`STSCredential.writeAnswer`).
    mutating func write(_ credential: STSCredential, on terms: SessionTerms, at now: Instant) -> IssueTerms {
        credential.writeAnswer(for: terms.scope, into: &body)
        let limit = credential.expiresAt < terms.expiresAt ? Permit.Limit.credential : terms.limitedBy
        add("Countersign-Limited-By", limit.name)
        return IssueTerms(
            lifetime: max(0, credential.expiresAt - now.unixSeconds), limitedBy: limit.name,
            accessKeyID: credential.accessKeyID)
    }
}
