import Access
import Bytes
import Crypto

/// `/oss/sign`: the signature over a string that a client's own SDK has put together (remote signing, V1 and V4).
///
/// `base64(HMAC-SHA1(secret, string))`, or V4's over its string to sign, for strings that `StringToSign` or `ParsedCanonicalRequest`
/// reads and the grant admits; a blind signature would be a blank cheque. What is signed is in `OSSOperations`.
struct RemoteSignature: TokenIssuer {
    private let accessKey: [UInt8]
    /// What clients may still call the key; they are told what it is called now.
    private let previousAccessKeys: [[UInt8]]
    private let rule: OperationRule
    private let versions: [RemoteRequest.Version]
    /// The credential's; nil when it has none, and nothing of version 4 is signed.
    private let region: [UInt8]?
    /// The longest life of a signed URL, in seconds; nil when none may be signed.
    private let presign: Int64?
    /// Whether requests are signed that nobody has seen.
    let takesObscure: Bool
    let callersEnd: CallersEnd

    static let route = RouteDescription(
        "oss.sign", path: "/oss/sign",
        "The signature over a string to sign, V1 or V4, whose request is read and found inside the grant.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.contentToSign.name),
            text: parameters.contentToSign
        ) { ask, instant throws(AskError) in try RemoteSignature.read(&ask, at: instant.unixSeconds) },
        grant: RouteGrant(Fields(), scope: [.bucket, .keyPrefix], enforcement: .ossString) {
            grant, context throws(FieldProblem) in .signing(try RemoteSignature(grant, context))
        },
        answer: RouteAnswer(
            [
                AnswerField("authorization", "The value of the Authorization field; of V1 only."),
                AnswerField("signature", "The signature alone: base64, or of V4 hex in lower case."),
                AnswerField("accessKeyId", "Whose key signed."),
                AnswerField("StatusCode", type: .integer, "200, as the vendor's samples have it."),
                AnswerField("bucket", "The bucket."), AnswerField("key", "The key that the string is about."),
            ], token: ["authorization", "signature"]))

    struct Fields: FieldGroup {
        let methods = Field<[[UInt8]]?>.signed("methods", "methods", of: OSSOperations.table.methods, required: true)
        let headers = Field<[[UInt8]]?>.signed("headers", "x-oss- headers", of: ownHeaders)
        let subresources = Field<[[UInt8]]?>.signed(
            "subresources", "sub-resources and other query parameters",
            of: OSSOperations.table.subResources + OSSOperations.table.query)
        let presign = Field(
            "presign", .duration(1000...604_800_000), told: true,
            "The longest lifetime of a URL. Without it, no URL is signed.")
        let versions = Field(
            "versions", .strings, told: true,
            "The signature versions that may be signed. The default is v1, and v4 if the credential has a region.")
        let trustSignInfo = Field(
            "trustSignInfo", .boolean, default: false,
            "Whether V4 strings are signed without their canonical request. The service then does not know what it signs. Needs `unscoped: true`."
        )
        let outliveCaller = Field<Bool>.outliveCaller
    }

    init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        accessKey = context.accessKey
        previousAccessKeys = Settings(context.credential, of: SigningCredentialFields()).previous
            .compactMap(\.accessKey)
        if let bucket = context.bucket, !OSS.isBucket(bucket.span) { throw FieldProblem("bucket", OSS.bucketFault) }
        if case .prefix(let prefix) = context.target, prefix.sample.contains(UInt8(ascii: "?")) {
            throw FieldProblem("keyPrefix", "must not contain ?, where the key of a string to sign ends")
        }
        let table = OSSOperations.table
        let names = grant.subresources ?? []
        guard names.allSatisfy({ table.subResources.contains($0) || table.query.contains($0) }) else {
            let known = RemoteSignature.list(table.subResources + table.query)
            throw FieldProblem("subresources", "must be of \(known); nothing else is signed for callers (R15)")
        }
        let headers = grant.headers ?? []
        guard headers.allSatisfy({ $0.starts(with: "x-oss-".utf8) }) else {
            throw FieldProblem(
                "headers", "must begin with x-oss-; whether others are signed is for the client to choose")
        }
        rule = try OperationRule(
            table, methods: grant.methods ?? [],
            subResources: (names.filter(table.subResources.contains), "subresources"),
            query: (names.filter(table.query.contains), "subresources"),
            headers: headers, reach: context.reach)
        region = context.credential[OSS.credential.region]
        versions = try RemoteSignature.versions(grant.versions, region: region)
        presign = grant.presign.map { $0 / 1000 }
        takesObscure = grant.trustSignInfo
        callersEnd = CallersEnd(outliveCaller: grant.outliveCaller)
        guard !takesObscure || context.reach > .object && versions.contains(.v4) else {
            throw FieldProblem(
                "trustSignInfo", "needs unscoped: true and version v4, since nothing is known of what is signed")
        }
    }

    private static func versions(
        _ names: [[UInt8]]?, region: [UInt8]?
    ) throws(FieldProblem) -> [RemoteRequest.Version] {
        var versions: [RemoteRequest.Version] = []
        guard let names else { return region == nil ? [.v1] : [.v1, .v4] }
        for name in names {
            guard let version = RemoteRequest.Version(name.span) else {
                throw FieldProblem("versions", "must be of v1 and v4")
            }
            versions.append(version)
        }
        guard !versions.isEmpty else { throw FieldProblem("versions", "must be at least one of v1 and v4") }
        guard region != nil || !versions.contains(.v4) else {
            throw FieldProblem("versions", "v4 needs the region of the credential")
        }
        return versions
    }

    /// All headers of the vendor's own that are ever signed; the others of a request are free.
    private static var ownHeaders: [[UInt8]] {
        OSSOperations.table.headers.filter { $0.starts(with: "x-oss-".utf8) }
    }

    private static func list(_ names: [[UInt8]]) -> String { names.map(\.text).joined(separator: ", ") }

    // MARK: Judging

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let request = ask.detail as? RemoteRequest, let text = ask[RemoteSignature.parameters.contentToSign]
        else {
            return Objection("contentToSign", "was not read")
        }
        guard versions.contains(request.version) else {
            return Objection(outside: "versions", "the version must be one of the grant's")
        }
        if let asked = ask[RemoteSignature.parameters.accessKeyID], !asked.equals(accessKey),
            !previousAccessKeys.contains(where: { asked.equals($0) })
        {
            return Objection("accessKeyId", "the grant signs with another access key")
        }
        if let objection = request.objectionToTime(presign: presign, tolerance: OSS.dateTolerance) { return objection }
        switch request.version {
        case .v1: return objection(to: request, of: ask, in: text)
        case .v4:
            if let objection = request.objectionToScope(in: text, OSS.v4, region: region) { return objection }
            if let canonical = ask[RemoteSignature.parameters.canonicalRequest] {
                return request.objectionToKey(in: canonical, OSS.v4, accessKey: accessKey)
                    ?? objection(to: request, of: ask, in: canonical)
            }
            guard let verb = request.verb, rule.names(method: verb.name) else {
                return Objection(outside: "methods", "the method must be one of the grant's")
            }
            return nil
        }
    }

    /// - Parameter text: what the request was read from.
    private func objection(to request: RemoteRequest, of ask: borrowing Ask, in text: Span<UInt8>) -> Objection? {
        guard let verb = request.verb, let key = ask.key, !key.isEmpty else {
            return Objection("resource", "only operations on single objects are signed")
        }
        let query =
            request.version == .v1
            ? JudgedNames(request.query(in: text)) { _ in false }
            : JudgedNames(request.query(in: text)) { OSS.v4.isCarrier(query: $0) }
        // Others than the vendor's own could be sent unsigned as well.
        let headers = JudgedNames(request.headers(in: text)) { name in
            !OSS.v4.isOwn(name) || OSS.v4.isCarrier(header: name)
        }
        let named = request.query(in: text)
        return rule.objection(to: verb.name.bytes, .object, names: query, headers: headers)
            ?? (OSSOperations.valued.contains { named.contains($0) && named.value(of: $0)?.isEmpty ?? true }
                ? OSSOperations.emptyValue : nil)
    }

    // MARK: Signing

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let request = ask.detail as? RemoteRequest, let text = ask[RemoteSignature.parameters.contentToSign]
        else {
            throw .nothingToSign
        }
        scratch.reset()
        switch request.version {
        case .v1: Base64.standard.encode(try key.sha1.code(of: text).bytes, into: &scratch)
        case .v4:
            guard let region else { throw .unsignable("version 4 needs a region") }
            try request.writeSignature(over: text, OSS.v4, region: region, with: key, into: &scratch)
        }
        if ask.wantsText {
            if request.version == .v1 {
                RemoteSignature.writeAuthorization(scratch.bytes, key, into: &out)
            } else {
                out.append(scratch.bytes)
            }
            return
        }
        out.append(members: { json in
            if request.version == .v1 {
                json.add(
                    "authorization", text: { RemoteSignature.writeAuthorization(scratch.bytes, key, into: &$0) })
            }
            json.add("signature", scratch.bytes)
            json.add("accessKeyId", key.accessKey)
            json.add("StatusCode", 200)
            json.add("bucket", permit.bucket)
            json.add("key", permit.key)
        })
    }

    private static func writeAuthorization(_ signature: Span<UInt8>, _ key: SigningKey, into out: inout ByteWriter) {
        out.append("OSS ")
        out.append(key.accessKey)
        out.append(UInt8(ascii: ":"))
        out.append(signature)
    }
}
