import Machine
import Testing

@testable import Configuration

/// What is well formed and cannot be meant.
@Suite struct LikelihoodTests {
    @Test(arguments: [
        Mistake(
            "bucket: \"app-objects\"", "‸bucket: \"Example_Bucket\"", "grants.sign.bucket", "as OSS has them"),
        Mistake(
            "keyPrefix: \"users/${caller.source}/\"", "‸keyPrefix: \"u?/${caller.source}/\"", "grants.sign.keyPrefix",
            "must not contain ?"),
        Mistake(
            "callbackBody: \"key=$(key)\"", "‸callbackBody: \"uid=${caller.id}\"",
            "grants.photos.policy.callbackBody", "nothing is filled in"),
        Mistake("domain: \"media.", "‸domain: \"${caller.id}.", "grants.photos.domain", "nothing is filled in"),
        Mistake(
            "saveKey: \"shared/$(etag)\"", "‸saveKey: \"shared/../$(etag)\"", "grants.shared.policy.saveKey",
            "segments"),
        Mistake("\"/sign\": \"oss", "‸\"/a{b}\": \"oss", "server.aliases[\"/a{b}\"]", "characters that paths have"),
        Mistake("\"[::1]:8080\"]", "‸\"localhost:8080\"]", "server.listen[1]", "listened on already"),
    ])
    func `refuses what could never work as it reads`(mistake: Mistake) throws {
        try mistake.check()
    }

    @Test func `a file that everybody can change is refused, a configuration as well as a secret`() throws {
        let open = Sample.file("secret-text", isWorldWritable: true)
        let text = """
            { version: 1, credentials: { n: { provider: "nos", accessKey: "AK", secretKey: { file: "/k" } } }, grants: {} }
            """
        for isConfiguration in [true, false] {
            let environment = Environment(
                variable: { _ in nil },
                file: { path in
                    if path == "/k" {
                        return isConfiguration ? ReadFile(bytes: open.bytes, isWorldReadable: false) : open
                    }
                    return Sample.file(text, isWorldWritable: isConfiguration)
                })
            do throws(ConfigurationError) {
                _ = try Configuration.load("/c.json5", in: environment)
                Issue.record("it was taken")
            } catch {
                #expect(error.problems.map(\.path) == [isConfiguration ? "" : "credentials.n.secretKey.file"])
                #expect(error.problems.first?.reason.contains("can change") == true)
            }
        }
    }

    @Test func `types that no client sends are a warning, which says what they are called`() throws {
        let common = "callers: ['anonymous'], public: true, bucket: 'media-files'"
        let text = """
            { version: 1,
              credentials: {
                q: { provider: "qiniu", accessKey: "AK", secretKey: { env: "QINIU_SECRET_KEY" } },
                o: { provider: "oss", accessKey: "AK", secretKey: { env: "QINIU_SECRET_KEY" }, region: "cn-hangzhou" } },
              grants: {
                a: { route: "qiniu.uptoken", credential: "q", \(common), keyPrefix: "a/",
                  policy: { mimeLimit: "!image/jpg;image/gif;image/svg" } },
                b: { route: "oss.post-policy", credential: "o", \(common), keyPrefix: "b/", maxSize: 1,
                  contentTypes: ["image/jpg", "image/png"] },
                c: { route: "oss.presigned-url", credential: "o", \(common), keyPrefix: "c/", methods: "PUT",
                  contentTypes: "video/mov" },
                d: { route: "oss.presigned-url", credential: "o", \(common), keyPrefix: "d/", methods: "PUT",
                  contentTypes: ["image/*", "image/jpeg"] } } }
            """
        #expect(
            try Sample.load(text).warnings.filter { $0.contains("no client sends") } == [
                "grants.a: policy.mimeLimit: no client sends this type: image/jpg is image/jpeg, image/svg is image/svg+xml",
                "grants.b: contentTypes: no client sends this type: image/jpg is image/jpeg",
                "grants.c: contentTypes: no client sends this type: video/mov is video/quicktime",
            ])
    }

    @Test func `what nobody can use is a warning`() throws {
        let text = """
            { version: 1, server: { listen: "0.0.0.0:1", plaintext: true },
              credentials: {
                q: { provider: "qiniu", accessKey: "AK", secretKey: { env: "QINIU_SECRET_KEY" } },
                n: { provider: "nos", accessKey: "AK", secretKey: { env: "QINIU_SECRET_KEY" } } },
              grants: {
                a: { route: "qiniu.uptoken", credential: "q", callers: ["authenticated"], bucket: "b", keyPrefix: "p/" },
                b: { route: "qiniu.uptoken", credential: "q", callers: ["anonymous"], public: true, bucket: "b", key: "k" } } }
            """
        let warnings = try Sample.load(text).warnings
        #expect(warnings.count == 4)
        #expect(warnings.contains { $0.hasPrefix("grants.a: nobody can use it") })
        #expect(warnings.contains { $0 == "credentials.n: no grant uses it" })
        #expect(warnings.contains { $0.hasPrefix("server.hosts: is empty") })
        #expect(warnings.contains { $0.hasPrefix("audit: is missing") })
    }

    @Test(arguments: [
        ("publicURL: \"https://t.example.com/gate\"", true),
        ("publicURL: \"http://t.example.com:8443\", hosts: \"other.example.com\"", true),
        ("publicURL: \"https://t.example.com\", listen: \"unix:/run/t.sock\", hosts: \"other.example.com\"", true),
        ("publicURL: \"https://t.example.com\", hosts: \"T.example.com\"", false),
        ("publicURL: \"https://t.example.com\", hosts: \"*\"", false),
        ("publicURL: \"http://localhost:8080\"", false), ("publicURL: \"http://127.0.0.1:8080\"", false),
        ("publicURL: \"https://t.example.com\", listen: \"unix:/run/t.sock\"", false), ("hosts: \"a.example\"", false),
    ])
    func `a public URL whose host gets 421 is a warning`(server: String, isWarned: Bool) throws {
        let warnings = try Sample.load("{ version: 1, server: { \(server) }, credentials: {}, grants: {} }").warnings
        #expect(warnings.contains { $0.hasPrefix("server.publicURL: its host t.example.com is not in") } == isWarned)
    }

    @Test(arguments: [
        ("listen: \"0.0.0.0:1\", plaintext: true", true),
        ("listen: \"0.0.0.0:1\", plaintext: true, publicURL: \"http://t.example.com\"", true),
        ("listen: \"0.0.0.0:1\", plaintext: true, publicURL: \"https://t.example.com\"", false),
        ("listen: [\"127.0.0.1:1\", \"10.0.0.7:1\"], plaintext: true", true),
        ("listen: \"127.0.0.1:1\"", false), ("listen: \"unix:/run/t.sock\"", false),
        (
            "listen: \"0.0.0.0:1\", tls: { certificates: [{ names: \"localhost\", certificateFile: \"tls.pem\", keyFile: \"tls.key\" }] }",
            false
        ),
    ])
    func `tickets over plain HTTP off loopback are a warning`(server: String, isWarned: Bool) throws {
        func warnings(_ tickets: String) throws -> [String] {
            try Sample.load(
                """
                { version: 1, server: { \(server), hosts: "t.example.com" }, credentials: {}, grants: {},
                  authentication: { \(tickets) } }
                """
            ).warnings.filter { $0.hasPrefix("authentication.tickets: tickets are sent over plain HTTP") }
        }
        #expect(try warnings("tickets: { secret: { env: \"TOKEN_SECRET\" } }").count == (isWarned ? 1 : 0))
        #expect(try warnings("").isEmpty)
    }
}
