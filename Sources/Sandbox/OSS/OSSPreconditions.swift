import Bytes

/// On what conditions a client wants an object, or wants it copied (OSS API reference, "GetObject" and "CopyObject").
struct OSSPreconditions {
    private let match: [UInt8]?
    private let noneMatch: [UInt8]?
    private let modifiedSince: Int64?
    private let unmodifiedSince: Int64?

    enum Verdict {
        case holds
        case notModified
    }

    /// Of a request for an object.
    init(_ head: SandboxRequest) {
        match = head.value(of: "if-match")
        noneMatch = head.value(of: "if-none-match")
        modifiedSince = OSSPreconditions.time(head.value(of: "if-modified-since"))
        unmodifiedSince = OSSPreconditions.time(head.value(of: "if-unmodified-since"))
    }

    /// Of the source of a copy.
    init(ofSource head: SandboxRequest) {
        match = head.value(of: "x-oss-copy-source-if-match")
        noneMatch = head.value(of: "x-oss-copy-source-if-none-match")
        modifiedSince = OSSPreconditions.time(head.value(of: "x-oss-copy-source-if-modified-since"))
        unmodifiedSince = OSSPreconditions.time(head.value(of: "x-oss-copy-source-if-unmodified-since"))
    }

    func judge(_ object: StoredObject) throws(OSSError) -> Verdict {
        if let match, !OSSPreconditions.isTag(match, of: object) { throw .preconditionFailed("If-Match") }
        if let unmodifiedSince, object.time > unmodifiedSince { throw .preconditionFailed("If-Unmodified-Since") }
        if let noneMatch, OSSPreconditions.isTag(noneMatch, of: object) { return .notModified }
        if let modifiedSince, noneMatch == nil, object.time <= modifiedSince { return .notModified }
        return .holds
    }

    private static func time(_ field: [UInt8]?) -> Int64? { field.flatMap { HTTPDate.parse($0.span) } }

    private static func isTag(_ field: [UInt8], of object: StoredObject) -> Bool {
        let quote = UInt8(ascii: "\"")
        let tag =
            field.count >= 2 && field.first == quote && field.last == quote
            ? Array(field.dropFirst().dropLast()) : field
        return tag.span.equals(ignoringCase: object.hash.span)
    }
}
