import Access
import Bytes
import Crypto

/// `/s3/presigned-url` and `/s3/authorization`: a request to S3 about one object, signed by version 4 in its URL or in its
/// Authorization field, ready for the client to send.
struct S3Authorization: TokenIssuer {
    let callersEnd: CallersEnd
    private let place: S3.Place
    private let rule: OperationRule
    private let body: BodyClauses
    /// Whether a body's size must be signed.
    private let isSizeNeeded: Bool
    private let overwrites: Bool
    private let form: Form

    private enum Form {
        case header, url
    }

    static let urlRoute = RouteDescription(
        "s3.presigned-url", path: "/s3/presigned-url", "A URL that carries its own signature, for one object.",
        request: RouteRequest(
            parameters.descriptions + urlParameters.descriptions, withoutKey: .refuse(parameter: parameters.key.name)
        ) { ask, _ throws(AskError) in ask.detail = try Detail(ask) },
        grant: RouteGrant(
            Fields(), scope: scope, lifetime: .upTo(PresignedURLV4.lifetimes.upperBound), credential: S3.rule,
            enforcement: .s3Request
        ) { grant, context throws(FieldProblem) in
            .signing(try S3Authorization(grant, context, .url, callersEnd: .shortens))
        },
        answer: RouteAnswer(answer + [AnswerField.urlEnd], token: ["url"]))

