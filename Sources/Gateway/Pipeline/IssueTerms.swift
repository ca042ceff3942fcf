import Access

/// How long an issued credential is valid, and what limits that.
struct IssueTerms {
    /// Seconds; nil where the credential never ends, and where the answer is no credential.
    var lifetime: Int64?
    var limitedBy: StaticString?
    /// The public half of a key that the vendor has made for the caller.
    var accessKeyID: [UInt8]?

    /// Of something that does not end, or is no credential.
    static let untimed = IssueTerms()
}

extension IssueTerms {
    init(_ permit: borrowing Permit) {
        guard !permit.grant.neverEnds else { return }
        lifetime = permit.lifetime
        limitedBy = permit.limitedBy.name
    }
}
