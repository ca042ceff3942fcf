import Access
import Bytes
import Crypto

/// `/oss/authorization` and `/oss/presigned-url`: a request to OSS about one object, signed in its Authorization field or in its
/// URL, ready for the client to send.
struct OSSAuthorization: TokenIssuer {
    /// What a session may do that signs for the grant, as JSON; nil where the credential is a key.
    private let sessionPolicy: [UInt8]?
    let callersEnd: CallersEnd
    private let rule: OperationRule
    private let clauses: OSSRequestClauses
    private let place: V4Place
    private let form: Form

    private enum Form {
        case header, url
    }

    static let headerRoute = RouteDescription(
        "oss.authorization", path: "/oss/authorization",
        "A request about one object, signed in its Authorization field.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.request.key.name)
        ) { ask, instant throws(AskError) in
            ask.detail = try OSSRequestParts(&ask, urlParameters)
            ask.end = .fixed(instant.unixSeconds + OSS.dateTolerance)
        },
        grant: RouteGrant(HeaderFields(), scope: scope, credential: credential, enforcement: .ossRequest) {
            grant, context throws(FieldProblem) in
            let end = CallersEnd(outliveCaller: grant.outliveCaller)
            return try OSSAuthorization(grant.clauses, context, .header, callersEnd: end).kind
        },
        answer: RouteAnswer(answer, token: ["Authorization"]))

    static let urlRoute = RouteDescription(
        "oss.presigned-url", path: "/oss/presigned-url", "A URL that carries its own signature, for one object.",
        request: RouteRequest(
            urlParameters.descriptions, withoutKey: .refuse(parameter: parameters.request.key.name)
        ) { ask, _ throws(AskError) in ask.detail = try OSSRequestParts(&ask, urlParameters) },
        grant: RouteGrant(
            fields, scope: scope, lifetime: .upTo(PresignedURLV4.lifetimes.upperBound), credential: credential,
            enforcement: .ossRequest
        ) { grant, context throws(FieldProblem) in
            try OSSAuthorization(grant, context, .url, callersEnd: .shortens).kind
        },
        answer: RouteAnswer(answer + [AnswerField.urlEnd], token: ["url"]))

    private static let scope: GrantScope = [.bucket, .key, .keyPrefix]
    private static let credential = CredentialRule.with(OSS.credential.region, orOf: "sts")

    private static let parameters = OSSRequestParts.Parameters()
    private static let urlParameters = OSSRequestParts.URLParameters(parameters)

    private static let fields = OSSRequestClauses.Fields(OSSOperations.table)

    private struct HeaderFields: FieldGroup {
        let clauses = fields
        let outliveCaller = Field<Bool>.outliveCaller
    }

    private static let answer =
        AnswerField.signedRequest + [
            AnswerField("bucket", "The bucket."), AnswerField("key", "The key that the request is about."),
        ]

    private init(
        _ grant: Settings<OSSRequestClauses.Fields>, _ context: GrantContext, _ form: Form, callersEnd: CallersEnd
    ) throws(FieldProblem) {
        place = try OSS.place(context)
        clauses = try OSSRequestClauses(grant, context.target)
        rule = try OperationRule(
            OSSOperations.table, methods: grant.methods ?? [], subResources: (grant.subresources ?? [], "subresources"),
            query: (grant.query ?? [], "query"), headers: grant.headers ?? [], reach: context.reach)
        sessionPolicy = context.hasSessions ? try OSSPermissions.policy(for: rule, context) : nil
        self.callersEnd = callersEnd
        self.form = form
    }

    private var kind: IssuerKind {
        sessionPolicy.map { .signingBySession(self, policy: $0) } ?? .signing(self)
    }

    /// Who uploads, as the callback tells it.
    var vendorName: KeyTemplate? { clauses.callback?.endUser }
    var doubts: [String] { clauses.doubts }

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let parts = ask.detail as? OSSRequestParts else { return Objection("key", "was not read") }
        let request = JudgedRequest(ask.notes.bytes)
        let objection = rule.objection(
            to: request.method, .object, names: request.query, headers: request.headers
        ) { clauses.admits(header: $0) }
        return objection ?? clauses.objection(to: request, by: parts.version)
    }

    func objection(toKey key: Span<UInt8>, of ask: borrowing Ask) -> Objection? {
        guard let parts = ask.detail as? OSSRequestParts else { return Objection("key", "was not read") }
        return parts.fault(ofKey: key).map { Objection("key", $0) }
    }

    // MARK: The request

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let parts = ask.detail as? OSSRequestParts else { throw .nothingToSign }
        let asked = JudgedRequest(ask.notes.bytes)
        let callback = asked.endsUpload ? clauses.callback?.encoded(for: permit.vendorName) : nil
        try ByteWriter.lending { text throws(IssueError) in
            asked.writeLines(into: &text)
            if form == .header {
                if let callback { text.append(field: "x-oss-callback", callback.span) }
                let (moment, token) = (instant.unixSeconds, key.securityToken)
                switch parts.version {
                case .v1: HeaderSignatureV1.writeFields(at: moment, token: token, into: &text)
                case .v4: HeaderSignatureV4.writeFields(OSS.v4, at: moment, token: token, into: &text)
                }
            }
            let end = text.count
            text.append(asked.query.text)
            if form == .url, let callback {
                text.append(parameter: StaticString("callback").bytes, callback.span, toQueryAt: end)
            }
            let lines = text.bytes.extracting(0..<end)
            let request = try ObjectRequest(
                OSS.v4, method: asked.method, bucket: permit.bucket, key: permit.key,
                query: text.bytes.extracting(end..<text.count), fieldLines: lines)
            try out.append(members: { json throws(IssueError) in
                json.add("method", asked.method)
                try json.add(
                    "url",
                    text: { url throws(IssueError) in
                        guard form == .url else { return request.writeURL(on: place.endpoint, into: &url) }
                        try writeURL(
                            of: request, parts.version, under: permit, with: key, into: &url, using: &scratch)
                    })
                try json.add(
                    "headers",
                    object: { headers throws(IssueError) in
                        try headers.add(lines)
                        guard form == .header else { return }
                        try headers.add(
                            "Authorization",
                            text: { field throws(IssueError) in
                                try writeField(
                                    of: request, parts.version, with: key, at: instant, into: &field, using: &scratch)
                            })
                    })
                json.add("bucket", permit.bucket)
                json.add("key", permit.key)
                if form == .url { json.add("deadline", permit.expiresAt) }
            })
        }
    }

    private func writeURL(
        of request: ObjectRequest, _ version: OSSRequestParts.Version, under permit: borrowing Permit,
        with key: SigningKey, into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        switch version {
        case .v1:
            try PresignedURLV1.write(
                for: request, on: place.endpoint, until: permit.expiresAt,
                by: OSSSigner.V1(key, token: key.securityToken), into: &out, using: &scratch)
        case .v4:
            try place.writeSignedURL(
                of: CanonicalRequest(signingAllOf: request), under: permit, with: key, into: &out, using: &scratch)
        }
    }

    private func writeField(
        of request: ObjectRequest, _ version: OSSRequestParts.Version, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        switch version {
        case .v1: try HeaderSignatureV1.write(for: request, with: key, into: &out, using: &scratch)
        case .v4:
            try place.writeAuthorization(
                of: CanonicalRequest(signingAllOf: request), with: key, at: instant, into: &out, using: &scratch)
        }
    }
}
