import Access

extension [Enforcement] {
    static let qiniuUploadToken = [
        Enforcement(.vendor, "bucket and key", "scope of the put policy; of a prefix with isPrefixalScope"),
        Enforcement(.vendor, "end", "deadline of the put policy"),
        Enforcement(
            .vendor, "overwriting", "insertOnly, unless the grant has overwrite: true; by a prefix never"),
        Enforcement(.vendor, "size and type", "fsizeMin, fsizeLimit and mimeLimit, where the grant's policy has them"),
        .reuse,
    ]

    static let qiniuDownloadURL = [
        Enforcement(.vendor, "domain, key, query and end", "the signature is over the whole URL"),
        .reuse,
    ]

    static let qiniuCDNURL = [
        Enforcement(.vendor, "key and end", "the signature is over the path and the deadline"),
        Enforcement(.nobody, "query and domain", "neither is signed"),
        .reuse,
    ]

    static let qiniuRequest = [
        Enforcement(.vendor, "method, host, path and query", "they are signed; with neverExpires path and query alone"),
        Enforcement(.vendor, "end", "X-Qiniu-Date, unless the grant has neverExpires: true"),
        .reuse,
    ]

    static let callback = [
        Enforcement(.service, "sender", "the vendor's signature is verified; nothing is issued")
    ]
}

extension Enforcement {
    /// A put policy that limits types, and takes an object's type from the client.
    static let clientsType = Enforcement(
        .nobody, "type",
        "with detectMime -1 the client names it, so type and content need not agree; detectMime 1 takes it from the content"
    )
}
