import Access
import Bytes
import Crypto

/// `/s3/sign`: the signature over a string that a client's own SDK has put together (remote signing), or a URL for Uppy
/// (`UppyRequest`).
///
/// A string to sign says nothing but its day, its region and a hash, and the hash may be that of any request, or of a URL for a week. So
/// the client gives its canonical request, too, which `ParsedCanonicalRequest` reads. The grant admits of it what it admits of the
/// requests that the service writes (`S3RequestClauses`).
struct S3RemoteSignature: TokenIssuer {
    let callersEnd: CallersEnd
    private let place: V4Place
    private let style: S3.Style
    private let clauses: S3RequestClauses
    private let accessKey: [UInt8]
    /// What clients may still call the key; they are told what it is called now.
    private let previousAccessKeys: [[UInt8]]
    /// What every request must carry; nil where none may carry any.
    private let token: [UInt8]?
    /// The longest life of a signed URL, in seconds; nil when none may be signed.
    private let presign: Int64?

    static let route = RouteDescription(
        "s3.sign", path: "/s3/sign",
        "The signature over a string to sign, whose canonical request is read and found inside the grant.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.canonicalRequest.name),
            text: parameters.contentToSign
        ) { ask, instant throws(AskError) in
            if ask[parameters.contentToSign] == nil,
                let request = try UppyRequest(&ask, parameters.request, at: instant.unixSeconds)
            {
                return ask.detail = request
            }
            for parameter in uppyParameters where ask.has(parameter) {
                throw AskError(.invalid, parameter.name, "cannot be given beside contentToSign, and needs method")
            }
            let reading = try Reading(ask, at: instant.unixSeconds)
            // EvaporateJS takes the body of any answer for the signature, and says that it takes every type.
            if ask[parameters.datetime] != nil { ask.wantsText = true }
            let detail = Detail(request: reading.remote.request, style: reading.style)
            try RequestParts.note(detail.request, S3.v4(detail.style), from: parameters.canonicalRequest, in: &ask)
            ask.detail = detail
            ask.end = reading.remote.end
            ask.setTarget(
                bucket: reading.remote.bucket, key: reading.remote.key, isEncoded: true,
                in: parameters.canonicalRequest)
        },
        grant: RouteGrant(
            Fields(), scope: [.bucket, .keyPrefix], credential: S3.rule, enforcement: .s3String
        ) { grant, context throws(FieldProblem) in .signing(try S3RemoteSignature(grant, context)) },
        answer: RouteAnswer(
            [
                AnswerField("signature", "The signature, in lower-case hex."),
                AnswerField("accessKeyId", "Whose key signed."),
                AnswerField("method", "Instead of both, where it was asked for: the method of the URL."),
                AnswerField("url", "The signed URL."),
                AnswerField("bucket", "The bucket."), AnswerField("key", "The key that is signed for."),
            ], token: ["signature", "url"]))

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let contentToSign = Parameter(
            "contentToSign", aliases: ["content", "stringToSign", "to_sign"],
            .text(maximumLength: SignedText.maximumLength),
            "The string to sign, as the client's SDK made it.")
        let canonicalRequest = Parameter(
            "canonicalRequest", aliases: ["canonical_request"], .text(maximumLength: SignedText.maximumLength),
            "The canonical request that the string to sign has the hash of.")
        let datetime = Parameter(
            "datetime", .text(maximumLength: 16),
            "The string's date, as EvaporateJS gives it. The answer is then the bare signature.")
        let style = Parameter(
            "style", .text(maximumLength: 8), default: "virtual",
            "Where the canonical request has the bucket: virtual, in the host, or path, in the path")
        let accessKeyID = Parameter(
            "accessKeyId", .text(maximumLength: 128), "The access key that the client took for its own.")
        let request = UppyRequest.Parameters()
    }

    private static let parameters = Parameters()
    private static let uppyParameters = parameters.request.descriptions

    struct Fields: FieldGroup {
        let request = S3RequestClauses.fields
        let presign = Field(
            "presign", .duration(1000...604_800_000), told: true,
            "The longest lifetime of a URL. Without it, no URL is signed.")
        let outliveCaller = Field<Bool>.outliveCaller
    }

    private init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        place = try S3.place(context)
        style = Settings(context.credential, of: S3.credential).style
        clauses = try S3RequestClauses(grant.request, context)
        accessKey = context.accessKey
        previousAccessKeys = Settings(context.credential, of: SigningCredentialFields()).previous
            .compactMap(\.accessKey)
        token = context.securityToken
        presign = grant.presign.map { $0 / 1000 }
        callersEnd = CallersEnd(outliveCaller: grant.outliveCaller)
    }

    var unenforced: [Enforcement] { clauses.unenforced }
    var doubts: [String] { clauses.doubts }

    // MARK: Asking

    /// What grants judge, beside the ask's notes. It has so few bytes that an ask keeps it in place.
    private struct Detail: AskDetail {
        let request: RemoteRequest
        let style: S3.Style
    }

    private struct Reading {
        let style: S3.Style
        let remote: RemoteReading

        init(_ ask: borrowing Ask, at now: Int64) throws(AskError) {
            let style = ask.reading(parameters.style) { S3.Style($0) }
            guard let style else { throw AskError(.invalid, "style", S3.Style.fault) }
            guard let text = ask[parameters.contentToSign] else {
                throw AskError(.missing, "contentToSign", "must be the string to sign")
            }
            guard let canonical = ask[parameters.canonicalRequest] else {
                throw AskError(
                    .missing, "canonicalRequest",
                    "must be the canonical request: the string to sign is the hash of it, and does not tell what is signed"
                )
            }
            let scheme = S3.v4(style)
            let string = try RemoteReading.string(text, scheme)
            if let date = ask[parameters.datetime], ISO8601.parseBasic(date) != string.moment {
                throw AskError(.invalid, "datetime", "must be the date in line 2 of the string to sign")
            }
            remote = try RemoteReading(string, of: canonical, lasting: S3.dateTolerance, at: now)
            self.style = style
        }
    }

    // MARK: Judging

    func objection(to ask: borrowing Ask) -> Objection? {
        if ask.detail is UppyRequest { return objection(toURLOf: ask) }
        guard let detail = ask.detail as? Detail, let text = ask[S3RemoteSignature.parameters.contentToSign],
            let canonical = ask[S3RemoteSignature.parameters.canonicalRequest]
        else { return Objection("canonicalRequest", "was not read") }
        if let asked = ask[S3RemoteSignature.parameters.accessKeyID], !asked.equals(accessKey),
            !previousAccessKeys.contains(where: { asked.equals($0) })
        {
            return Objection("accessKeyId", "the grant signs with another access key")
        }
        let request = detail.request
        return request.objectionToTime(presign: presign, tolerance: S3.dateTolerance)
            ?? request.objectionToScope(in: text, place.scheme, region: place.region)
            ?? objection(toHostOf: detail, in: canonical, bucket: ask.bucket)
            ?? request.objectionToKey(in: canonical, place.scheme, accessKey: accessKey)
            ?? objection(to: detail, in: canonical, of: ask)
    }

    private func objection(toURLOf ask: borrowing Ask) -> Objection? {
        if let bucket = ask.bucket, !place.scheme.isBucket(bucket) { return Objection("bucket", S3.bucketFault) }
        guard let presign else { return RemoteRequest.noURLs }
        guard ask[S3RemoteSignature.parameters.request.lifetime] ?? UppyRequest.lifetime <= presign else {
            return Objection(outside: "presign", "expiresIn must be within the grant's presign, in seconds")
        }
        return clauses.objection(to: JudgedRequest(ask.notes.bytes), addsCondition: false)
    }

    private func objection(
        toHostOf detail: Detail, in canonical: Span<UInt8>, bucket: Span<UInt8>?
    ) -> Objection? {
        guard detail.style == style else { return S3.wrongStyle }
        guard let bucket, let host = detail.request.headers(in: canonical).value(of: "host"),
            place.isHost(host, of: bucket)
        else { return Objection("host", "must be that of the credential's endpoint and of the bucket") }
        return nil
    }

    private func objection(to detail: Detail, in canonical: Span<UInt8>, of ask: borrowing Ask) -> Objection? {
        guard ask.key?.isEmpty == false else {
            return Objection("resource", "only operations on single objects are signed")
        }
        guard isToken(detail.request.token(in: canonical, place.scheme)) else {
            return Objection(
                "securityToken",
                token == nil
                    ? "x-amz-security-token must be left out, since the grant's key is not temporary"
                    : "x-amz-security-token must be signed, and that of the grant's temporary key")
        }
        return clauses.objection(to: JudgedRequest(ask.notes.bytes), addsCondition: false)
    }

    private func isToken(_ given: [UInt8]?) -> Bool {
        guard let token, let given else { return token == nil && given == nil }
        return token.span.constantTimeEquals(given.span)
    }

    // MARK: Signing

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        if ask.detail is UppyRequest {
            return try issueURL(of: ask, under: permit, with: key, into: &out, using: &scratch)
        }
        guard let request = (ask.detail as? Detail)?.request,
            let text = ask[S3RemoteSignature.parameters.contentToSign]
        else { throw .nothingToSign }
        scratch.reset()
        try request.writeSignature(over: text, place.scheme, region: place.region, with: key, into: &scratch)
        if ask.wantsText { return out.append(scratch.bytes) }
        out.append(members: { json in
            json.add("signature", scratch.bytes)
            json.add("accessKeyId", key.accessKey)
            json.add("bucket", permit.bucket)
            json.add("key", permit.key)
        })
    }

    private func issueURL(
        of ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let asked = JudgedRequest(ask.notes.bytes)
        func write(into url: inout ByteWriter, using scratch: inout ByteWriter) throws(IssueError) {
            try place.writeSignedURL(
                asked.method, asked.query.text, under: permit, with: key, into: &url, using: &scratch)
        }
        if ask.wantsText { return try write(into: &out, using: &scratch) }
        try out.append(members: { json throws(IssueError) in
            json.add("method", asked.method)
            try json.add("url", text: { url throws(IssueError) in try write(into: &url, using: &scratch) })
            json.add("bucket", permit.bucket)
            json.add("key", permit.key)
        })
    }
}
