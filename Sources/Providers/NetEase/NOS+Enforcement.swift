import Access

extension [Enforcement] {
    static let nosUploadToken = [
        Enforcement(.vendor, "bucket, key and end", "Bucket, Object and Expires of the policy"),
        Enforcement(.vendor, "overwriting", "OverWrite of the policy"),
        Enforcement(
            .vendor, "size and type", "ObjectSizeMin, ObjectSizeMax and MimeLimit, where the grant's policy has them"),
        .reuse,
    ]

    static let nosRequest = [
        Enforcement(.vendor, "method, bucket, key and sub-resources", "they are signed"),
        Enforcement(.vendor, "Content-Type, Content-MD5 and x-nos- headers", "they are signed, where they are given"),
        Enforcement(.vendor, "end", "the date or the deadline that is signed"),
        Enforcement(.nobody, "size", "a body's size is not signed; an upload token's policy can limit it"),
        .reuse,
    ]
}
