import Access

extension [Enforcement] {
    static let session = [
        Enforcement(.vendor, "bucket, prefix and actions", "the session's policy, inside that of the role"),
        Enforcement(.vendor, "end", "the session's Expiration; it holds at least 15 minutes"),
        Enforcement(.nobody, "size, type and overwriting", "a session's policy has no words for them"),
        Enforcement(.nobody, "uses", "how often it is used before it ends is not limited"),
    ]
}
