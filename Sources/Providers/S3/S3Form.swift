import Access
import Bytes
import Crypto

/// `/s3/post-policy`: the form with which a browser uploads one object, or objects of one prefix (Amazon S3 API reference,
/// "Browser-Based Uploads Using POST").
///
/// Amazon S3 takes no field that no condition of the policy names, so the form can say nothing that is not here. Cloudflare R2,
/// Backblaze B2 and OpenStack Swift know no such forms.
struct S3Form: TokenIssuer {
    private let place: V4Place
    private let clauses: FormClauses
    private let policy: PostPolicy

    static let route = RouteDescription(
        "s3.post-policy", path: "/s3/post-policy", "A form to upload one object, or objects of one prefix.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.form.key.name), paths: [companion]
        ) { ask, _ throws(AskError) in try FormClauses.check(ask, parameters.form) },
        grant: RouteGrant(
            FormClauses.Fields(
                types: "; `image/*` stands for all that begin with `image/`. Without one type alone, callers name it."),
            scope: [.bucket, .key, .keyPrefix], lifetime: .upTo(PresignedURLV4.lifetimes.upperBound),
            credential: S3.rule, enforcement: .s3Form
        ) { grant, context throws(FieldProblem) in .signing(try S3Form(grant, context)) },
        answer: RouteAnswer(
            form + [
                AnswerField("bucket", "The bucket."),
                AnswerField("key", "The object's key, if the form is for one."),
                AnswerField("keyPrefix", "What the keys begin with, if it is for several."),
            ], token: ["x-amz-signature"]))

    private static let companion = RoutePath(
        "/s3/params", pageHeaders: UppyRequest.headers,
        [
            RoutePath.Operation(
                "GET", "params", "The same as Uppy's Companion has it, for a file by its name.",
                taking: ["filename", "contentType", "metadata"], answer: form)
        ])

    private static let form = [
        AnswerField("method", "POST."),
        AnswerField("url", "Where the form is sent, by POST as multipart/form-data."),
        AnswerField("fields", type: .object, "The form's fields; the file comes behind them."),
    ]

    private struct Parameters: ParameterGroup {
        let form = FormClauses.Parameters(typeAliases: ["type"])
        let filename = UppyRequest.filename
        let metadata = UppyRequest.metadata
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    private init(_ grant: Settings<FormClauses.Fields>, _ context: GrantContext) throws(FieldProblem) {
        place = try S3.place(context)
        clauses = try FormClauses(grant, isTypeNeeded: true)
        _ = try BodyClauses(contentTypes: grant.contentTypes, maxSize: nil)
        policy = PostPolicy(
            sizes: clauses.sizes, typeName: Array("Content-Type".utf8),
            types: clauses.onlyType.map { .one($0) } ?? .any,
            fields: [NameValue("success_action_status", "201")])
    }

    var doubts: [String] { clauses.doubts }

    func objection(to ask: borrowing Ask) -> Objection? {
        if let bucket = ask.bucket, !place.scheme.isBucket(bucket) { return Objection("bucket", S3.bucketFault) }
        return clauses.objection(to: ask, S3Form.parameters.form)
    }

    // MARK: The form

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let scope = try PostPolicy.Scope(place.scheme, permit, ask, S3Form.parameters.form)
        let signer = V4Signer(
            try place.key(key, at: instant.unixSeconds), at: instant.unixSeconds, token: key.securityToken)
        try out.append(members: { json throws(IssueError) in
            json.add("method", StaticString("POST"))
            json.add("url", text: { place.writeURL(of: permit.bucket, into: &$0) })
            try json.add(
                "fields",
                object: { form throws(IssueError) in
                    try PostForm.writeV4(policy, scope, by: signer, into: &form, using: &scratch)
                })
            json.add("bucket", permit.bucket)
            json.add(scope.isPrefix ? "keyPrefix" : "key", permit.key)
        })
    }
}
