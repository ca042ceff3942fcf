import Access

extension [Enforcement] {
    static let s3Request = [
        Enforcement(.vendor, "method, bucket, key and query", "version 4 signs them"),
        Enforcement(.vendor, "headers", "all that the answer names are signed; the client must send them as they are"),
        Enforcement(.vendor, "end", "the date of a request, or the lifetime of a URL, that is signed"),
        Enforcement(
            .vendor, "size of an upload that is put whole",
            "Content-Length is signed, where the grant has maxSize"),
        Enforcement(
            .vendor, "overwriting",
            "If-None-Match: * is signed, unless the grant has overwrite: true; not every server knows it"),
        Enforcement(.nobody, "content", "a body is signed only by a Content-MD5, where the caller gives one"),
        .reuse,
    ]
}
