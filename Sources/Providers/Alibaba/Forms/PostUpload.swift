import Access
import Bytes
import Crypto

/// `/oss/post-policy`: the form with which a browser uploads one object, or objects of one prefix (PostObject).
///
/// Bucket, key, size, type, status, ACL, callback and that nothing is overwritten are conditions of the form's policy, so that the
/// vendor holds the client to them. The vendor takes every field that no condition names, and wants every field that one names to
/// be there (its error 0006-00000226): so a policy cannot say that a form must have no callback, nor that an ACL may be left out.
struct PostUpload: TokenIssuer {
    private let place: V4Place
    private let clauses: FormClauses
    private let policy: PostPolicy
    private let callback: PostCallback?
    /// The value of the form's field, where it is the same for everybody.
    private let commonCallback: [UInt8]?
    let unenforced: [Enforcement]
    var doubts: [String] { clauses.doubts }

    private enum Version {
        case v1, v4
    }

    static let route = RouteDescription(
        "oss.post-policy", path: "/oss/post-policy", "A form to upload one object, or objects of one prefix.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.form.key.name)
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
        let form = FormClauses.Parameters()
        let version = Parameter(
            "version", .text(maximumLength: 8), default: "v4", "The signature's version, v4 or v1")
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    private struct Fields: FieldGroup {
        let form = FormClauses.Fields(types: ". The default is any type.")
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
        place = try OSS.place(context)
        clauses = try FormClauses(grant.form, isTypeNeeded: false)
        let types = clauses.contentTypes
        if grant.form.contentTypes?.isEmpty == true { throw FieldProblem("contentTypes", "must name at least one") }
        guard types.allSatisfy({ MediaTypeName.isName($0.span) }) else {
            throw FieldProblem("contentTypes", "must be types such as image/png, without * and parameters")
        }
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
        let policy = PostPolicy(sizes: clauses.sizes, contentTypes: types, fields: form)
        self.policy = clauses.onlyType.map { policy.limited(to: $0) } ?? policy
    }

    // MARK: Asking

    private static func check(_ ask: borrowing Ask) throws(AskError) {
        if let bucket = ask.bucket, !OSS.isBucket(bucket) { throw AskError(.invalid, "bucket", OSS.bucketFault) }
        try FormClauses.check(ask, parameters.form)
        guard version(of: ask) != nil else { throw AskError(.invalid, "version", "must be v4 or v1") }
    }

    private static func version(of ask: borrowing Ask) -> Version? {
        ask.reading(parameters.version) { $0.equals("v4") ? .v4 : $0.equals("v1") ? .v1 : nil }
    }

    func objection(to ask: borrowing Ask) -> Objection? {
        clauses.objection(to: ask, PostUpload.parameters.form)
    }

    /// Who uploads, as the callback tells it.
    var vendorName: KeyTemplate? { callback?.endUser }

    // MARK: The form

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        let callback = commonCallback ?? callback?.encoded(for: permit.vendorName)
        var policy = policy
        if commonCallback == nil, let callback { policy = policy.adding(NameValue("callback", callback)) }
        let scope = try PostPolicy.Scope(OSS.v4, permit, ask, PostUpload.parameters.form)
        try out.append(members: { json throws(IssueError) in
            json.add("url", text: { place.writeURL(of: permit.bucket, into: &$0) })
            var scoped: ScopedKey?
            let ranges = try json.add(
                "fields",
                object: { form throws(IssueError) in
                    switch PostUpload.version(of: ask) {
                    case .v1:
                        return try PostForm.writeV1(policy, scope, by: OSSSigner.V1(key), into: &form, using: &scratch)
                    case .v4, nil:
                        let derived = try place.key(key, at: instant.unixSeconds)
                        scoped = derived
                        return try PostForm.writeV4(
                            policy, scope, by: V4Signer(derived, at: instant.unixSeconds), into: &form,
                            using: &scratch)
                    }
                })
            json.add("bucket", permit.bucket)
            json.add(scope.isPrefix ? "keyPrefix" : "key", permit.key)
            addSampleNames(ranges, permit, key, callback, to: &json)
            if let scoped { PostUpload.addSampleNames(scoped, at: instant.unixSeconds, to: &json) }
        })
    }

    /// What the vendor's samples for web pages give under names of their own.
    private func addSampleNames(
        _ ranges: PostForm.Ranges, _ permit: borrowing Permit, _ key: SigningKey, _ callback: [UInt8]?,
        to json: inout JSONObject
    ) {
        json.add("accessid", key.accessKey)
        json.add("host", text: { place.endpoint.write(bucket: permit.bucket, into: &$0) })
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
