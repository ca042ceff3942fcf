import Testing

@Suite(.timeLimit(.minutes(3)))
struct PolicyMistakeTests {
    private static let photos = "fsizeMin: 1, fsizeLimit: 5242880"
    private static let shared =
        "saveKey: \"shared/$(etag)\", forceSaveKey: true, returnUrl: \"https://app.example.com/\""

    /// In the policy of the grant `photos`, which has nearly every field.
    private static func qiniu(_ old: String, _ new: String, _ field: String, _ word: String) -> Mistake {
        Mistake(old, new, "grants.photos.policy.\(field)", word)
    }

    /// The whole policy of the grant `shared`.
    private static func policy(_ text: String, _ field: String, _ word: String) -> Mistake {
        Mistake(shared, text, "grants.shared.policy.\(field)", word)
    }

    @Test(
        "keeps for itself the fields of a put policy that it writes (R16)",
        arguments: [
            "scope: \"media\"", "deadline: 2000000000", "isPrefixalScope: 1", "insertOnly: 1", "exclusive: 1",
            "bodyHash: \"x\"", "transform: \"x\"", "unknown: null",
        ])
    func reserved(field: String) throws {
        let name = field.prefix { $0 != ":" }
        try Self.qiniu(Self.photos, "\(Self.photos), ‸\(field)", "\(name)", "is not known").check()
    }

    @Test(
        "lets callers choose only what may be chosen (R16)",
        arguments: [
            "scope", "deadline", "isPrefixalScope", "insertOnly", "saveKey", "forceSaveKey", "endUser", "persistentOps",
            "callbackUrl", "returnBody", "transform", "mimeLimit", "detectMime", "fileType", "nonsense",
        ])
    func choice(name: String) throws {
        try Mistake(
            "choose: [\"fsizeLimit\", \"deleteAfterDays\"]", "‸choose: [\"\(name)\"]", "grants.photos.choose",
            "only fsizeLimit"
        ).check()
    }

    @Test(
        "refuses put policies that Qiniu refuses or reads otherwise",
        arguments: [
            policy("‸callbackUrl: \"https://a\"", "callbackUrl", "needs callbackBody"),
            policy("‸callbackBody: \"x\"", "callbackBody", "needs callbackUrl"),
            policy("‸callbackHost: \"a\"", "callbackHost", "needs callbackUrl"),
            policy("‸callbackBodyType: \"application/json\"", "callbackBodyType", "needs callbackUrl"),
            policy("‸callbackFetchKey: 1", "callbackFetchKey", "needs callbackUrl"),
            policy("‸returnUrl: \"https://a\", callbackUrl: \"https://b\", callbackBody: \"x\"", "returnUrl", "beside"),
            policy(
                "persistentOps: \"a\", ‸persistentWorkflowTemplateID: \"b\"", "persistentWorkflowTemplateID",
                "cannot stand beside persistentOps"),
            policy("‸forceSaveKey: true", "forceSaveKey", "needs saveKey"),
            policy("‸fsizeMin: 2, fsizeLimit: 1", "fsizeMin", "greater than fsizeLimit"),
            policy("mimeLimit: \"image/*\", ‸detectMime: 0", "detectMime", "1 or -1 beside mimeLimit"),
            policy("fileType: 2, ‸persistentOps: \"a\"", "persistentOps", "fileType 2 or 3"),
            policy("fileType: 3, ‸persistentOps: \"a\"", "persistentOps", "fileType 2 or 3"),
            policy("‸saveKey: \"other/$(etag)\"", "saveKey", "begin with the grant's keyPrefix"),
            policy("‸saveKey: \"shared\"", "saveKey", "begin with the grant's keyPrefix"),
            policy("‸saveKey: \"$(key)\"", "saveKey", "begin with the grant's keyPrefix"),
            qiniu(photos, "\(photos), ‸saveKey: \"photos/a\"", "saveKey", "must have no places"),
            Mistake(
                "extensions: [\"jpg\", \"png\"]", "policy: { ‸saveKey: \"avatars/x\" }",
                "grants.avatars.policy.saveKey", "begin with the grant's keyPrefix"),
        ])
    func constraints(mistake: Mistake) throws { try mistake.check() }

