import Access
import Bytes
import Crypto

/// `/nos/authorization` and `/nos/presigned-url`: a request to NOS about one object, signed in its Authorization field or in its
/// URL, ready for the client to send.
struct NOSAuthorization: TokenIssuer {
    private let rule: OperationRule
    private let endpoint: BaseURL
    private let form: Form
    let callersEnd: CallersEnd

    private enum Form {
        case header, url
    }

    /// What NOS does with one object, as far as it is signed for callers: its content, and its upload in parts. No access list,
    /// no copy, no object made of another's content (`deduplication`).
    private static let table = OperationTable(
        [
            OperationTable.Operation("GET", .object), OperationTable.Operation("HEAD", .object),
            OperationTable.Operation("PUT", .object), OperationTable.Operation("DELETE", .object),
            OperationTable.Operation("GET", .object, ["versionId"]),
            OperationTable.Operation("HEAD", .object, ["versionId"]),
            OperationTable.Operation("POST", .object, ["uploads"]),
            OperationTable.Operation("PUT", .object, ["uploadId", "partNumber"]),
            OperationTable.Operation("GET", .object, ["uploadId"]),
            OperationTable.Operation("POST", .object, ["uploadId"]),
            OperationTable.Operation("DELETE", .object, ["uploadId"]),
        ],
        headers: ["content-md5", "content-type", "x-nos-entity-type", "x-nos-meta-*", "x-nos-storage-class"])

    static let headerRoute = RouteDescription(
        "nos.authorization", path: "/nos/authorization",
        "A request about one object, signed in its Authorization field.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.object.name)
        ) { ask, instant throws(AskError) in
            ask.detail = try NOSRequestParts(ask, parameters)
            ask.end = .fixed(instant.unixSeconds + NOS.dateTolerance)
        },
        grant: RouteGrant(
            HeaderFields(), scope: scope, credential: .with(NOS.credential.endpoint), enforcement: .nosRequest
        ) { grant, context throws(FieldProblem) in
            let end = CallersEnd(outliveCaller: grant.outliveCaller)
            return .signing(try NOSAuthorization(grant.request, context, .header, callersEnd: end))
        },
        answer: RouteAnswer(answer, token: ["Authorization"]))

    static let urlRoute = RouteDescription(
        "nos.presigned-url", path: "/nos/presigned-url", "A URL that carries its own signature, for one object.",
        request: RouteRequest(
            parameters.descriptions + [Parameter.expires.description],
            withoutKey: .refuse(parameter: parameters.object.name)
        ) { ask, _ throws(AskError) in ask.detail = try NOSRequestParts(ask, parameters) },
        grant: RouteGrant(
            Fields(), scope: scope, lifetime: .upTo(7 * 86_400), credential: .with(NOS.credential.endpoint),
            enforcement: .nosRequest
        ) { grant, context throws(FieldProblem) in
            .signing(try NOSAuthorization(grant, context, .url, callersEnd: .shortens))
        },
        answer: RouteAnswer(answer + [AnswerField.urlEnd], token: ["url"]))

    private static let scope: GrantScope = [.bucket, .key, .keyPrefix]
    private static let parameters = NOSRequestParts.Parameters()

    private struct Fields: FieldGroup {
        let methods = Field<[[UInt8]]?>.signed("methods", "methods", of: table.methods, required: true)
        let headers = Field<[[UInt8]]?>.signed("headers", "headers", of: table.headers)
        let query = Field<[[UInt8]]?>.signed("query", "sub-resources", of: table.subResources)
    }

    private struct HeaderFields: FieldGroup {
        let request = Fields()
        let outliveCaller = Field<Bool>.outliveCaller
    }

    private static let answer =
        AnswerField.signedRequest + [
            AnswerField("bucket", "The bucket."), AnswerField("object", "The object that the request is about."),
            AnswerField("key", "The same."),
        ]

    private init(
        _ grant: Settings<Fields>, _ context: GrantContext, _ form: Form, callersEnd: CallersEnd
    ) throws(FieldProblem) {
        guard let endpoint = NOS.endpoint(context.credential) else {
            throw FieldProblem("credential", "needs endpoint")
        }
        if let bucket = context.bucket, !NOS.isHostLabel(bucket.span) {
            throw FieldProblem("bucket", NOS.bucketFault)
        }
        rule = try OperationRule(
            NOSAuthorization.table, methods: grant.methods ?? [], subResources: (grant.query ?? [], "query"),
            headers: grant.headers ?? [], reach: context.reach)
        self.endpoint = endpoint
        self.form = form
        self.callersEnd = callersEnd
    }

    // MARK: Asking

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let parts = ask.detail as? NOSRequestParts else { return Objection("object", "was not read") }
        return rule.objection(
            to: parts.method, .object, names: parts.parameters.map(\.name), headers: parts.headers.map(\.name))
    }

    // MARK: The request

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let parts = ask.detail as? NOSRequestParts else { throw .nothingToSign }
        let request = try parts.request(bucket: permit.bucket, key: permit.key)
        try out.append(members: { json throws(IssueError) in
            json.add("method", parts.method)
            switch form {
            case .url:
                try json.add(
                    "url",
                    text: { url throws(IssueError) in
                        try NOSPresignedURL.write(
                            for: request, on: endpoint, until: permit.expiresAt, with: key, into: &url, using: &scratch)
                    })
            case .header: json.add("url", text: { request.writeURL(on: endpoint, into: &$0) })
            }
            try json.add(
                "headers",
                object: { headers throws(IssueError) in
                    if form == .header {
                        let date = HTTPDate.write(instant.unixSeconds)
                        try headers.add(
                            "Authorization",
                            text: { field throws(IssueError) in
                                try NOSHeaderSignature.write(
                                    for: request, date: date.span, with: key, into: &field, using: &scratch)
                            })
                        headers.add("Date", date)
                    }
                    for header in parts.headers { headers.add(named: header.name, header.value) }
                })
            json.add("bucket", permit.bucket)
            json.add("object", permit.key)
            json.add("key", permit.key)
            if form == .url { json.add("deadline", permit.expiresAt) }
        })
    }
}
