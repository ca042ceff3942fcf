import Testing

@testable import Configuration

/// Grants of OSS forms and of live channels.
@Suite(.timeLimit(.minutes(20)))
struct FormMistakeTests {
    private static let text: String = #"""
        {
          version: 1,
          credentials: {
            "oss": {
              provider: "oss", accessKey: "LTAI5", secretKey: { env: "QINIU_SECRET_KEY" },
              region: "cn-hangzhou", endpoint: "oss-cn-hangzhou.aliyuncs.com",
            },
          },
          authentication: { apiKeys: [{ id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" }] },
          grants: {
            "forms": {
              route: "oss.post-policy", credential: "oss", callers: "apiKey:app", bucket: "media", keyPrefix: "in/${caller.id}/",
              minSize: "1KiB", maxSize: "1MiB", contentTypes: ["image/png", "image/svg+xml"], lifetime: "10m", overwrite: false,
              callback: {
                callbackUrl: "https://a.example/x;http://b.example", callbackHost: "a.example", callbackSNI: true,
                callbackBody: "{\"object\":${object},\"by\":${x:by}}", callbackBodyType: "application/json",
              },
            },
            "one": {
              route: "oss.post-policy", credential: "oss", callers: "apiKey:app", bucket: "media", key: "in/${uuid}",
              maxSize: 5368709120,
            },
            "live": {
              route: "oss.rtmp-url", credential: "oss", callers: "apiKey:app", bucket: "media", channel: "stage-1",
              lifetime: "5m",
            },
          },
        }
        """#

    private static func mistake(_ old: String, _ new: String, _ path: String, _ word: String) -> Mistake {
        Mistake(old, new, path, word, in: text)
    }

    @Test func `what the mistakes are made in is right`() throws {
        let configuration = try Sample.load(FormMistakeTests.text)
        #expect(configuration.grants.count == 3)
        #expect(configuration.warnings.count == 1)
    }

    @Test func `what OSS cannot hold a form to is warned of`() throws {
        func warnings(_ old: String, _ new: String) throws -> [String] {
            try Sample.load(try #require(FormMistakeTests.text.replacingOnce(old, with: new))).warnings
        }
        let callback = "grants.one: callback: a client may have OSS call an address of its choice"
        let acl = "grants.one: ACL: a form may publish what it uploads"
        let plain = try warnings("maxSize: 5368709120", "maxSize: 1")
        #expect(plain.count == 1 && plain[0].hasPrefix(callback))
        let open = try warnings("maxSize: 5368709120", "maxSize: 1, objectAcl: \"any\"")
        #expect(open.count == 2 && open[0].hasPrefix(acl) && open[1].hasPrefix(callback))
        let pinned = try warnings(
            "maxSize: 5368709120", "maxSize: 1, callback: { callbackUrl: \"https://a.example\", callbackBody: \"x\" }")
        #expect(pinned.isEmpty)
    }

    @Test func `every grant that needs a region is named when there is none`() throws {
        let text = try #require(FormMistakeTests.text.replacingOnce("region: \"cn-hangzhou\",", with: ""))
        let problems = Sample.problems(in: text)
        #expect(
            problems.map(\.path) == ["grants.forms.credential", "grants.one.credential", "grants.live.credential"])
        #expect(problems.allSatisfy { $0.reason.contains("is one without region") })
    }

    @Test(
        "refuses forms that OSS would refuse, or that would hold nobody to what the grant says (R18)",
        arguments: [
            mistake("maxSize: \"1MiB\", ", "", "grants.forms", "needs maxSize").at("\"forms\": {"),
            mistake(
                "maxSize: 5368709120", "maxSize: 1, ‸objectAcl: \"public\"", "grants.one.objectAcl", "public-read"),
            size("0"), size("-1"), size("5368709121"), size("\"6GiB\""), size("\"1MB\""), size("true"), size("1.5"),
            mistake("minSize: \"1KiB\"", "‸minSize: \"2MiB\"", "grants.forms.minSize", "not be greater than maxSize"),
            mistake("minSize: \"1KiB\"", "‸minSize: -1", "grants.forms.minSize", "from 0B to 5GiB"),
            types("[]", "at least one"), types("\"image/*\"", "without * and parameters"),
            types("[\"image/png\", \"*/*\"]", "without *"), types("\"image\"", "such as image/png"),
            types("\"image/\"", "such as"), types("\"/png\"", "such as"), types("\"image/png; q=1\"", "parameters"),
            types("\"image/png,text/html\"", "such as"), types("\"a/b/c\"", "such as"),
            types("\"image/pñg\"", "such as"),
            mistake("overwrite: false", "‸overwrite: \"no\"", "grants.forms.overwrite", "must be true or false"),
            mistake("overwrite: false", "‸acl: \"private\"", "grants.forms.acl", "is not known"),
            mistake("overwrite: false", "‸policy: {}", "grants.forms.policy", "is not known"),
            mistake("overwrite: false", "‸unenforced: [\"maxSize\"]", "grants.forms.unenforced", "is not known"),
            mistake("lifetime: \"10m\"", "‸lifetime: \"8d\"", "grants.forms.lifetime", "from 1s to 7d"),
            mistake(
                "bucket: \"media\", keyPrefix", "‸bucket: \"Media\", keyPrefix", "grants.forms.bucket", "as OSS has"),
            mistake(
                "bucket: \"media\", keyPrefix", "‸bucket: \"a.example\", keyPrefix", "grants.forms.bucket",
                "3 to 63 of a-z 0-9 and -"),
            mistake(
                "in/${caller.id}/", "in/${filename}/", "grants.forms.keyPrefix", "${filename} is not known"
            )
            .at("keyPrefix: \"in/${filename}/\""),
            mistake("\"in/${caller.id}/\"", "\"in\"", "grants.forms.keyPrefix", "must end in /").at(
                "keyPrefix: \"in\""),
            mistake(", keyPrefix: \"in/${caller.id}/\"", "", "grants.forms", "needs bucket and key or keyPrefix")
                .at("\"forms\": {"),
        ])
    func forms(mistake: Mistake) throws { try mistake.check() }

    private static func size(_ value: String) -> Mistake {
        mistake("maxSize: \"1MiB\"", "‸maxSize: \(value)", "grants.forms.maxSize", "from 1B to 5GiB")
    }

    private static func types(_ list: String, _ word: String) -> Mistake {
        mistake(
            "contentTypes: [\"image/png\", \"image/svg+xml\"]", "‸contentTypes: \(list)", "grants.forms.contentTypes",
            word)
    }

    @Test(
        "refuses callbacks that OSS would not make",
        arguments: [
            url(""), url("ftp://a.example"), url("a.example/x"), url("http://"), url("https://a b.example"),
            url("https://a.example;"), url("https://a.example;;https://b.example"), url("https://ä.example"),
            url("http://1;http://2;http://3;http://4;http://5;http://6"),
            mistake(
                "callbackUrl: \"https://a.example/x;http://b.example\", ", "", "grants.forms.callback",
                "needs callbackUrl"
            ).at("callback: {"),
            mistake("callbackSNI: true", "‸callbackSNI: 1", "grants.forms.callback.callbackSNI", "true or false"),
            mistake("callbackSNI: true", "‸callbackVar: \"x\"", "grants.forms.callback.callbackVar", "is not known"),
            mistake(
                "callbackBodyType: \"application/json\"", "‸callbackBodyType: \"text/plain\"",
                "grants.forms.callback.callbackBodyType", "must be"),
            mistake(
                "callbackHost: \"a.example\"", "‸callbackHost: \"${caller.id}\"", "grants.forms.callback.callbackHost",
                "nothing is filled in"),
            body("u=${caller.id}", "has ${caller.id}, which OSS does not know"),
            body("u=${caller.id}", "endUser: \"${caller.id}\" with ${x:enduser}"),
            body("u=${claims.sub}&o=${object}", "has ${claims.sub}"), body("o=${Object}", "has ${Object}"),
            body("o=${object", "has ${ without }"), body("u=${x:}", "has ${x:}"), body("u=${x:a b}", "has ${x:a b}"),
            body("u=${}", "has ${}"), body("u=${x:enduser}", "needs endUser"),
            endUser("u=${x:user}", "${caller.id}", "needs ${x:enduser} in callbackBody"),
            endUser("u=${x:enduser}", "${caller.id}.${ext}", "must not use ${ext}"),
            endUser("u=${x:enduser}", "${object}", "${object} is not known"),
            endUser("u=${x:enduser}", "${claims.sub}", "only callers jwt:ID have any"),
        ])
    func callbacks(mistake: Mistake) throws { try mistake.check() }

    /// A callback with this body.
    private static func body(_ text: String, _ word: String) -> Mistake {
        mistake(
            "maxSize: 5368709120", "maxSize: 1, callback: { callbackUrl: \"http://a\", ‸callbackBody: \"\(text)\" }",
            "grants.one.callback.callbackBody", word)
    }

    /// A callback with this body, and this name of who uploads.
    private static func endUser(_ body: String, _ name: String, _ word: String) -> Mistake {
        mistake(
            "maxSize: 5368709120",
            "maxSize: 1, callback: { callbackUrl: \"http://a\", callbackBody: \"\(body)\", ‸endUser: \"\(name)\" }",
            "grants.one.callback.endUser", word)
    }

    private static func url(_ text: String) -> Mistake {
        mistake(
            "callbackUrl: \"https://a.example/x;http://b.example\"", "‸callbackUrl: \"\(text)\"",
            "grants.forms.callback.callbackUrl", text.isEmpty ? "must not be empty" : "up to five URLs")
    }

    @Test(
        "refuses channels that could not stand in a URL, and what a route has no use for",
        arguments: [
            channel("a/b"), channel("a b"), channel(".."), channel("."), channel("ä"), channel("a?b"), channel("a%2F"),
            channel("live-${caller.id}/x"), channel("live ${caller.id}"),
            template("live-${ext}", "must not use ${ext}"), template("live-${uuid}", "must be there already"),
            template("live-${user}", "${user} is not known"),
            template("${caller.id}${caller.source}", "nothing that tells them apart"),
            template("live-${claims.sub}", "only callers jwt:ID have any"),
            mistake(
                "callers: \"apiKey:app\", bucket: \"media\", channel: \"stage-1\"",
                "callers: \"authenticated\", bucket: \"media\", ‸channel: \"live-${caller.id}\"", "grants.live.channel",
                "must have ${caller.source}"),
            mistake("channel: \"stage-1\",", "", "grants.live", "needs channel").at("\"live\": {"),
            mistake("channel: \"stage-1\"", "channel: \"stage-1\", ‸key: \"a\"", "grants.live.key", "is not known"),
            mistake(
                "channel: \"stage-1\"", "channel: \"stage-1\", ‸playlist: \"a\"", "grants.live.playlist", "is not known"
            ),
            mistake("lifetime: \"5m\"", "‸lifetime: \"8d\"", "grants.live.lifetime", "from 1s to 7d"),
            mistake(
                "bucket: \"media\", channel", "‸bucket: \"a_b\", channel", "grants.live.bucket",
                "3 to 63 of a-z 0-9 and -"),
            mistake("bucket: \"media\", channel", "channel", "grants.live", "needs bucket; a grant for more")
                .at("\"live\": {"),
        ])
    func streams(mistake: Mistake) throws { try mistake.check() }

    private static func channel(_ name: String) -> Mistake {
        mistake("channel: \"stage-1\"", "‸channel: \"\(name)\"", "grants.live.channel", "must be of a-z A-Z 0-9")
    }

    private static func template(_ text: String, _ word: String) -> Mistake {
        mistake("channel: \"stage-1\"", "‸channel: \"\(text)\"", "grants.live.channel", word)
    }

    @Test(arguments: [
        "live-${caller.id}", "${caller.source}.${caller.id}", "${date.yyyy}~${caller.id}", "${caller.id}",
    ])
    func `a channel may name the caller`(channel: String) throws {
        let text = try #require(FormMistakeTests.text.replacingOnce("\"stage-1\"", with: "\"\(channel)\""))
        #expect(try Sample.load(text).grants.count == 3)
    }

    @Test(arguments: [
        "bucket=${bucket}&object=${object}&etag=${etag}&size=${size}&mimeType=${mimeType}&crc64=${crc64}",
        "h=${imageInfo.height}&w=${imageInfo.width}&f=${imageInfo.format}&md5=${contentMd5}&vpc=${vpcId}",
        "ip=${clientIp}&id=${reqId}&op=${operation}&by=${x:by}&v=${x:my_var}", "plain", "a=$b&c=$",
    ])
    func `a callback may have every variable of OSS's`(body: String) throws {
        let text = try #require(
            FormMistakeTests.text.replacingOnce(
                "maxSize: 5368709120",
                with: "maxSize: 1, callback: { callbackUrl: \"http://a\", callbackBody: \"\(body)\" }"))
        #expect(try Sample.load(text).grants.count == 3)
    }
}
