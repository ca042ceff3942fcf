import Access
import Bytes
import Crypto

/// `/s3/post-policy`: the form with which a browser uploads one object, or objects of one prefix (Amazon S3 API reference,
/// "Browser-Based Uploads Using POST").
///
/// Amazon S3 takes no field that no condition of the policy names, so the form can say nothing that is not here. Cloudflare R2,
/// Backblaze B2 and OpenStack Swift know no such forms.
struct S3Form: TokenIssuer {
    private let place: S3.Place
    /// In bytes.
    private let sizes: ClosedRange<Int64>
    /// Patterns; any when it is empty.
    private let contentTypes: [[UInt8]]
    private let policy: PostPolicy
    /// Whether an ask must name the type, since the grant does not tell one.
    private let isTypeNeeded: Bool

    private static let typeFault = "must be a type such as image/png, without parameters"

    static let route = RouteDescription(
        "s3.post-policy", path: "/s3/post-policy", "A form to upload one object, or objects of one prefix.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.key.name), paths: [companion]
        ) { ask, _ throws(AskError) in try check(ask) },
        grant: RouteGrant(
            Fields(), scope: [.bucket, .key, .keyPrefix], lifetime: .upTo(PresignedURLV4.lifetimes.upperBound),
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
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let key = Parameter("key", .key(maximumLength: ObjectKeyRule.maximumLength), "The object's whole key.")
        let fileExtension = Parameter.fileExtension
        let keyPrefix = Parameter(
            "keyPrefix", .keyPrefix(maximumLength: ObjectKeyRule.maximumLength),
            "What keys shall begin with, instead of a whole key; ends in /.")
        let maxSize = Parameter(
            "maxSize", .integer(1...BodyClauses.maximumSize), "The largest object, in bytes, if less than the grant's.")
        let filename = UppyRequest.filename
        let metadata = UppyRequest.metadata
        let contentType = Parameter(
            "contentType", aliases: ["type"], .text(maximumLength: 128),
            "The object's type, of those that the grant has.")
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    private struct Fields: FieldGroup {
        let maxSize = Field(
            "maxSize", .size(1...BodyClauses.maximumSize), required: true, told: true, "The largest object.")
        let minSize = Field(
            "minSize", .size(0...BodyClauses.maximumSize), default: 0, told: true, "The smallest object.")
        let contentTypes = Field(
            "contentTypes", .strings, told: true,
            "The types that objects may get, such as image/png; `image/*` stands for all that begin with `image/`. Without one type alone, callers name it."
        )
    }

    private init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        place = try S3.Place(context)
        let (least, most) = (Int64(grant.minSize), Int64(grant.maxSize ?? 0))
        guard least <= most else { throw FieldProblem("minSize", "must not be greater than maxSize") }
        _ = try BodyClauses(contentTypes: grant.contentTypes, maxSize: nil)
        sizes = least...most
        contentTypes = grant.contentTypes ?? []
        let only = contentTypes.count == 1 && contentTypes[0].last != UInt8(ascii: "*") ? contentTypes[0] : nil
        isTypeNeeded = !contentTypes.isEmpty && only == nil
        policy = PostPolicy(
            sizes: sizes, typeName: Array("Content-Type".utf8), types: only.map { .one($0) } ?? .any,
            fields: [NameValue("success_action_status", StaticString("201").array)])
    }

    // MARK: Asking

    private static func check(_ ask: borrowing Ask) throws(AskError) {
        if let prefix = ask[parameters.keyPrefix], !prefix.extracting(last: 1).equals("/") {
            throw AskError(.invalid, "keyPrefix", "must end in /, else users/1 would also admit users/10")
        }
        if let type = ask[parameters.contentType], !MediaTypeName.isName(type) {
            throw AskError(.invalid, "contentType", typeFault)
        }
    }

    var doubts: [String] { MediaTypeName.doubt(of: contentTypes).map { ["contentTypes: \($0)"] } ?? [] }

    func objection(to ask: borrowing Ask) -> Objection? {
        if let bucket = ask.bucket, !place.scheme.isBucket(bucket) { return Objection("bucket", S3.bucketFault) }
        if let size = ask[S3Form.parameters.maxSize] {
            guard size <= sizes.upperBound else {
                return Objection(outside: "maxSize", "must be at most the grant's, in bytes")
            }
            guard size >= sizes.lowerBound else {
                return Objection(outside: "minSize", "maxSize must be at least the grant's minSize, in bytes")
            }
        }
        guard let type = ask[S3Form.parameters.contentType]?.array else {
            return isTypeNeeded ? Objection(outside: "contentTypes", "contentType must name one of the grant's") : nil
        }
        guard contentTypes.isEmpty || contentTypes.contains(where: { MediaTypeName.admits(type, $0) }) else {
            return Objection(outside: "contentTypes", "the type must be one of the grant's")
        }
        return nil
    }

    // MARK: The form

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let isPrefix = permit.extent == .prefix
        var policy = policy
        if let size = ask[S3Form.parameters.maxSize] { policy = policy.limited(to: size) }
        if let type = ask[S3Form.parameters.contentType] { policy = policy.limited(to: type.array) }
        let scope = try PostPolicy.Scope(
            place.scheme, bucket: permit.bucket, key: permit.key, isPrefix: isPrefix, until: permit.expiresAt)
        let derived = try ScopedKey.kept(by: key, place.scheme, region: place.region, at: instant.unixSeconds)
        let signer = V4Signer(derived, at: instant.unixSeconds, token: key.securityToken)
        try out.append(members: { json throws(IssueError) in
            json.add("method", StaticString("POST"))
            json.add("url", text: { place.writeURL(of: permit.bucket, into: &$0) })
            try json.add(
                "fields",
                object: { form throws(IssueError) in
                    try PostForm.writeV4(policy, scope, by: signer, into: &form, using: &scratch)
                })
            json.add("bucket", permit.bucket)
            json.add(isPrefix ? "keyPrefix" : "key", permit.key)
        })
    }
}