    static let headerRoute = RouteDescription(
        "s3.authorization", path: "/s3/authorization", "A request about one object, signed in its Authorization field.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.key.name)
        ) { ask, instant throws(AskError) in
            ask.detail = try Detail(ask)
            ask.end = .fixed(instant.unixSeconds + S3.dateTolerance)
        },
        grant: RouteGrant(HeaderFields(), scope: scope, credential: S3.rule, enforcement: .s3Request) {
            grant, context throws(FieldProblem) in
            let end = CallersEnd(outliveCaller: grant.outliveCaller)
            return .signing(try S3Authorization(grant.request, context, .header, callersEnd: end))
        },
        answer: RouteAnswer(answer, token: ["Authorization"]))

    private static let scope: GrantScope = [.bucket, .key, .keyPrefix]
    private static let parameters = RequestParts.Parameters()
    private static let urlParameters = RequestParts.URLParameters()

    private static let answer =
        AnswerField.signedRequest + [
            AnswerField("bucket", "The bucket."), AnswerField("key", "The key that the request is about."),
        ]

    struct Fields: FieldGroup {
        let methods = Field(
            "methods", .strings, required: true, told: true,
            "The methods that may be signed, of \(list(S3Operations.table.methods)).")
        let headers = Field(
            "headers", .strings, told: true,
            "The headers that may be signed, of \(list(S3Operations.table.headers)).")
        let subresources = Field(
            "subresources", .strings, told: true,
            "The sub-resources that may be signed, of \(list(S3Operations.table.subResources)).")
        let query = Field(
            "query", .strings, told: true,
            "The other query parameters that may be signed, of \(list(S3Operations.table.query)).")
        let contentTypes = Field(
            "contentTypes", .strings, told: true,
            "Content types of uploads. A PUT of an object and the POST that begins an upload in parts must have one of them; `image/*` stands for all that begin with `image/`."
        )
        let maxSize = Field(
            "maxSize", .size(1...BodyClauses.maximumSize), told: true,
            "The longest body of PUT. Callers ask with `header=content-length:BYTES`, and the service signs it.")
        let overwrite = Field(
            "overwrite", .boolean, default: false, told: true,
            "Whether an upload may replace an existing object. Without it, the service signs `If-None-Match: *`.")
        let unenforced = Field(
            "unenforced", .strings, "Clauses of the grant that the vendor cannot enforce (R18): maxSize.")
    }

    private struct HeaderFields: FieldGroup {
        let request = Fields()
        let outliveCaller = Field<Bool>.outliveCaller
    }

    private static func list(_ names: [[UInt8]]) -> String { names.map(\.text).joined(separator: ", ") }

    private init(
        _ grant: Settings<Fields>, _ context: GrantContext, _ form: Form, callersEnd: CallersEnd
    ) throws(FieldProblem) {
        place = try S3.Place(context)
        let subResources = grant.subresources ?? []
        body = try BodyClauses(contentTypes: grant.contentTypes, maxSize: grant.maxSize)
        isSizeNeeded = !subResources.contains { $0.text == "partNumber" }
        let unenforced = grant.unenforced ?? []
        guard unenforced.allSatisfy({ $0.text == "maxSize" }),
            unenforced.isEmpty || body.maxSize != nil && !isSizeNeeded
        else { throw FieldProblem("unenforced", "must name clauses of the grant that are not enforced, of maxSize") }
        guard body.maxSize == nil || isSizeNeeded || !unenforced.isEmpty else {
            throw FieldProblem(
                "maxSize", "cannot be enforced: an object in pieces has any; or list it under unenforced (R18)")
        }
        rule = try OperationRule(
            S3Operations.table, methods: grant.methods ?? [], subResources: (subResources, "subresources"),
            query: (grant.query ?? [], "query"), headers: grant.headers ?? [], reach: context.reach)
        overwrites = grant.overwrite
        self.form = form
        self.callersEnd = callersEnd
    }

    // MARK: Asking

    private struct Detail: AskDetail {
        let parts: RequestParts

        init(_ ask: borrowing Ask) throws(AskError) {
            parts = try RequestParts(ask, parameters, urlParameters)
            guard !parts.names.contains(where: { $0.span.equals("host") }) else {
                throw AskError(.invalid, "header", "must not be host, which is the endpoint's")
            }
            do throws(IssueError) {
                // Which object it is about makes no difference to whether it can be signed.
                let (bucket, key) = (Array("any".utf8), Array("x".utf8))
                _ = try ObjectRequest(
                    S3.v4(.virtual), method: parts.method.span, bucket: bucket.span, key: key.span,
                    parameters: parts.parameters, fieldLines: parts.lines.span)
            } catch {
                throw AskError(unsignable: error)
            }
        }
    }

    var doubts: [String] { body.doubts }

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let parts = (ask.detail as? Detail)?.parts else { return Objection("key", "was not read") }
        if let bucket = ask.bucket, !place.scheme.isBucket(bucket) { return Objection("bucket", S3.bucketFault) }
        if mustCreate(parts), let condition = parts.condition, condition != Array("*".utf8) {
            return Objection("overwrite", "if-none-match must be * or left out, since the grant does not overwrite")
        }
        let objection = rule.objection(
            to: parts.method, .object, names: parts.parameters.map(\.name),
            headers: parts.names.filter { !body.admits(header: $0.span) && !isOwn($0, of: parts) })
        let puts = parts.method.span.equals("PUT")
        // An upload in parts has its type when it begins.
        let isTyped = puts && !parts.has("partNumber") || parts.method.span.equals("POST") && parts.has("uploads")
        return objection
            ?? body.objection(to: parts, isTyped: isTyped, isSized: puts, isSizeNeeded: isSizeNeeded)
    }

    /// Whether the request may only make a new object.
    private func mustCreate(_ parts: RequestParts) -> Bool { !overwrites && parts.endsUpload }

    /// Whether the service adds this header where it is not there.
    private func isOwn(_ name: [UInt8], of parts: RequestParts) -> Bool {
        name.span.equals("if-none-match") && mustCreate(parts)
    }

    // MARK: The request

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let parts = (ask.detail as? Detail)?.parts else { throw .nothingToSign }
        var lines = ByteWriter(capacity: parts.lines.count + 256 + (key.securityToken?.count ?? 0))
        place.writeHost(of: permit.bucket, into: &lines)
        // A client's HTTP library writes the host by itself.
        let told = lines.count
        lines.append(parts.lines)
        if mustCreate(parts), parts.condition == nil { lines.append("if-none-match: *\r\n") }
        if form == .header {
            HeaderSignatureV4.writeFields(
                place.scheme, at: instant.unixSeconds, token: key.securityToken, into: &lines)
        }
        let canonical = try CanonicalRequest(
            ObjectRequest(
                place.scheme, method: parts.method.span, bucket: permit.bucket, key: permit.key,
                parameters: parts.parameters, fieldLines: lines.bytes))
        try out.append(members: { json throws(IssueError) in
            json.add("method", parts.method)
            try json.add(
                "url",
                text: { url throws(IssueError) in
                    switch form {
                    case .url: try writeURL(of: canonical, under: permit, with: key, into: &url, using: &scratch)
                    case .header:
                        canonical.request.writeURL(on: place.endpoint, canonical.request.parameters, into: &url)
                    }
                })
            try json.add(
                "headers",
                object: { headers throws(IssueError) in
                    try headers.add(lines.bytes.extracting(told..<lines.count))
                    guard form == .header else { return }
                    try headers.add(
                        "Authorization",
                        text: { field throws(IssueError) in
                            try HeaderSignatureV4.write(
                                for: canonical,
                                with: ScopedKey.kept(
                                    by: key, place.scheme, region: place.region, at: instant.unixSeconds),
                                into: &field, using: &scratch)
                        })
                })
            json.add("bucket", permit.bucket)
            json.add("key", permit.key)
            if form == .url { json.add("deadline", permit.expiresAt) }
        })
    }

    private func writeURL(
        of canonical: borrowing CanonicalRequest, under permit: borrowing Permit, with key: SigningKey,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let begin = permit.expiresAt - permit.lifetime
        let scoped = try ScopedKey.kept(by: key, place.scheme, region: place.region, at: begin)
        try PresignedURLV4.write(
            for: canonical, on: place.endpoint, lasting: permit.lifetime,
            by: V4Signer(scoped, at: begin, token: key.securityToken), into: &out, using: &scratch)
    }
}
