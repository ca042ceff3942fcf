import Access

extension [Enforcement] {
    static let ossString = [
        Enforcement(
            .service, "method, bucket, key, sub-resources and headers", "the string is read before it is signed"),
        Enforcement(.vendor, "what the string says", "a request that is otherwise has another string"),
        Enforcement(.vendor, "end", "the date of a request, or the deadline of a URL, that the string holds"),
        Enforcement(.nobody, "size and content", "a body is signed only by a Content-MD5, if the string has one"),
        .reuse,
    ]

    static let ossRequest = [
        Enforcement(.vendor, "method, bucket, key and sub-resources", "they are signed"),
        Enforcement(.vendor, "Content-Type, Content-MD5 and x-oss- headers", "they are signed, where they are given"),
        Enforcement(.vendor, "end", "the date or the deadline that is signed"),
        Enforcement(.vendor, "callback", "it is signed, where the grant has one, with the name of who uploads in it"),
        Enforcement(
            .vendor, "size of a body that is sent whole",
            "Content-Length is signed, where the grant has maxSize and versions: \"v4\""),
        Enforcement(
            .nobody, "size without maxSize", "a body's size is then not signed; maxSize or oss.post-policy limits it"),
        .reuse,
    ]

    static let ossListing = [
        Enforcement(.vendor, "bucket, prefix and end", "version 4 signs the whole query, and the prefix stands in it"),
        Enforcement(
            .nobody, "content of keys", "whoever has the URL learns every key that begins so, its size and its time"),
        .reuse,
    ]

    static let ossForm = [
        Enforcement(.vendor, "bucket, key and end", "conditions and expiration of the policy"),
        Enforcement(.vendor, "size", "content-length-range of the policy"),
        Enforcement(
            .vendor, "type",
            "a condition on x-oss-content-type, which OSS takes before any other type of a form, where the grant has contentTypes"
        ),
        Enforcement(.vendor, "overwriting", "x-oss-forbid-overwrite, unless the grant has overwrite: true"),
        Enforcement(.vendor, "ACL", "a condition on x-oss-object-acl, unless the grant has objectAcl: \"any\""),
        Enforcement(.vendor, "callback", "a condition, where the grant has one, with the name of who uploads in it"),
        Enforcement(
            .nobody, "other fields",
            "OSS takes those that no condition names: metadata, storage class, encryption, a redirect, and a callback's x: variables"
        ),
        .reuse,
    ]

    static let ossStream = [
        Enforcement(.vendor, "bucket, channel, playlist and end", "they are signed"),
        Enforcement(.nobody, "content", "what is streamed, and how much, is not limited"),
        .reuse,
    ]
}

extension Enforcement {
    /// A form whose grant has no callback.
    static let anyCallback = Enforcement(
        .nobody, "callback",
        "a client may have OSS call an address of its choice after the upload, since no form policy can forbid that; name a callback in the grant, which it then has to keep"
    )

    /// A form whose grant leaves the ACL open.
    static let anyACL = Enforcement(
        .nobody, "ACL", "a form may publish what it uploads (x-oss-object-acl); objectAcl: \"default\" pins it")
}
