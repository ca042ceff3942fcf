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
    /// What the session is for, as its answer tells it (`VendorSession.scope`).
    let scope: JSONMembers
    /// The words of the answer.
    let form: SessionForm
}

extension Response {
    /// The credential, and what the session is for, in the words of the route.
    mutating func write(_ credential: SessionCredential, on terms: SessionTerms, at now: Instant) -> IssueTerms {
        terms.form.write(credential, terms.scope, &body)
        let limit = credential.expiresAt < terms.expiresAt ? Permit.Limit.credential : terms.limitedBy
        add("Countersign-Limited-By", limit.name)
        return IssueTerms(
            lifetime: max(0, credential.expiresAt - now.unixSeconds), limitedBy: limit.name,
            accessKeyID: credential.accessKeyID)
    }
}