    @Test(
        "holds the fields of a put policy to the vendor's types",
        arguments: [
            qiniu("fsizeMin: 1", "‸fsizeMin: -1", "fsizeMin", "at least 0"),
            qiniu("fsizeLimit: 5242880", "‸fsizeLimit: 0", "fsizeLimit", "at least 1"),
            qiniu("fsizeLimit: 5242880", "‸fsizeLimit: 9223372036854775808", "fsizeLimit", "at least 1"),
            qiniu("fsizeLimit: 5242880", "‸fsizeLimit: \"5MiB\"", "fsizeLimit", "whole number"),
            qiniu("persistentType: 1", "‸persistentType: 2", "persistentType", "from 0 to 1"),
            qiniu("detectMime: 1", "‸detectMime: true", "detectMime", "from -1 to 1"),
            qiniu("fileType: 0", "‸fileType: 5", "fileType", "from 0 to 4"),
            qiniu("callbackFetchKey: 0", "‸callbackFetchKey: false", "callbackFetchKey", "from 0 to 1"),
            qiniu("deleteAfterDays: 7", "‸deleteAfterDays: 0", "deleteAfterDays", "from 1"),
            qiniu("trafficLimit: 819200", "‸trafficLimit: 819199", "trafficLimit", "from 819200 to 838860800"),
            qiniu("\"application/x-www-form-urlencoded\"", "\"text/plain\"", "callbackBodyType", "application/json")
                .at("callbackBodyType"),
            policy("‸forceSaveKey: 1", "forceSaveKey", "true or false"),
            qiniu("mimeLimit: \"image/*\", fileType", "‸mimeLimit: [\"image/*\"], fileType", "mimeLimit", "string"),
            qiniu("fsizeLimit: 5242880", "‸fSizeLimit: 5242880", "fSizeLimit", "did you mean fsizeLimit?"),
            Mistake("overwrite: true", "‸overwrite: \"yes\"", "grants.photos.overwrite", "true or false"),
            Mistake("domain: \"media.example.com\"", "‸domain: 1", "grants.photos.domain", "string"),
        ])
    func types(mistake: Mistake) throws { try mistake.check() }

    @Test(
        "refuses NOS policies that cannot be meant",
        arguments: [
            Mistake("ObjectSizeMin: 1,", "‸ObjectSizeMin: 1001,", "grants.files.policy.ObjectSizeMin", "greater than"),
            Mistake("ObjectSizeMax: 1000", "‸ObjectSizeMax: 0", "grants.files.policy.ObjectSizeMax", "at least 1"),
            Mistake(
                "CallbackUrl: \"https://app.example.com/nos\", ", "", "grants.files.policy.CallbackBody",
                "needs CallbackUrl"
            ).at("CallbackBody"),
            Mistake("Region: \"HZ\"", "‸Bucket: \"b\"", "grants.files.policy.Bucket", "is not known"),
            Mistake("Region: \"HZ\"", "‸Object: \"b\"", "grants.files.policy.Object", "is not known"),
            Mistake("Region: \"HZ\"", "‸Expires: 1", "grants.files.policy.Expires", "is not known"),
            Mistake("Region: \"HZ\"", "‸OverWrite: true", "grants.files.policy.OverWrite", "is not known"),
            Mistake("Region: \"HZ\"", "‸region: \"HZ\"", "grants.files.policy.region", "did you mean Region?"),
            Mistake("overwrite: false", "‸choose: []", "grants.files.choose", "is not known"),
        ])
    func nos(mistake: Mistake) throws { try mistake.check() }

    private static let headers = "headers: [\"x-oss-meta-*\"]"
    private static let methods = "methods: [\"GET\", \"PUT\"]"

    @Test(
        "refuses to sign for OSS what reaches beyond the object (R15)",
        arguments: [
            Mistake(headers, "‸headers: [\"content-type\"]", "grants.sign.headers", "begin with x-oss-"),
            Mistake(headers, "‸headers: [\"X-OSS-Meta-A\"]", "grants.sign.headers", "lower-case"),
            Mistake(headers, "‸headers: [\"x-oss-*\"]", "grants.sign.headers", "lower-case"),
            Mistake(headers, "‸headers: [\"x-oss-\"]", "grants.sign.headers", "x-oss-"),
            Mistake(headers, "‸headers: [\"x-oss-acl\"]", "grants.sign.headers", "beyond the object"),
            Mistake(headers, "‸headers: [\"x-oss-object-acl\"]", "grants.sign.headers", "beyond the object"),
            Mistake(headers, "‸headers: [\"x-oss-callback\"]", "grants.sign.headers", "beyond the object"),
            Mistake(headers, "‸headers: [\"x-oss-callback-var\"]", "grants.sign.headers", "beyond the object"),
            Mistake(headers, "‸headers: [\"x-oss-symlink-target\"]", "grants.sign.headers", "beyond the object"),
            Mistake(headers, "‸headers: [\"x-oss-security-token\"]", "grants.sign.headers", "beyond the object"),
            Mistake(headers, "‸headers: [\"x-oss-copy-source\"]", "grants.sign.headers", "beyond the object"),
            Mistake(headers, "‸headers: [\"x-oss-copy-source-range\"]", "grants.sign.headers", "beyond the object"),
            Mistake(methods, "‸methods: [\"POST\"]", "grants.sign.methods", "GET, HEAD, PUT and DELETE"),
            Mistake(methods, "‸methods: [\"get\"]", "grants.sign.methods", "GET, HEAD, PUT and DELETE"),
            Mistake(methods, "‸methods: []", "grants.sign.methods", "at least one"),
            Mistake(methods, "methods: [\"GET\", ‸1]", "grants.sign.methods[1]", "string"),
            Mistake("\(methods), ", "", "grants.sign", "needs methods").at("\"sign\": {"),
            Mistake("presign: \"5m\"", "‸presign: \"0s\"", "grants.sign.presign", "from 1s to 7d"),
            Mistake("presign: \"5m\"", "‸presign: \"1001ms\"", "grants.sign.presign", "whole seconds"),
            Mistake("presign: \"5m\"", "‸presign: \"8d\"", "grants.sign.presign", "from 1s to 7d"),
        ])
    func oss(mistake: Mistake) throws { try mistake.check() }
}
