import Access
import Bytes
import Crypto

/// `/oss/post-policy`: the form with which a browser uploads one object, or objects of one prefix (PostObject).
///
/// Bucket, key, size, type, status, ACL, callback and that nothing is overwritten are conditions of the form's policy, so that the
/// vendor holds the client to them. The vendor takes every field that no condition names, and wants every field that one names to
/// be there (its error 0006-00000226): so a policy cannot say that a form must have no callback, nor that an ACL may be left out.
struct PostUpload: TokenIssuer {
    private let endpoint: BaseURL
    private let region: [UInt8]
    /// In bytes.
    private let sizes: ClosedRange<Int64>
    /// Any when it is empty.
    private let contentTypes: [[UInt8]]
    private let policy: PostPolicy
    private let callback: PostCallback?
    /// The value of the form's field, where it is the same for everybody.
    private let commonCallback: [UInt8]?
    let unenforced: [Enforcement]
    var doubts: [String] { MediaTypeName.doubt(of: contentTypes).map { ["contentTypes: \($0)"] } ?? [] }

    private enum Version {
        case v1, v4
    }

    /// The largest object that a form may upload, in bytes.
    private static let largestSize: Int64 = 5 << 30
    private static let typeFault = "must be a type such as image/png, without parameters"

    static let route = RouteDescription(
        "oss.post-policy", path: "/oss/post-policy", "A form to upload one object, or objects of one prefix.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.key.name)
        ) { ask, _ throws(AskError) in try check(ask) },
        grant: RouteGrant(
            Fields(), scope: [.bucket, .key, .keyPrefix], lifetime: .upTo(7 * 86_400),
            credential: .with(OSS.credential.region), enforcement: .ossForm
        ) { grant, context throws(FieldProblem) in .signing(try PostUpload(grant, context)) },
        answer: RouteAnswer(
            [
                AnswerField("url", "Where the form is sent, by POST as multipart/form-data."),
                AnswerField(
                    "fields", type: .object,
                    "The form's fields; the file comes behind them. The page adds x-oss-content-type, where the grant has several contentTypes and none was asked for."
                ),
                AnswerField("bucket", "The bucket."),
                AnswerField("key", "The object's key, if the form is for one."),
                AnswerField("keyPrefix", "What the keys begin with, if it is for several."),
                AnswerField("accessid", "The access key; this and what follows are the names of the vendor's samples."),
                AnswerField("host", "The URL without its path."), AnswerField("policy", "The policy, base64."),
                AnswerField("signature", "Its signature."),
                AnswerField("expire", type: .integer, "When the form ends, in seconds since 1970."),
                AnswerField("dir", "The key up to its last slash."),
                AnswerField("x_oss_signature_version", "Version 4 alone: the algorithm."),
                AnswerField("x_oss_credential", "Version 4 alone: access key, day, region and product."),
                AnswerField("x_oss_date", "Version 4 alone: when it was signed."),
                AnswerField("callback", "The field `callback`, where the grant has one."),
            ], token: ["signature"]))

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let key = Parameter("key", .key(maximumLength: OSS.maximumKeyLength), "The object's whole key.")
        let fileExtension = Parameter.fileExtension
        let keyPrefix = Parameter(
            "keyPrefix", .keyPrefix(maximumLength: OSS.maximumKeyLength),
            "What keys shall begin with, instead of a whole key; ends in /.")
        let maxSize = Parameter(
            "maxSize", .integer(1...largestSize), "The largest object, in bytes, if less than the grant's.")
        let contentType = Parameter(
            "contentType", .text(maximumLength: 128), "The object's type, of those that the grant has.")
        let version = Parameter(
            "version", .text(maximumLength: 8), default: "v4", "The signature's version, v4 or v1")
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    private struct Fields: FieldGroup {
        let maxSize = Field("maxSize", .size(1...largestSize), required: true, told: true, "The largest object.")
        let minSize = Field("minSize", .size(0...largestSize), default: 0, told: true, "The smallest object.")
        let contentTypes = Field(
            "contentTypes", .strings, told: true,
            "The types that objects may get, such as image/png. The default is any type.")
        let callback = Field(
            "callback", .object(PostCallback.fields), "The callback that the vendor sends after an upload.")
        let objectAcl = Field(
            "objectAcl", .choice(ObjectACL.self), default: .default,
            "The ACL of new objects. `default` is the bucket's, and `any` lets the form choose.")
        let overwrite = Field(
            "overwrite", .boolean, default: false, "Whether an upload may replace an existing object.")
    }

    private enum ObjectACL: String, CaseIterable {
        case `default`, `private`
        case publicRead = "public-read"
        /// The form may give any.
        case any
    }

    private init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        guard let endpoint = OSS.endpoint(context.credential),
            let region = context.credential[OSS.credential.region]
        else { throw FieldProblem("credential", "needs region") }
        if let bucket = context.bucket, !OSS.isBucket(bucket.span) { throw FieldProblem("bucket", OSS.bucketFault) }
        let (least, most) = (Int64(grant.minSize), Int64(grant.maxSize ?? 0))
        guard least <= most else { throw FieldProblem("minSize", "must not be greater than maxSize") }
        contentTypes = grant.contentTypes ?? []
        if grant.contentTypes?.isEmpty == true {
            throw FieldProblem("contentTypes", "must name at least one")
        }
        guard contentTypes.allSatisfy({ MediaTypeName.isName($0.span) }) else {
            throw FieldProblem("contentTypes", "must be types such as image/png, without * and parameters")
        }
        self.endpoint = endpoint
        self.region = region
        sizes = least...most
        var form = [NameValue("success_action_status", StaticString("200").array)]
        if !grant.overwrite {
            form.append(NameValue("x-oss-forbid-overwrite", StaticString("true").array))
        }
        let isPinned = grant.objectAcl != .any
        if isPinned { form.append(NameValue("x-oss-object-acl", Array(grant.objectAcl.rawValue.utf8))) }
        let callback = try grant.callback.map { fields throws(FieldProblem) in try PostCallback(fields) }
        commonCallback = callback.flatMap { $0.endUser == nil ? $0.encoded(for: Span()) : nil }
        if let commonCallback { form.append(NameValue("callback", commonCallback)) }
        self.callback = callback
        unenforced = (isPinned ? [] : [.anyACL]) + (callback == nil ? [.anyCallback] : [])
        let policy = PostPolicy(sizes: sizes, contentTypes: contentTypes, fields: form)
        self.policy = contentTypes.count == 1 ? policy.limited(to: contentTypes[0]) : policy
    }

    // MARK: Asking

    private static func check(_ ask: borrowing Ask) throws(AskError) {
        if let bucket = ask.bucket, !OSS.isBucket(bucket) { throw AskError(.invalid, "bucket", OSS.bucketFault) }
        if let prefix = ask[PostUpload.parameters.keyPrefix], !prefix.extracting(last: 1).equals("/") {
            throw AskError(.invalid, "keyPrefix", "must end in /, else users/1 would also admit users/10")
        }
        if let type = ask[PostUpload.parameters.contentType], !MediaTypeName.isName(type) {
            throw AskError(.invalid, "contentType", typeFault)
        }
        guard version(of: ask) != nil else { throw AskError(.invalid, "version", "must be v4 or v1") }
    }

    private static func version(of ask: borrowing Ask) -> Version? {
        ask.reading(parameters.version) { $0.equals("v4") ? .v4 : $0.equals("v1") ? .v1 : nil }
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        if let size = ask[PostUpload.parameters.maxSize] {
            guard size <= sizes.upperBound else {
                return Objection(outside: "maxSize", "must be at most the grant's, in bytes")
            }
            guard size >= sizes.lowerBound else {
                return Objection(outside: "minSize", "maxSize must be at least the grant's minSize, in bytes")
            }
        }
        if let type = ask[PostUpload.parameters.contentType], !contentTypes.isEmpty,
            !contentTypes.contains(where: { type.equals($0) })
        {
            return Objection(outside: "contentTypes", "the type must be one of the grant's")
        }
        return nil
    }

    /// Who uploads, as the callback tells it.
    var vendorName: KeyTemplate? { callback?.endUser }

    // MARK: The form

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let isPrefix = permit.extent == .prefix
        let callback = commonCallback ?? callback?.encoded(for: permit.vendorName)
        var policy = policy(for: ask)
        if commonCallback == nil, let callback { policy = policy.adding(NameValue("callback", callback)) }
        let scope = try PostPolicy.Scope(
            OSS.v4, bucket: permit.bucket, key: permit.key, isPrefix: isPrefix, until: permit.expiresAt)
        try out.append(members: { json throws(IssueError) in
            json.add(
                "url",
                text: { url in
                    endpoint.write(bucket: permit.bucket, into: &url)
                    url.append(UInt8(ascii: "/"))
                })
            var scoped: ScopedKey?
            let ranges = try json.add(
                "fields",
                object: { form throws(IssueError) in
                    switch PostUpload.version(of: ask) {
                    case .v1:
                        return try PostForm.writeV1(policy, scope, by: OSSSigner.V1(key), into: &form, using: &scratch)
                    case .v4, nil:
                        let derived = try ScopedKey.kept(by: key, OSS.v4, region: region, at: instant.unixSeconds)
                        scoped = derived
                        return try PostForm.writeV4(
                            policy, scope, by: V4Signer(derived, at: instant.unixSeconds), into: &form,
                            using: &scratch)
                    }
                })
            json.add("bucket", permit.bucket)
            json.add(isPrefix ? "keyPrefix" : "key", permit.key)
            addSampleNames(ranges, permit, key, callback, to: &json)
            if let scoped { PostUpload.addSampleNames(scoped, at: instant.unixSeconds, to: &json) }
        })
    }

    /// The grant's policy, tightened as the ask says.
    private func policy(for ask: borrowing Ask) -> PostPolicy {
        var policy = policy
        if let size = ask[PostUpload.parameters.maxSize] { policy = policy.limited(to: size) }
        if let type = ask[PostUpload.parameters.contentType] { policy = policy.limited(to: type.array) }
        return policy
    }

    /// What the vendor's samples for web pages give under names of their own.
    private func addSampleNames(
        _ ranges: PostForm.Ranges, _ permit: borrowing Permit, _ key: SigningKey, _ callback: [UInt8]?,
        to json: inout JSONObject
    ) {
        json.add("accessid", key.accessKey)
        json.add("host", text: { endpoint.write(bucket: permit.bucket, into: &$0) })
        json.add("policy", text: { $0.append(copyOf: ranges.policy) })
        json.add("signature", text: { $0.append(copyOf: ranges.signature) })
        json.add("expire", permit.expiresAt)
        let path = permit.key
        var end = path.count
        while end > 0, path[end - 1] != UInt8(ascii: "/") { end -= 1 }
        json.add("dir", path.extracting(0..<end))
        if let callback { json.add("callback", callback) }
    }

    private static func addSampleNames(_ key: ScopedKey, at moment: Int64, to json: inout JSONObject) {
        json.add("x_oss_signature_version", OSS.v4.algorithm)
        json.add("x_oss_credential", key.credential)
        json.add("x_oss_date", text: { ISO8601.writeBasic(moment, into: &$0) })
    }
}
