import Bytes

/// The query parameters that NOS signs as part of the resource (`accessControl` page, CanonicalizedResource).
enum NOSSubResources {
    static func isSigned(_ name: [UInt8]) -> Bool {
        for listed in signed where name.span.equals(listed) { return true }
        return false
    }

    /// Names that are never in a request of ours: the signature's own, what the Java SDK signs as a header field, and what one
    /// of the vendor's SDKs signs and another does not.
    static func isBarred(_ name: [UInt8]) -> Bool {
        for listed in barred where name.span.equals(ignoringCase: listed) { return true }
        return name.span.count >= 6 && name.span.extracting(0..<6).equals(ignoringCase: "x-nos-")
    }

    private static let signed: [StaticString] = [
        "acl", "deduplication", "delete", "location", "partNumber", "uploadId", "uploads", "versionId", "versioning",
        "versions",
    ]

    private static let barred: [StaticString] = ["nosaccesskeyid", "expires", "signature", "crop", "resize"]
}
