import Access
import Bytes
import Crypto

/// `/nos/token`: the token with which a client uploads one object to NOS (its `x-nos-token` field).
///
/// `UPLOAD AK:sign:policy`, where `policy` is the standard base64 of the put policy and `sign` the standard base64 of the
/// HMAC-SHA256 over that text. The vendor's text says HMAC-SHA1; its own sample and its SDKs are HMAC-SHA256.
struct NOSUploadToken: TokenIssuer {
    /// The members behind `Expires`, each with the comma before it.
    private let constant: JSONMembers

    static let route = RouteDescription(
        "nos.token", path: "/nos/token", "An upload token for one object.",
        request: RouteRequest(parameters.descriptions, withoutKey: .refuse(parameter: parameters.object.name)),
        grant: RouteGrant(
            Fields(), scope: [.bucket, .key, .keyPrefix], lifetime: .upTo(7 * 86_400), enforcement: .nosUploadToken
        ) { grant, _ throws(FieldProblem) in .signing(try NOSUploadToken(grant)) },
        answer: RouteAnswer(
            [
                AnswerField("token", "The upload token, `UPLOAD ` included."), AnswerField("bucket", "The bucket."),
                AnswerField("object", "The object that the token is for."), AnswerField("key", "The same."),
                AnswerField("deadline", type: .integer, "When the token ends, in seconds since 1970."),
            ], token: ["token"]))

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let object = Parameter(
            "object", aliases: ["key"], .key(maximumLength: NOS.maximumKeyLength), "The object's whole name.")
        let fileExtension = Parameter.fileExtension
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    struct Fields: FieldGroup {
        let policy = Field("policy", object: policyFields, "Fields of the put policy.")
        let overwrite = Field(
            "overwrite", .boolean, default: false, "Whether an upload may replace an existing object.")
    }

    /// What a grant's `policy` may hold. The service writes `Bucket`, `Object`, `Expires` and `OverWrite` itself.
    struct PolicyFields: FieldGroup {
        let leastSize = Field("ObjectSizeMin", .size(0...Int64.max), "The smallest object.")
        let mostSize = Field("ObjectSizeMax", .size(1...Int64.max), "The largest object.")
        let types = Field("MimeLimit", .string, "The types that may be uploaded, joined by `;`.")
        let callbackURL = Field("CallbackUrl", .string, "The URL that the vendor calls.")
        let callbackBody = Field("CallbackBody", .string, "The callback's body, with the vendor's variables.")
        let region = Field("Region", .string, "The region, such as HZ.")
    }

    static let policyFields = PolicyFields()
    private static let policyDescriptions = policyFields.descriptions

    init(_ grant: Settings<Fields>) throws(FieldProblem) {
        let policy = grant.policy
        if let least = policy.leastSize, let most = policy.mostSize, least > most {
            throw FieldProblem("policy.ObjectSizeMin", "must not be greater than ObjectSizeMax")
        }
        if policy.callbackBody != nil, policy.callbackURL == nil {
            throw FieldProblem("policy.CallbackBody", "needs CallbackUrl beside it")
        }
        constant = JSONMembers { json in
            if !grant.overwrite { json.add("OverWrite", false) }
            for field in NOSUploadToken.policyDescriptions { json.add(field, policy.values[field]) }
        }
    }

    func objection(to ask: borrowing Ask) -> Objection? { nil }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        scratch.reset()
        scratch.append(object: { json in
            json.add("Bucket", permit.bucket)
            json.add("Object", permit.key)
            json.add("Expires", permit.expiresAt)
            json.add(constant)
        })
        try out.append(members: { json throws(IssueError) in
            try json.add(
                "token",
                text: { token throws(IssueError) in
                    token.append("UPLOAD ")
                    try SignedPolicy.write(policy: &scratch, .standard, key.accessKey, key.sha256, into: &token)
                })
            json.add("bucket", permit.bucket)
            json.add("object", permit.key)
            json.add("key", permit.key)
            json.add("deadline", permit.expiresAt)
        })
    }
}
