import Access
import Testing

@testable import Configuration

/// Grants of signed requests to OSS and of URLs.
@Suite(.timeLimit(.minutes(20)))
struct OSSRequestMistakeTests {
    private static let text: String = #"""
        {
          version: 1,
          credentials: {
            "oss": {
              provider: "oss", accessKey: "AK-oss", secretKey: "oss-secret", region: "cn-hangzhou",
              endpoint: "oss-cn-hangzhou-internal.aliyuncs.com",
            },
          },
          authentication: { apiKeys: [{ id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" }] },
          grants: {
            "objects": {
              route: "oss.authorization", credential: "oss", callers: "apiKey:app", bucket: "files", keyPrefix: "in/",
              methods: ["GET", "POST"], headers: ["range", "x-oss-meta-*"], subresources: ["uploads"], query: ["response-expires"],
            },
            "links": {
              route: "oss.presigned-url", credential: "oss", callers: "apiKey:app", bucket: "files", key: "in/${uuid}",
              methods: "PUT", lifetime: "5m", contentTypes: ["image/*", "text/plain; charset=utf-8"], versions: ["v4"],
              maxSize: "1MiB",
            },
          },
        }
        """#

    private static func mistake(_ old: String, _ new: String, _ path: String, _ word: String) -> Mistake {
        Mistake(old, new, path, word, in: text)
    }

    @Test func `what the mistakes are made in is right`() throws {
        let configuration = try Sample.load(OSSRequestMistakeTests.text)
        #expect(configuration.grants.count == 2)
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.grants.map(\.lifetimes.usual) == [3600, 300])
    }

    @Test func `an endpoint is the region's where none is given, and a region is needed by every grant`() throws {
        let endpoint = "endpoint: \"oss-cn-hangzhou-internal.aliyuncs.com\","
        let without = try #require(OSSRequestMistakeTests.text.replacingOnce(endpoint, with: ""))
        #expect(Sample.problems(in: without).isEmpty)
        let text = try #require(OSSRequestMistakeTests.text.replacingOnce(", region: \"cn-hangzhou\"", with: ""))
        let problems = Sample.problems(in: text)
        #expect(problems.map(\.path) == ["grants.objects.credential", "grants.links.credential"])
        #expect(problems.allSatisfy { $0.reason.contains("is one without region") })
    }

    @Test(
        "refuses regions and endpoints that no URL could have",
        arguments: [
            region("oss-cn-hangzhou"), region("CN-hangzhou"), region("cn/hangzhou"), region("cn_hangzhou"),
            region("cn hangzhou"), region("中"), endpoint("https://oss.example"), endpoint("oss.example/"),
            endpoint("OSS.example"), endpoint("oss.example:443"), endpoint("a b"), endpoint("user@oss.example"),
        ])
    func positions(mistake: Mistake) throws { try mistake.check() }

    private static func region(_ text: String) -> Mistake {
        mistake("region: \"cn-hangzhou\"", "‸region: \"\(text)\"", "credentials.oss.region", "such as cn-hangzhou")
    }

    private static func endpoint(_ text: String) -> Mistake {
        mistake(
            "endpoint: \"oss-cn-hangzhou-internal.aliyuncs.com\"", "‸endpoint: \"\(text)\"",
            "credentials.oss.endpoint", "host in lower case")
    }

    @Test(
        "refuses methods, sub-resources, queries and headers that are never signed for callers (R15)",
        arguments: [
            methods("[]", "must be of GET, HEAD, PUT, DELETE, POST, at least one"),
            methods("\"PATCH\"", "must be of GET"),
            methods("[\"get\"]", "must be of GET"), methods("[\"GET\", \"OPTIONS\"]", "must be of GET"),
            sub("acl"), sub("symlink"), sub("restore"), sub("delete"), sub("callback"), sub("x-oss-process"),
            sub("tagging"), sub("policy"), sub("Uploads"), sub("response-expires"), sub("Signature"), sub("Expires"),
            query("acl"), query("uploads"), query("callback"), query("x-oss-process"), query("prefix"),
            query("security-token"), query("x-oss-expires"), query("Expires"), query("OSSAccessKeyId"),
            query("x-oss-signature"), query("response-*"),
            headers("x-oss-acl"), headers("x-oss-object-acl"), headers("x-oss-copy-source"), headers("x-oss-callback"),
            headers("x-oss-symlink-target"), headers("x-oss-security-token"), headers("x-oss-date"), headers("date"),
            headers("x-oss-content-sha256"), headers("authorization"), headers("host"), headers("x-oss-*"),
            headers("*"),
            headers("x-oss-meta-"), headers("Range"), headers("expires"), headers("x-oss-tagging"),
            mistake(
                "subresources: [\"uploads\"]", "‸subresources: [\"uploads\", \"partNumber\"]",
                "grants.objects.subresources", "partNumber needs another method, or another name beside it"),
            mistake(
                "subresources: [\"uploads\"], ", "", "grants.objects.methods",
                "POST is signed only for what subresources does not name"
            ).at("methods: [\"GET\", \"POST\"]"),
            mistake(
                "query: [\"response-expires\"]", "‸query: [\"max-parts\"]", "grants.objects.query",
                "max-parts needs another method, or another sub-resource beside it"),
        ])
    func lists(mistake: Mistake) throws { try mistake.check() }

    private static func methods(_ list: String, _ word: String) -> Mistake {
        mistake("methods: [\"GET\", \"POST\"]", "‸methods: \(list)", "grants.objects.methods", word)
    }

    private static func sub(_ name: String) -> Mistake {
        mistake(
            "subresources: [\"uploads\"]", "‸subresources: [\"uploads\", \"\(name)\"]", "grants.objects.subresources",
            "must be of versionId, objectMeta, append, position, uploads, uploadId, partNumber; nothing else is signed")
    }

    private static func query(_ name: String) -> Mistake {
        mistake(
            "query: [\"response-expires\"]", "‸query: [\"response-expires\", \"\(name)\"]", "grants.objects.query",
            "must be of response-cache-control")
    }

    private static func headers(_ name: String) -> Mistake {
        mistake(
            "headers: [\"range\", \"x-oss-meta-*\"]", "‸headers: [\"range\", \"\(name)\"]", "grants.objects.headers",
            "must be of cache-control, ")
    }

    @Test(
        "R18: refuses a size that OSS cannot hold anybody to, and what is said of clauses that are not there",
        arguments: [
            mistake("versions: [\"v4\"],\n      maxSize", "‸maxSize", "grants.links.maxSize", "say versions: \"v4\""),
            mistake(
                "versions: [\"v4\"],\n      maxSize", "versions: [\"v1\", \"v4\"],\n      ‸maxSize",
                "grants.links.maxSize", "unenforced (R18)"),
            mistake(
                "maxSize: \"1MiB\"", "subresources: [\"uploadId\", \"partNumber\"], ‸maxSize: \"1MiB\"",
                "grants.links.maxSize", "object in pieces"),
            mistake(
                "maxSize: \"1MiB\"", "maxSize: \"1MiB\", ‸unenforced: [\"maxSize\"]", "grants.links.unenforced",
                "that are not enforced"),
            mistake("maxSize: \"1MiB\"", "‸unenforced: [\"maxSize\"]", "grants.links.unenforced", "not enforced"),
            mistake(
                "maxSize: \"1MiB\"", "maxSize: \"1MiB\", ‸unenforced: [\"contentTypes\"]", "grants.links.unenforced",
                "of maxSize"),
            mistake("maxSize: \"1MiB\"", "‸maxSize: 0", "grants.links.maxSize", "from 1B to 5GiB"),
            mistake("maxSize: \"1MiB\"", "‸minSize: 1", "grants.links.minSize", "is not known"),
        ])
    func sizes(mistake: Mistake) throws { try mistake.check() }

    @Test(arguments: ["versions: [\"v1\"],", "", "subresources: [\"uploadId\", \"partNumber\"], versions: [\"v4\"],"])
    func `R18: takes it from who owns that`(versions: String) throws {
        let text = try #require(
            OSSRequestMistakeTests.text.replacingOnce(
                "versions: [\"v4\"],\n      maxSize: \"1MiB\",",
                with: "\(versions) maxSize: \"1MiB\", unenforced: \"maxSize\","))
        #expect(Sample.problems(in: text).isEmpty)
    }

    @Test(
        "refuses versions, content types, buckets and keys that OSS has not, or signs in two ways",
        arguments: [
            mistake("versions: [\"v4\"]", "‸versions: [\"v2\"]", "grants.links.versions", "must be of v4 and v1"),
            mistake("versions: [\"v4\"]", "‸versions: []", "grants.links.versions", "at least one"),
            mistake("versions: [\"v4\"]", "‸versions: \"V4\"", "grants.links.versions", "must be of v4 and v1"),
            types("[]"), types("\"image\""), types("\"*/*\""), types("\"*\""), types("\"Image/png\""),
            types("\"image/\""),
            types("\"image/p*\""), types("\"image/**\""), types("\"image/png/*\""), types("\"/png\""),
            types("\"image/png \""), types("\"ima ge/*\""), types("\"image/中\""),
            mistake(
                "bucket: \"files\", keyPrefix", "‸bucket: \"Files\", keyPrefix", "grants.objects.bucket",
                "3 to 63 of a-z 0-9 and -"),
            mistake(
                "keyPrefix: \"in/\"", "‸keyPrefix: \"in?acl/\"", "grants.objects.keyPrefix", "say versions: [\"v4\"]"),
            mistake(
                "methods: [\"GET\", \"POST\"]", "‸lifetime: \"1h\", methods: [\"GET\", \"POST\"]",
                "grants.objects.lifetime", "is not known"),
            mistake("lifetime: \"5m\"", "‸lifetime: \"8d\"", "grants.links.lifetime", "from 1s to 7d"),
            mistake("lifetime: \"5m\"", "‸presign: \"5m\"", "grants.links.presign", "is not known"),
        ])
    func others(mistake: Mistake) throws { try mistake.check() }

    private static func types(_ list: String) -> Mistake {
        mistake(
            "contentTypes: [\"image/*\", \"text/plain; charset=utf-8\"]", "‸contentTypes: \(list)",
            "grants.links.contentTypes", "must be at least one, such as image/png")
    }

    // MARK: Sessions

    private static let sessions: String = #"""
        {
          version: 1,
          credentials: {
            "oss": { provider: "oss", accessKey: "AK-oss", secretKey: "oss-secret", region: "cn-hangzhou" },
            "nos": { provider: "nos", accessKey: "AK-nos", secretKey: "nos-secret" },
            "role": {
              provider: "sts", accessKey: "LTAI", secretKey: "oss-secret", roleArn: "acs:ram::1:role/app",
              endpoints: "https://sts.cn-hangzhou.aliyuncs.com", region: "cn-shanghai", ossEndpoint: "oss.internal",
            },
          },
          authentication: { apiKeys: [{ id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" }] },
          grants: {
            "objects": {
              route: "oss.authorization", credential: "role", callers: "apiKey:app", bucket: "files", keyPrefix: "in/",
              methods: ["GET"],
            },
            "links": {
              route: "oss.presigned-url", credential: "role", callers: "apiKey:app", bucket: "files", key: "in/a",
              methods: "PUT",
            },
            "form": {
              route: "oss.post-policy", credential: "oss", callers: "apiKey:app", bucket: "files", keyPrefix: "in/",
              maxSize: "1MiB",
            },
          },
        }
        """#

    @Test func `grants of signed requests and of URLs take a credential of either provider`() throws {
        #expect(try Sample.load(OSSRequestMistakeTests.sessions).grants.count == 3)
        let text = try #require(
            OSSRequestMistakeTests.sessions.replacingOnce(
                "oss.authorization\", credential: \"role\"", with: "oss.authorization\", credential: \"oss\""))
        #expect(Sample.problems(in: text).isEmpty)
    }

    @Test(
        "refuses sessions that could not sign what is granted",
        arguments: [
            Mistake(
                "route: \"oss.post-policy\", credential: \"oss\"",
                "route: \"oss.post-policy\", ‸credential: \"role\"",
                "grants.form.credential", "is one of provider sts; this route needs one of oss", in: sessions),
            Mistake(
                "route: \"oss.presigned-url\", credential: \"role\"",
                "route: \"oss.presigned-url\", ‸credential: \"nos\"",
                "grants.links.credential", "is one of provider nos; this route needs one of oss or sts", in: sessions),
            Mistake(
                "bucket: \"files\", key: \"in/a\"", "unscoped: true", "grants.links.bucket",
                "the session's policy names it", in: sessions
            ).at("\"links\": {"),
            Mistake(
                "keyPrefix: \"in/\",\n      methods", "‸keyPrefix: \"in/*/\",\n      methods",
                "grants.objects.keyPrefix",
                "which the session's policy reads otherwise", in: sessions),
            Mistake("key: \"in/a\"", "‸key: \"in/*\"", "grants.links.key", "no * ?", in: sessions),
            Mistake(
                "ossEndpoint: \"oss.internal\"", "‸endpoint: \"oss.internal\"", "credentials.role.endpoint",
                "is not known", in: sessions),
        ])
    func sessionMistakes(mistake: Mistake) throws { try mistake.check() }

    @Test func `sessions need the buckets' region, too`() throws {
        let text = try #require(OSSRequestMistakeTests.sessions.replacingOnce(", region: \"cn-shanghai\"", with: ""))
        let problems = Sample.problems(in: text)
        #expect(problems.map(\.path) == ["grants.objects.credential", "grants.links.credential"])
        #expect(problems.allSatisfy { $0.reason.contains("is one without region") })
    }

    @Test func `version 4 alone takes a prefix with a question mark`() throws {
        let text = try #require(
            OSSRequestMistakeTests.text.replacingOnce(
                "keyPrefix: \"in/\",", with: "keyPrefix: \"in?acl/\", versions: \"v4\","))
        #expect(Sample.problems(in: text).isEmpty)
    }

    private static let notice = "callbackUrl: \"http://a\", callbackBody"

    @Test(
        "refuses callbacks that OSS would not make, or would make with what nobody fills in",
        arguments: [
            mistake(
                "methods: [\"GET\", \"POST\"], ", "methods: \"GET\", ‸callback: { \(notice): \"x\" }, ",
                "grants.objects.callback", "needs PUT or POST"
            ).without(", subresources: [\"uploads\"]"),
            mistake(
                "lifetime: \"5m\"",
                "lifetime: \"5m\", callback: { callbackUrl: \"http://a\", ‸callbackBody: \"${caller.id}\" }",
                "grants.links.callback.callbackBody", "OSS does not know"),
            mistake(
                "lifetime: \"5m\"", "lifetime: \"5m\", callback: { \(notice): \"x\", ‸endUser: \"${caller.id}\" }",
                "grants.links.callback.endUser", "needs ${x:enduser}"),
        ])
    func callbacks(mistake: Mistake) throws { try mistake.check() }
}
