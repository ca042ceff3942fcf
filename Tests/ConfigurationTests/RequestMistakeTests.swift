import Testing

@testable import Configuration

/// Grants of signed requests and URLs.
@Suite(.timeLimit(.minutes(20)))
struct RequestMistakeTests {
    private static let text: String = #"""
        {
          version: 1,
          credentials: {
            "kodo": {
              provider: "qiniu", accessKey: "AK-qiniu", secretKey: { env: "QINIU_SECRET_KEY" },
              cdnKey: { env: "CDN_KEY" },
            },
            "nos": {
              provider: "nos", accessKey: "AK-nos", secretKey: { file: "nos-key" },
              endpoint: "nos-eastchina1.126.net",
            },
          },
          authentication: { apiKeys: [{ id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" }] },
          grants: {
            "downloads": {
              route: "qiniu.download-url", credential: "kodo", callers: "apiKey:app",
              domain: "media.example.com:8080", scheme: "http", keyPrefix: "photos/${caller.id}/",
              query: ["imageView2/1/w/120", "attname=a%20b.pdf&v=1"], lifetime: "10m", maxLifetime: "1h",
            },
            "videos": {
              route: "qiniu.cdn-url", credential: "kodo", callers: "apiKey:app",
              domain: "cdn.example.com", key: "videos/intro.mp4", neverExpires: false,
            },
            "browse": {
              route: "qiniu.authorization", credential: "kodo", callers: "apiKey:app",
              bucket: "media", keyPrefix: "photos/",
              operations: ["list"], hosts: { rsf: "rsf.qiniuapi.com", rs: "rs.internal:8443" }, neverExpires: false,
            },
            "everything": {
              route: "qiniu.authorization", credential: "kodo", callers: "apiKey:app", unscoped: true,
              operations: ["buckets", "stat"],
            },
            "objects": {
              route: "nos.authorization", credential: "nos", callers: "apiKey:app", bucket: "files", keyPrefix: "in/",
              methods: ["PUT", "POST"], headers: ["content-md5", "x-nos-meta-*"], query: ["uploads"],
            },
            "links": {
              route: "nos.presigned-url", credential: "nos", callers: "apiKey:app", bucket: "files", key: "in/${uuid}",
              methods: ["GET"], lifetime: "5m",
            },
          },
        }
        """#

    private static func mistake(_ old: String, _ new: String, _ path: String, _ word: String) -> Mistake {
        Mistake(old, new, path, word, in: text)
    }

    @Test func `what the mistakes are made in is right`() throws {
        let configuration = try Sample.load(RequestMistakeTests.text)
        #expect(configuration.grants.count == 6)
        #expect(configuration.warnings.allSatisfy { $0.contains("ambiguous_grant") })
    }

    @Test(
        "refuses grants without what their route needs of bucket and key, and with what it does not know (R13)",
        arguments: [
            mistake(
                ", keyPrefix: \"photos/${caller.id}/\"", "", "grants.downloads",
                "needs key or keyPrefix; a grant for more"
            ).at("\"downloads\": {"),
            mistake("key: \"videos/intro.mp4\", ", "", "grants.videos", "needs key or keyPrefix; a grant for more")
                .at("\"videos\": {"),
            mistake("bucket: \"media\", keyPrefix: \"photos/\",", "", "grants.browse", "needs bucket and keyPrefix;")
                .at("\"browse\": {"),
            mistake(
                "bucket: \"media\", keyPrefix: \"photos/\",", "keyPrefix: \"photos/\",", "grants.browse",
                "needs bucket and keyPrefix; a grant for more needs unscoped: true"
            ).at("\"browse\": {"),
            mistake(
                "bucket: \"media\", keyPrefix: \"photos/\",", "bucket: \"media\",", "grants.browse",
                "needs bucket and keyPrefix;"
            ).at("\"browse\": {"),
            mistake(", keyPrefix: \"in/\"", "", "grants.objects", "needs bucket and key or keyPrefix")
                .at("\"objects\": {"),
            mistake(
                "domain: \"cdn.example.com\",", "domain: \"cdn.example.com\", ‸bucket: \"media\",",
                "grants.videos.bucket",
                "is not known"),
            mistake(
                "bucket: \"media\", keyPrefix: \"photos/\",", "bucket: \"media\", keyPrefix: \"photos/\", ‸key: \"a\",",
                "grants.browse.key", "is not known"),
            mistake(
                "scheme: \"http\",", "scheme: \"http\", ‸unscoped: true,", "grants.downloads.unscoped", "has a scope"),
            mistake(
                "unscoped: true,", "unscoped: true, bucket: \"media\",", "grants.everything.operations", "no bucket"
            )
            .at("operations: [\"buckets\""),
        ])
    func scopes(mistake: Mistake) throws { try mistake.check() }

    @Test(
        "refuses domains, endpoints and queries that no URL could have, or that would sign more than a URL",
        arguments: [
            domain(""), domain("https://media.example.com"), domain("Media.example.com"), domain("media.example.com/"),
            domain("media.example.com/a"), domain("user@media.example.com"), domain("media.example.com:80"),
            domain("media.example.com:0"), domain("media.example.com:65536"), domain("media.example.com:"),
            domain("a b.example.com"), domain("media.example.com?"), domain("media.example.com#"), domain("-a.example"),
            domain("中.example.com"), domain("media.example.com\\\\x"),
            mistake("domain: \"cdn.example.com\", ", "", "grants.videos", "needs domain").at("\"videos\": {"),
            mistake("scheme: \"http\"", "‸scheme: \"ftp\"", "grants.downloads.scheme", "\"https\" or \"http\""),
            endpoint("https://nos.example"), endpoint("nos.example/"), endpoint("NOS.example"),
            endpoint("nos.example:443"),
            host("https://rs.example"), host("rs.example/stat"), host("RS.example"), host("rs.example:443"),
            query("e=1"), query("token=x"), query("sign=x"), query("t=1"), query("a&e=1"), query("a;e=1"),
            query("a?e=1"),
            query("%65=1"), query("E=1"), query("a#b"), query("a b"), query("a%2"), query("a%zz"), query("中"),
            query("a\\\"b"), query("a|b"),
        ])
    func texts(mistake: Mistake) throws { try mistake.check() }

    private static func domain(_ text: String) -> Mistake {
        mistake(
            "domain: \"media.example.com:8080\"", "‸domain: \"\(text)\"", "grants.downloads.domain",
            text.isEmpty ? "empty" : "host in lower case")
    }

    private static func query(_ text: String) -> Mistake {
        mistake(
            "query: [\"imageView2/1/w/120\", \"attname=a%20b.pdf&v=1\"]", "‸query: [\"v=1\", \"\(text)\"]",
            "grants.downloads.query", "query")
    }

    private static func endpoint(_ text: String) -> Mistake {
        mistake(
            "endpoint: \"nos-eastchina1.126.net\"", "‸endpoint: \"\(text)\"", "credentials.nos.endpoint",
            "host in lower case")
    }

    private static func host(_ text: String) -> Mistake {
        mistake(
            "rs: \"rs.internal:8443\"", "‸rs: \"\(text)\"", "grants.browse.hosts.rs", "host in lower case")
    }

    @Test(
        "refuses credentials without what a route needs of them, once for each grant",
        arguments: [
            mistake("cdnKey: { env: \"CDN_KEY\" },", "", "grants.videos.credential", "is one without cdnKey")
                .at("credential: \"kodo\", callers: \"apiKey:app\",\n      domain: \"cdn"),
            mistake("cdnKey: { env: \"CDN_KEY\" }", "‸cdnKey: 7", "credentials.kodo.cdnKey", "{ env: \"NAME\" }"),
            mistake(
                "cdnKey: { env: \"CDN_KEY\" }", "cdnKey: { ‸env: \"NOT_SET\" }", "credentials.kodo.cdnKey.env",
                "NOT_SET is not set"),
            mistake(
                "endpoint: \"nos-eastchina1.126.net\"", "‸cdnKey: \"x\", endpoint: \"nos-eastchina1.126.net\"",
                "credentials.nos.cdnKey", "is not known"),
        ])
    func credentials(mistake: Mistake) throws { try mistake.check() }

    @Test func `every grant that needs an endpoint is named when there is none`() throws {
        let text = try #require(
            RequestMistakeTests.text.replacingOnce("endpoint: \"nos-eastchina1.126.net\",", with: ""))
        let problems = Sample.problems(in: text)
        #expect(problems.map(\.path) == ["grants.objects.credential", "grants.links.credential"])
        #expect(problems.allSatisfy { $0.reason.contains("is one without endpoint") })
    }

    @Test(
        "refuses operations, methods, sub-resources and headers that are never signed for callers (R15)",
        arguments: [
            operations("[]", "operations", "at least one"),
            operations("[\"list\", \"delete\"]", "operations", "must be of list, stat, buckets"),
            operations("\"List\"", "operations", "nothing else is signed"),
            operations("[\"list\", \"buckets\"]", "operations", "buckets needs unscoped: true, and no bucket"),
            methods("[]", "must be of GET, HEAD, PUT, DELETE, POST, at least one"),
            methods("[\"PATCH\"]", "must be of GET"),
            methods("[\"put\"]", "must be of GET"), methods("[\"PUT\", \"OPTIONS\"]", "must be of GET"),
            sub("[\"acl\"]", "must be of versionId, uploads, uploadId, partNumber; nothing else is signed"),
            sub("[\"delete\"]", "must be of"), sub("[\"deduplication\"]", "must be of"),
            sub("[\"versioning\"]", "must be of"),
            sub("[\"uploads\", \"Signature\"]", "must be of"), sub("[\"Expires\"]", "must be of"),
            sub("[\"NOSAccessKeyId\"]", "must be of"), sub("[\"UPLOADS\"]", "must be of"),
            sub("[\"x-nos-acl\"]", "must be of"),
            sub("[\"uploads\", \"versionId\"]", "versionId needs another method"),
            sub("[\"uploads\", \"partNumber\"]", "partNumber needs another method, or another name beside it"),
            headers("x-nos-acl"), headers("x-nos-copy-source"), headers("x-nos-move-source"),
            headers("x-nos-object-md5"),
            headers("x-nos-date"), headers("x-nos-token"), headers("authorization"), headers("date"), headers("host"),
            headers("x-nos-*"), headers("*"), headers("x-nos-meta-"), headers("X-Nos-Meta-*"), headers("x-nos-meta-A"),
            headers("x-nos-meta-a*b"), headers("x-nos-meta-a:b"), headers("x-nos-meta-a b"), headers("Content-Type"),
            mistake(
                ", query: [\"uploads\"]", "", "grants.objects.methods",
                "POST is signed only for what query does not name"
            )
            .at("methods: [\"PUT\", \"POST\"]"),
            mistake("methods: [\"PUT\", \"POST\"], ", "", "grants.objects", "needs methods").at("\"objects\": {"),
        ])
    func lists(mistake: Mistake) throws { try mistake.check() }

    private static func operations(_ list: String, _ field: String, _ word: String) -> Mistake {
        mistake("operations: [\"list\"]", "‸operations: \(list)", "grants.browse.\(field)", word)
    }

    private static func methods(_ list: String, _ word: String) -> Mistake {
        mistake("methods: [\"PUT\", \"POST\"]", "‸methods: \(list)", "grants.objects.methods", word)
    }

    private static func sub(_ list: String, _ word: String) -> Mistake {
        mistake("query: [\"uploads\"]", "‸query: \(list)", "grants.objects.query", word)
    }

    private static func headers(_ name: String) -> Mistake {
        mistake(
            "headers: [\"content-md5\", \"x-nos-meta-*\"]", "‸headers: [\"content-md5\", \"\(name)\"]",
            "grants.objects.headers", "must be of content-md5, content-type, x-nos-entity-type, x-nos-meta-*")
    }

    @Test(
        "refuses keys of its own that the CDN's signature would not hold together",
        arguments: [
            "videos/a", "videos/intro.mp41", "videos/2", "videos/b.jpge", "videos/intro.woff2", "videos/${uuid}",
            "videos/${date.dd}", "${caller.id}", "videos/${ext}/a", "videos/F",
        ])
    func keys(key: String) throws {
        try RequestMistakeTests.mistake(
            "key: \"videos/intro.mp4\"", "‸key: \"\(key)\"", "grants.videos.key", "must not end in a digit"
        ).check()
        let text = try #require(RequestMistakeTests.text.replacingOnce("videos/intro.mp4", with: key))
        let loose = try #require(
            text.replacingOnce(
                "neverExpires: false,\n    },\n    \"browse\"", with: "neverExpires: true,\n    },\n    \"browse\""))
        #expect(Sample.problems(in: loose).isEmpty)
    }

    @Test(arguments: [
        "videos/intro.jpg", "videos/intro.MP4", "videos/a.b.pdf", "videos/${uuid}.m3u8", "v/${uuid}.${ext}",
    ])
    func `takes keys of its own that it would`(key: String) throws {
        let text = try #require(RequestMistakeTests.text.replacingOnce("videos/intro.mp4", with: key))
        #expect(Sample.problems(in: text).isEmpty)
    }

    @Test(
        "refuses what a route has no use for",
        arguments: [
            mistake(
                "operations: [\"list\"]", "operations: [\"list\"], ‸lifetime: \"1h\"", "grants.browse.lifetime",
                "is not known"),
            mistake(
                "methods: [\"PUT\"", "‸lifetime: \"1h\", methods: [\"PUT\"", "grants.objects.lifetime", "is not known"),
            mistake(
                "scheme: \"http\"", "‸neverExpires: true, scheme: \"http\"", "grants.downloads.neverExpires",
                "is not known"),
            mistake("lifetime: \"5m\"", "‸lifetime: \"8d\"", "grants.links.lifetime", "from 1s to 7d"),
            mistake(
                "rs.internal:8443\" }, neverExpires: false",
                "rs.internal:8443\" }, neverExpires: true, ‸outliveCaller: true",
                "grants.browse.outliveCaller", "cannot stand beside neverExpires"),
            mistake(
                "methods: [\"GET\"]", "methods: [\"GET\"], ‸outliveCaller: true", "grants.links.outliveCaller",
                "is not known"),
            mistake("hosts: { rsf", "hosts: { ‸xyz: \"x\", rsf", "grants.browse.hosts.xyz", "there are rs, rsf, uc"),
            mistake(
                "bucket: \"files\", keyPrefix", "‸bucket: \"Files\", keyPrefix", "grants.objects.bucket",
                "3 to 63 of a-z 0-9 and -"),
            mistake(
                "bucket: \"files\", keyPrefix", "‸bucket: \"evil.example\", keyPrefix", "grants.objects.bucket",
                "part of a host's name"),
            mistake(
                "credential: \"kodo\", callers: \"apiKey:app\", unscoped",
                "‸credential: \"nos\", callers: \"apiKey:app\", unscoped", "grants.everything.credential",
                "needs one of qiniu"),
        ])
    func others(mistake: Mistake) throws { try mistake.check() }
}
