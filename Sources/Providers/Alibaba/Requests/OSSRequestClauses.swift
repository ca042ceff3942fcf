import Access
import Bytes

/// What a grant says of signed requests beside the operations that it admits: versions, content types, sizes. Each of these the
/// vendor enforces by the signature, or the grant owns that it does not (R18).
struct OSSRequestClauses: Sendable {
    private let versions: [OSSRequestParts.Version]
    private let body: BodyClauses
    private let isSizeEnforced: Bool
    /// Whether the grant is for one key.
    private let hasOneKey: Bool
    /// Whom the vendor tells of an upload.
    let callback: PostCallback?

    var doubts: [String] { body.doubts }

    /// What a grant may say, of the operations in a table.
    struct Fields: FieldGroup {
        let methods, headers, subresources, query, contentTypes: Field<[[UInt8]]?>
        let maxSize: Field<Int?>
        let versions: Field<[[UInt8]]>
        let callback: Field<Settings<PostCallback.Fields>?>
        let unenforced = BodyClauses.unenforced

        init(_ table: OperationTable) {
            methods = .signed("methods", "methods", of: table.methods, required: true)
            headers = .signed("headers", "headers", of: table.headers)
            subresources = .signed("subresources", "sub-resources", of: table.subResources)
            query = .signed("query", "other query parameters", of: table.query)
            contentTypes = BodyClauses.contentTypes
            maxSize = Field(
                "maxSize", .size(1...BodyClauses.maximumSize), told: true,
                "The longest body of PUT and POST. It needs `versions: \"v4\"`, since v1 does not sign `Content-Length`; callers ask with `header=content-length:BYTES`, which need not be in `headers`. A browser sends that header by itself."
            )
            versions = Field(
                "versions", .strings, default: OSSRequestParts.Version.allCases.map(\.name.array), told: true,
                "The signature versions that callers may ask for.")
            callback = Field(
                "callback", .object(PostCallback.fields),
                "The callback that the vendor sends after an upload.")
        }
    }

    init(_ grant: Settings<Fields>, _ target: Grant.Target) throws(FieldProblem) {
        let all = OSSRequestParts.Version.allCases
        let names = grant.versions
        versions = names.compactMap { name in all.first { name.span.equals($0.name) } }
        guard !versions.isEmpty, versions.count == names.count else {
            throw FieldProblem("versions", "must be of v4 and v1, at least one")
        }
        let signsV1 = versions.contains(.v1)
        hasOneKey = if case .key = target { true } else { false }
        body = try BodyClauses(contentTypes: grant.contentTypes, maxSize: grant.maxSize)
        callback = try grant.callback.map { fields throws(FieldProblem) in try PostCallback(fields) }
        let methods = grant.methods ?? []
        guard callback == nil || methods.contains(where: { $0.text == "PUT" || $0.text == "POST" }) else {
            throw FieldProblem("callback", "needs PUT or POST among the methods, since OSS tells of uploads alone")
        }
        let subResources = grant.subresources ?? []
        let isInPieces = subResources.contains { $0.text == "partNumber" || $0.text == "append" }
        isSizeEnforced = !signsV1 && !isInPieces
        let fault = signsV1 ? "say versions: \"v4\", since v1 signs no Content-Length" : "an object in pieces has any"
        try body.checkOwned(grant.unenforced, sizeFault: isSizeEnforced ? nil : fault)
        if signsV1, OSSRequestClauses.fixedText(of: target).contains(UInt8(ascii: "?")) {
            let name = hasOneKey ? "key" : "keyPrefix"
            throw FieldProblem(name, "must not contain ?, where version v1 sees the key's end: say versions: [\"v4\"]")
        }
    }

    func admits(header name: Span<UInt8>) -> Bool { body.admits(header: name) }

    func objection(to request: borrowing JudgedRequest, by version: OSSRequestParts.Version) -> Objection? {
        guard versions.contains(version) else {
            return Objection(outside: "versions", "the version must be one of the grant's")
        }
        if version == .v1, callback != nil, request.endsUpload {
            return Objection("callback", "version v1 cannot tell a callback from the end of a key; ask for v4")
        }
        if version == .v1, hasOneKey, !request.query.isEmpty {
            return Objection("versions", "version v1 cannot tell one key with a query from others; ask for v4")
        }
        for name in OSSOperations.valued
        where request.query.contains(where: { $0.equals(name) && $1.isEmpty }) {
            return OSSOperations.emptyValue
        }
        let writes = request.method.equals("PUT") || request.method.equals("POST")
        return body.objection(to: request, isTyped: writes, isSized: writes, isSizeNeeded: isSizeEnforced)
    }

    private static func fixedText(of target: Grant.Target) -> [UInt8] {
        switch target {
        case .key(let template), .prefix(let template): template.sample
        case .anything: []
        }
    }
}
