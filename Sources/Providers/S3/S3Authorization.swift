import Access
import Bytes
import Crypto

/// `/s3/presigned-url` and `/s3/authorization`: a request to S3 about one object, signed by version 4 in its URL or in its
/// Authorization field, ready for the client to send.
struct S3Authorization: TokenIssuer {
    let callersEnd: CallersEnd
    private let place: V4Place
    private let clauses: S3RequestClauses
    private let form: Form

    private enum Form {
        case header, url
    }

    static let urlRoute = RouteDescription(
        "s3.presigned-url", path: "/s3/presigned-url", "A URL that carries its own signature, for one object.",
        request: RouteRequest(
            parameters.descriptions + urlParameters.descriptions, withoutKey: .refuse(parameter: parameters.key.name)
        ) { ask, _ throws(AskError) in try read(&ask) },
        grant: RouteGrant(
            S3RequestClauses.fields, scope: scope, lifetime: .upTo(PresignedURLV4.lifetimes.upperBound),
            credential: S3.rule,
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
            try read(&ask)
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

    private struct HeaderFields: FieldGroup {
        let request = S3RequestClauses.fields
        let outliveCaller = Field<Bool>.outliveCaller
    }

    private init(
        _ grant: Settings<S3RequestClauses.Fields>, _ context: GrantContext, _ form: Form, callersEnd: CallersEnd
    ) throws(FieldProblem) {
        place = try S3.place(context)
        clauses = try S3RequestClauses(grant, context)
        self.form = form
        self.callersEnd = callersEnd
    }

    // MARK: Asking

    private static func read(_ ask: inout Ask) throws(AskError) {
        try RequestParts.note(parameters, urlParameters, in: &ask)
        let request = JudgedRequest(ask.notes.bytes)
        guard !request.headers.contains("host") else {
            throw AskError(.invalid, "header", "must not be host, which is the endpoint's")
        }
        // Where the bucket stands makes no difference.
        try request.checkSignable(S3.v4(.virtual))
    }

    var unenforced: [Enforcement] { clauses.unenforced }
    var doubts: [String] { clauses.doubts }

    func objection(to ask: borrowing Ask) -> Objection? {
        if let bucket = ask.bucket, !place.scheme.isBucket(bucket) { return Objection("bucket", S3.bucketFault) }
        return clauses.objection(to: JudgedRequest(ask.notes.bytes), addsCondition: true)
    }

    // MARK: The request

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let asked = JudgedRequest(ask.notes.bytes)
        try ByteWriter.lending { lines throws(IssueError) in
            place.writeHost(of: permit.bucket, into: &lines)
            // A client's HTTP library writes the host by itself.
            let told = lines.count
            asked.writeLines(into: &lines)
            if clauses.mustCreate(asked), asked.condition == nil { lines.append("if-none-match: *\r\n") }
            if form == .header {
                HeaderSignatureV4.writeFields(
                    place.scheme, at: instant.unixSeconds, token: key.securityToken, into: &lines)
            }
            let canonical = try CanonicalRequest(
                signingAllOf: ObjectRequest(
                    place.scheme, method: asked.method, bucket: permit.bucket, key: permit.key,
                    query: asked.query.text, fieldLines: lines.bytes))
            try out.append(members: { json throws(IssueError) in
                json.add("method", asked.method)
                try json.add(
                    "url",
                    text: { url throws(IssueError) in
                        guard form == .url else { return canonical.request.writeURL(on: place.endpoint, into: &url) }
                        try place.writeSignedURL(of: canonical, under: permit, with: key, into: &url, using: &scratch)
                    })
                try json.add(
                    "headers",
                    object: { headers throws(IssueError) in
                        try headers.add(lines.bytes.extracting(told..<lines.count))
                        guard form == .header else { return }
                        try headers.add(
                            "Authorization",
                            text: { field throws(IssueError) in
                                try place.writeAuthorization(
                                    of: canonical, with: key, at: instant, into: &field, using: &scratch)
                            })
                    })
                json.add("bucket", permit.bucket)
                json.add("key", permit.key)
                if form == .url { json.add("deadline", permit.expiresAt) }
            })
        }
    }
}
