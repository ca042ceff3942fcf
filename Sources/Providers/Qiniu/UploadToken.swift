import Access
import Bytes
import Crypto

/// `/qiniu/uptoken`: the token with which a client uploads to Kodo.
///
/// `AK:sign:policy`, where `policy` is the url-safe base64 of the put policy, padding kept, and `sign` the url-safe base64 of
/// the HMAC-SHA1 over that text (Qiniu's `upload-token` page).
struct UploadToken: TokenIssuer {
    private let policy: PutPolicy
    private let domain: [UInt8]?
    let unenforced: [Enforcement]
    let doubts: [String]

    static let route = RouteDescription(
        "qiniu.uptoken", path: "/qiniu/uptoken", "An upload token for one key or one prefix of a bucket.",
        request: RouteRequest(
            parameters.descriptions + PutPolicy.choices.map(\.parameter.description), withoutKey: .prefix),
        grant: RouteGrant(
            Fields(), scope: [.bucket, .key, .keyPrefix],
            lifetime: .upTo(7 * 86_400, lastMoment: Qiniu.lastDeadline), enforcement: .qiniuUploadToken
        ) { grant, context throws(FieldProblem) in .signing(try UploadToken(grant, context)) },
        answer: RouteAnswer(
            [
                AnswerField("uptoken", "The upload token."),
                AnswerField("token", "The same, under its other usual name."), AnswerField("bucket", "The bucket."),
                AnswerField("key", "The key that the token is for; null for a prefix."),
                AnswerField("keyPrefix", "The prefix that keys must begin with, where the token is for a prefix."),
                AnswerField("domain", "Where the bucket is downloaded from, where the grant says so."),
                AnswerField("deadline", type: .integer, "When the token ends, in seconds since 1970."),
            ], token: ["uptoken"]))

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let key = Parameter(
            "key", .key(maximumLength: Qiniu.maximumKeyLength),
            "The object's whole key; without it the token is for the grant's key or prefix.")
        let fileExtension = Parameter.fileExtension
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    struct Fields: FieldGroup {
        let policy = Field("policy", object: PutPolicy.fields, "Fields of the put policy.")
        let choose = Field(
            "choose", .strings, told: true, "Fields of the put policy that callers may choose, but only make stricter.")
        let domain = Field(
            "domain", .string, told: true, "The bucket's download domain. The answer tells it to the client.")
        let overwrite = Field(
            "overwrite", .boolean, default: false, "Whether an upload may replace an existing object.")
    }

    init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        let fields = grant.policy
        policy = try PutPolicy(
            fields, insertOnly: !grant.overwrite, choose: grant.choose ?? [], context)
        domain = grant.domain
        unenforced = fields.mimeLimit != nil && fields.detectMime == -1 ? [.clientsType] : []
        let types = fields.mimeLimit?.split(separator: UInt8(ascii: ";")).map {
            $0.drop { $0 == UInt8(ascii: "!") }
        }
        doubts = MediaTypeName.doubt(of: (types ?? []).map(Array.init)).map { ["policy.mimeLimit: \($0)"] } ?? []
    }

    var vendorName: KeyTemplate? { policy.endUser }

    func objection(to ask: borrowing Ask) -> Objection? {
        policy.objection(to: ask)
    }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard permit.expiresAt <= Qiniu.lastDeadline else { throw .deadlineTooLate }
        scratch.reset()
        policy.write(ask, under: permit, deadline: permit.expiresAt, into: &scratch)
        try out.append(members: { json throws(IssueError) in
            try json.add(
                "uptoken", and: "token",
                text: { token throws(IssueError) in
                    try SignedPolicy.write(policy: &scratch, .urlSafe, key.accessKey, key.sha1, into: &token)
                })
            json.add("bucket", permit.bucket)
            if case .object = permit.extent { json.add("key", permit.key) } else { json.addNull("key") }
            if case .prefix = permit.extent { json.add("keyPrefix", permit.key) }
            if let domain { json.add("domain", domain) }
            json.add("deadline", permit.expiresAt)
        })
    }
}
