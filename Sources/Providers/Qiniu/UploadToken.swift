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

    static let route = RouteDescription(
        "qiniu.uptoken", path: "/qiniu/uptoken", "An upload token for one key or one prefix of a bucket.",
        parameters: [
            .grant, .bucket,
            ParameterDescription(
                "key", .key(maximumLength: Qiniu.maximumKeyLength),
                "The object's whole key; without it the token is for the grant's key or prefix."),
            .expires,
        ]
            + PutPolicy.choices.map {
                ParameterDescription(
                    $0.name, .integer(PutPolicy.bounds(of: $0.name)),
                    "The put policy's field, where the grant's `choose` names it.")
            },
        grantFields: [
            FieldDescription("policy", .object(PutPolicy.fields), "Fields of the put policy."),
            FieldDescription(
                "choose", .strings, told: true,
                "Fields of the put policy that callers may choose, only to tighten them."),
            FieldDescription("domain", .string, told: true, "Where the bucket is downloaded from; told to the client."),
            FieldDescription(
                "overwrite", .boolean, standard: "false", "Whether an object that is there may be replaced."),
        ],
        answer: [
            AnswerField("uptoken", "The upload token."), AnswerField("token", "The same, under its other usual name."),
            AnswerField("bucket", "The bucket."),
            AnswerField("key", "The key that the token is for; null for a prefix."),
            AnswerField("keyPrefix", "The prefix that keys must begin with, where the token is for a prefix."),
            AnswerField("domain", "Where the bucket is downloaded from, where the grant says so."),
            AnswerField("deadline", type: .integer, "When the token ends, in seconds since 1970."),
        ],
        token: ["uptoken"], scope: [.bucket, .key, .keyPrefix], enforcement: .qiniuUploadToken, withoutKey: .prefix,
        longestLifetime: 7 * 86_400,
        lastMoment: Qiniu.lastDeadline,
        makeIssuer: { fields throws(FieldProblem) in .signing(try UploadToken(fields)) })

    private static let choicePositions = PutPolicy.choices.compactMap { route.position(of: $0.name) }

    init(_ fields: GrantFields) throws(FieldProblem) {
        let fixed = fields.grant.object("policy") ?? FieldValues()
        policy = try PutPolicy(
            fixed,
            insertOnly: fields.grant.boolean("overwrite") != true, choose: fields.grant.strings("choose") ?? [],
            fields, position: { UploadToken.route.position(of: $0) })
        domain = fields.grant.string("domain")
        unenforced = fixed["mimeLimit"] != nil && fixed.integer("detectMime") == -1 ? [.clientsType] : []
    }

    var vendorName: KeyTemplate? { policy.endUser }

    func objection(to ask: borrowing Ask) -> Objection? {
        policy.objection(to: ask, positions: UploadToken.choicePositions)
    }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard permit.expiresAt <= Qiniu.lastDeadline else { throw .deadlineTooLate }
        scratch.reset()
        policy.write(ask, under: permit, deadline: permit.expiresAt, into: &scratch)
        out.append("\"uptoken\":\"")
        let start = out.count
        try SignedPolicy.write(policy: &scratch, .urlSafe, key.accessKey, key.sha1, into: &out)
        let token = start..<out.count
        out.append("\",\"token\":\"")
        out.append(copyOf: token)
        out.append("\",\"bucket\":")
        out.append(jsonString: permit.bucket)
        out.append(",\"key\":")
        if permit.extent == .object { out.append(jsonString: permit.key) } else { out.append("null") }
        if permit.extent == .prefix {
            out.append(",\"keyPrefix\":")
            out.append(jsonString: permit.key)
        }
        if let domain {
            out.append(",\"domain\":")
            out.append(jsonString: domain)
        }
        out.append(",\"deadline\":")
        out.append(decimal: permit.expiresAt)
    }
}
