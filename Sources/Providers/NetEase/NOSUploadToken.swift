import Access
import Bytes
import Crypto

/// `/nos/token`: the token with which a client uploads one object to NOS (its `x-nos-token` field).
///
/// `UPLOAD AK:sign:policy`, where `policy` is the standard base64 of the put policy and `sign` the standard base64 of the
/// HMAC-SHA256 over that text. The vendor's text says HMAC-SHA1; its own sample and its SDKs are HMAC-SHA256.
struct NOSUploadToken: TokenIssuer {
    /// The members behind `Expires`, each with the comma before it.
    private let constant: [UInt8]

    static let route = RouteDescription(
        "nos.token", path: "/nos/token", "An upload token for one object.",
        parameters: [
            .grant, .bucket,
            ParameterDescription(
                "object", aliases: ["key"], .key(maximumLength: NOS.maximumKeyLength), "The object's whole name."),
            .expires,
        ],
        grantFields: [
            FieldDescription("policy", .object(policyFields), "Fields of the put policy."),
            FieldDescription(
                "overwrite", .boolean, standard: "false", "Whether an object that is there may be replaced."),
        ],
        answer: [
            AnswerField("token", "The upload token, `UPLOAD ` included."), AnswerField("bucket", "The bucket."),
            AnswerField("object", "The object that the token is for."), AnswerField("key", "The same."),
            AnswerField("deadline", type: .integer, "When the token ends, in seconds since 1970."),
        ],
        token: ["token"], scope: [.bucket, .key, .keyPrefix], enforcement: .nosUploadToken,
        withoutKey: .refuse(parameter: "object"),
        longestLifetime: 7 * 86_400,
        makeIssuer: { fields throws(FieldProblem) in .signing(try NOSUploadToken(fields)) })

    /// What a grant's `policy` may hold. The service writes `Bucket`, `Object`, `Expires` and `OverWrite` itself.
    static let policyFields: [FieldDescription] = [
        FieldDescription("ObjectSizeMin", .integer(0...Int64.max), "The smallest object, in bytes."),
        FieldDescription("ObjectSizeMax", .integer(1...Int64.max), "The largest object, in bytes."),
        FieldDescription("MimeLimit", .string, "Which types may be uploaded, joined by ;."),
        FieldDescription("CallbackUrl", .string, "Whom the vendor tells."),
        FieldDescription("CallbackBody", .string, "The callback's body, with the vendor's variables."),
        FieldDescription("Region", .string, "The region, such as HZ."),
    ]

    init(_ fields: GrantFields) throws(FieldProblem) {
        let policy = fields.grant.object("policy") ?? FieldValues()
        if let least = policy.integer("ObjectSizeMin"), let most = policy.integer("ObjectSizeMax"), least > most {
            throw FieldProblem("policy.ObjectSizeMin", "must not be greater than ObjectSizeMax")
        }
        if policy["CallbackBody"] != nil, policy["CallbackUrl"] == nil {
            throw FieldProblem("policy.CallbackBody", "needs CallbackUrl beside it")
        }
        var text = ByteWriter()
        if fields.grant.boolean("overwrite") != true { text.append(",\"OverWrite\":false") }
        for field in NOSUploadToken.policyFields {
            text.append(member: field.name, policy[field.name])
        }
        constant = text.array
    }

    func objection(to ask: borrowing Ask) -> Objection? { nil }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at moment: borrowing Moment,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        scratch.reset()
        scratch.append("{\"Bucket\":")
        scratch.append(jsonString: permit.bucket)
        scratch.append(",\"Object\":")
        scratch.append(jsonString: permit.key)
        scratch.append(",\"Expires\":")
        scratch.append(decimal: permit.expiresAt)
        scratch.append(constant)
        scratch.append(UInt8(ascii: "}"))
        out.append("\"token\":\"UPLOAD ")
        try SignedPolicy.write(policy: &scratch, .standard, key.accessKey, key.sha256, into: &out)
        out.append("\",\"bucket\":")
        out.append(jsonString: permit.bucket)
        out.append(",\"object\":")
        out.append(jsonString: permit.key)
        out.append(",\"key\":")
        out.append(jsonString: permit.key)
        out.append(",\"deadline\":")
        out.append(decimal: permit.expiresAt)
    }
}
