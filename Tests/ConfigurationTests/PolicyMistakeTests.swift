import Bytes
import Testing

@testable import Configuration

@Suite(.timeLimit(.minutes(20)))
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
            "bodyHash: \"x\"", "unknown: null",
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
            policy("mimeLimit: \"image/*\", ‸detectMime: 0", "detectMime", "1 beside mimeLimit"),
            policy("‸persistentNotifyUrl: \"https://a\"", "persistentNotifyUrl", "needs persistentOps or"),
            policy("‸persistentPipeline: \"a\"", "persistentPipeline", "needs persistentOps or"),
            policy("‸persistentType: 1", "persistentType", "needs persistentOps or"),
            policy("fileType: 2, ‸persistentOps: \"a\"", "persistentOps", "fileType 2 or 3"),
            policy("fileType: 3, ‸persistentOps: \"a\"", "persistentOps", "fileType 2 or 3"),
            policy("‸saveKey: \"other/$(etag)\"", "saveKey", "begin with the grant's keyPrefix"),
            policy("‸saveKey: \"shared\"", "saveKey", "begin with the grant's keyPrefix"),
            policy("‸saveKey: \"$(key)\"", "saveKey", "begin with the grant's keyPrefix"),
            qiniu(photos, "\(photos), ‸saveKey: \"photos/a\"", "saveKey", "must have no placeholders"),
            Mistake(
                "extensions: [\"jpg\", \"png\"]", "policy: { ‸saveKey: \"avatars/x\" }",
                "grants.avatars.policy.saveKey", "begin with the grant's keyPrefix"),
        ])
    func constraints(mistake: Mistake) throws { try mistake.check() }

    /// `persistentOps` that saves to this entry, in the grant `shared`.
    private static func saving(to entry: String, _ word: String) -> Mistake {
        let encoded = Base64.urlSafe.encode(Array(entry.utf8)).text
        return policy(
            "‸persistentOps: \"avthumb/mp4|saveas/\(encoded)/deleteAfterDays/1\"", "persistentOps", word)
    }

    @Test(
        "keeps inside the grant what Qiniu writes by itself (R16)",
        arguments: [
            saving(to: "media:other/a.mp4", "begin with the grant's keyPrefix"),
            saving(to: "media:shared", "begin with the grant's keyPrefix"),
            saving(to: "media:shared/../a.mp4", "segments . or .."),
            saving(to: "other:shared/a.mp4", "the grant's bucket"),
            saving(to: ":shared/a.mp4", "the grant's bucket"), saving(to: "media", "base64 of bucket:key"),
            policy("‸persistentOps: \"a|saveas/%%\"", "persistentOps", "base64 of bucket:key"),
            policy("‸persistentOps: \"saveas\"", "persistentOps", "base64 of bucket:key"),
            // media:shared/a, then media:a
            policy(
                "‸persistentOps: \"a|saveas/bWVkaWE6c2hhcmVkL2E=;b|saveas/bWVkaWE6YQ==\"", "persistentOps",
                "begin with the grant's keyPrefix"),
            qiniu(
                "persistentOps: \"avthumb/mp4\"", "‸persistentOps: \"a|saveas/bWVkaWE6cGhvdG9zL2E=\"", "persistentOps",
                "must have no placeholders"),
            Mistake(
                "extensions: [\"jpg\", \"png\"]", "policy: { ‸persistentOps: \"a|saveas/bWVkaWE6YXZhdGFycy9h\" }",
                "grants.avatars.policy.persistentOps", "begin with the grant's keyPrefix"),
            keyLimit("[\"shared/a\", \"other/b\"]", "begin with the grant's keyPrefix"),
            keyLimit("\"a\"", "begin with the grant's keyPrefix"), keyLimit("[\"shared/$(etag)\"]", "$("),
            keyLimit("[\"shared/./a\"]", "segments . or .."), keyLimit("[]", "1 to 20 keys"),
            keyLimit("[\"shared/\(String(repeating: "a", count: 744))\"]", "longer"),
            keyLimit("[\((0...20).map { "\"shared/\($0)\"" }.joined(separator: ", "))]", "1 to 20 keys"),
            qiniu(photos, "\(photos), ‸keylimit: [\"photos/a\"]", "keylimit", "must have no placeholders"),
            policy("transform: \"x\", ‸transformFallbackKey: \"other/a\"", "transformFallbackKey", "grant's keyPrefix"),
            policy("‸transformFallbackKey: \"shared/a\"", "transformFallbackKey", "needs transform"),
            policy("‸transformFallbackMode: \"x\"", "transformFallbackMode", "needs transform"),
        ])
    func reach(mistake: Mistake) throws { try mistake.check() }

    private static func keyLimit(_ keys: String, _ word: String) -> Mistake {
        Mistake(
            "keylimit: [\"shared/a\", \"shared/b\"]", "‸keylimit: \(keys)", "grants.shared.policy.keylimit", word)
    }

    @Test(
        "takes URLs and types in put policies only as Qiniu reads them",
        arguments: [
            "\"app.example.com\"", "\"ftp://a\"", "\"https://\"", "\"https://a;\"", "\"https://a;b\"",
            "\"https://a, https://b\"",
            "\"https://a b\"", "\"https://é\"", "\" https://a\"",
        ])
    func urls(url: String) throws {
        try Self.policy("‸callbackUrl: \(url), callbackBody: \"x\"", "callbackUrl", "http:// or https://").check()
        try Self.qiniu(
            "persistentNotifyUrl: \"https://app.example.com/ops\"", "‸persistentNotifyUrl: \(url)",
            "persistentNotifyUrl", "http:// or https://"
        ).check()
    }

    @Test(
        "takes a list of types only as Qiniu reads it",
        arguments: [
            "image", "image/", "/png", "image/png,image/jpeg", "image/png; image/jpeg", "image/png;", ";image/png", "!",
            "*",
            "image/png;!text/plain", "!!image/png", "image/png/x", "image/é", "jpg;png", "image/png|image/jpeg",
        ])
    func mimeLimit(types: String) throws {
        try Self.qiniu(
            "mimeLimit: \"image/*\", fileType", "‸mimeLimit: \"\(types)\", fileType", "mimeLimit",
            "types such as image/*"
        ).check()
    }

    @Test func `a type that the client names beside mimeLimit is warned of`() throws {
        func warnings(_ fields: String) throws -> [String] {
            let text = Sample.text.replacing("detectMime: 1, mimeLimit: \"image/*\"", with: fields)
            return try Sample.load(text).warnings.filter { $0.hasPrefix("grants.photos: type:") }
        }
        let told = try warnings("detectMime: -1, mimeLimit: \"image/*\"")
        #expect(told.count == 1 && told.first?.contains("detectMime") == true, "\(told)")
        for fields in ["mimeLimit: \"image/*\"", "detectMime: 1, mimeLimit: \"image/*\"", "detectMime: -1"] {
            #expect(try warnings(fields).isEmpty, "\(fields)")
        }
    }

    @Test(
        "takes what lies inside the grant",
        arguments: [
            // media:shared/a and media:shared/$(etag).mp4
            "persistentOps: \"a|saveas/bWVkaWE6c2hhcmVkL2E=;b;c|d|saveas/bWVkaWE6c2hhcmVkLyQoZXRhZykubXA0/deleteAfterDays/1\"",
            "persistentWorkflowTemplateID: \"t\", persistentNotifyUrl: \"http://a\", persistentPipeline: \"p\"",
            "callbackUrl: \"http://10.0.0.1/cb;http://10.0.0.2/cb?x=%E4%B8%AD\", callbackBody: \"x\"",
            "mimeLimit: \"!application/json;text/plain\"", "mimeLimit: \"image/svg+xml;application/vnd.ms-excel;*/*\"",
        ])
    func good(policy: String) throws {
        let text = try #require(Sample.text.replacingOnce(Self.shared, with: policy))
        #expect(Sample.problems(in: text).map(\.description) == [])
    }

    @Test(
        "holds the fields of a put policy to the vendor's types",
        arguments: [
            qiniu("fsizeMin: 1", "‸fsizeMin: -1", "fsizeMin", "at least 0"),
            qiniu("fsizeLimit: 5242880", "‸fsizeLimit: 0", "fsizeLimit", "at least 1"),
            qiniu("fsizeLimit: 5242880", "‸fsizeLimit: 9223372036854775808", "fsizeLimit", "at least 1"),
            qiniu("fsizeLimit: 5242880", "‸fsizeLimit: \"5MB\"", "fsizeLimit", "a size such as \"8KiB\""),
            qiniu("fsizeLimit: 5242880", "‸fsizeLimit: \"5MB\"", "fsizeLimit", "write \"5MiB\""),
            qiniu("fsizeLimit: 5242880", "‸fsizeLimit: \"2k\"", "fsizeLimit", "write \"2KiB\""),
            qiniu("fsizeLimit: 5242880", "‸fsizeLimit: \"1gib\"", "fsizeLimit", "write \"1GiB\""),
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
            Mistake(headers, "‸headers: [\"X-OSS-Meta-A\"]", "grants.sign.headers", "begin with x-oss-"),
            Mistake(headers, "‸headers: [\"x-oss-*\"]", "grants.sign.headers", "nothing else is signed"),
            Mistake(headers, "‸headers: [\"x-oss-\"]", "grants.sign.headers", "x-oss-"),
            Mistake(headers, "‸headers: [\"x-oss-acl\"]", "grants.sign.headers", "nothing else is signed"),
            Mistake(headers, "‸headers: [\"x-oss-object-acl\"]", "grants.sign.headers", "nothing else is signed"),
            Mistake(headers, "‸headers: [\"x-oss-callback\"]", "grants.sign.headers", "nothing else is signed"),
            Mistake(headers, "‸headers: [\"x-oss-callback-var\"]", "grants.sign.headers", "nothing else is signed"),
            Mistake(headers, "‸headers: [\"x-oss-symlink-target\"]", "grants.sign.headers", "nothing else is signed"),
            Mistake(headers, "‸headers: [\"x-oss-security-token\"]", "grants.sign.headers", "nothing else is signed"),
            Mistake(headers, "‸headers: [\"x-oss-copy-source\"]", "grants.sign.headers", "nothing else is signed"),
            Mistake(
                headers, "‸headers: [\"x-oss-copy-source-range\"]", "grants.sign.headers", "nothing else is signed"),
            Mistake(methods, "‸methods: [\"POST\"]", "grants.sign.methods", "subresources does not name"),
            Mistake(methods, "‸methods: [\"get\"]", "grants.sign.methods", "must be of GET"),
            Mistake(methods, "‸methods: []", "grants.sign.methods", "at least one"),
            Mistake(methods, "methods: [\"GET\", ‸1]", "grants.sign.methods[1]", "string"),
            Mistake("\(methods), ", "", "grants.sign", "needs methods").at("\"sign\": {"),
            Mistake("presign: \"5m\"", "‸presign: \"0s\"", "grants.sign.presign", "from 1s to 7d"),
            Mistake("presign: \"5m\"", "‸presign: \"1001ms\"", "grants.sign.presign", "whole seconds"),
            Mistake("presign: \"5m\"", "‸presign: \"8d\"", "grants.sign.presign", "from 1s to 7d"),
            Mistake("presign: \"5m\"", "‸subresources: \"acl\"", "grants.sign.subresources", "nothing else is signed"),
            Mistake("presign: \"5m\"", "‸subresources: \"uploads\"", "grants.sign.subresources", "another method"),
            Mistake("presign: \"5m\"", "‸subresources: \"partNumber\"", "grants.sign.subresources", "beside it"),
            Mistake("presign: \"5m\"", "‸subresources: \"max-parts\"", "grants.sign.subresources", "beside it"),
            Mistake("presign: \"5m\"", "‸versions: \"v2\"", "grants.sign.versions", "v1 and v4"),
            Mistake("presign: \"5m\"", "‸versions: []", "grants.sign.versions", "at least one"),
            Mistake("presign: \"5m\"", "‸versions: \"v4\"", "grants.sign.versions", "region"),
            Mistake("presign: \"5m\"", "‸trustSignInfo: true", "grants.sign.trustSignInfo", "unscoped: true"),
        ])
    func oss(mistake: Mistake) throws { try mistake.check() }
}
