import Foundation

/// A configuration that tests serve with, and the secrets it needs.
struct Setup: Sendable {
    /// What shared services are told apart by.
    let name: String
    /// Members of `server` beside the listener and the transport.
    var server = ""
    var credentials = Setup.credentials
    /// Everything beside `version`, `server`, `credentials` and `log`.
    var rest: String
    /// The value of `server.listen`.
    var listen = #""127.0.0.1:0""#
    /// The members of `admin`.
    var admin = #"listen: "127.0.0.1:0""#
    /// Members of `log` beside the following.
    var log = ""
    var logLevel = "info"
    var logFormat = "text"
    /// Other files in the configuration's folder, by their names.
    var files: [String: String] = [:]
    /// The text of a whole configuration, for which all other texts here count for nothing.
    var whole: String?

    static let qiniuAccessKey = "e2e-qiniu-access-key"
    static let nosAccessKey = "e2e-nos-access-key"
    static let ossAccessKey = "e2e-oss-access-key"
    static let qiniuSecret = "qiniu-secret-of-the-end-to-end-tests"
    static let nosSecret = "nos-secret-of-the-end-to-end-tests"
    static let ossSecret = "oss-secret-of-the-end-to-end-tests"

    /// One secret is in the environment, one in a file, one in the configuration.
    static let environment = ["E2E_OSS_SECRET": ossSecret]

    static let credentials = """
        credentials: {
            "qiniu": { provider: "qiniu", accessKey: "\(qiniuAccessKey)", secretKey: { file: "secrets/qiniu" } },
            "nos": { provider: "nos", accessKey: "\(nosAccessKey)", secretKey: "\(nosSecret)" },
            "oss": { provider: "oss", accessKey: "\(ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" } },
          }
        """

    func text(_ transport: Transport) -> String {
        if let whole { return whole }
        let waiting = transport == .inProcess ? "" : "transport: \"\(transport.word)\","
        return """
            {
              version: 1,
              server: { listen: \(listen), \(waiting) \(server) },
              admin: { \(admin) },
              \(credentials),
              \(rest)
              log: { format: "\(logFormat)", level: "\(logLevel)", \(log) },
            }
            """
    }

    /// - Returns: the path of the configuration.
    func write(to folder: String, transport: Transport) throws -> String {
        let secrets = folder + "/secrets"
        // Others may write into no folder on the way to a secret, whatever the umask is.
        let mode = [FileAttributeKey.posixPermissions: 0o700]
        try FileManager.default.createDirectory(
            atPath: secrets, withIntermediateDirectories: true, attributes: mode)
        try Keeper.write(Setup.qiniuSecret + "\n", to: secrets + "/qiniu")
        for (name, text) in files {
            let path = folder + "/" + name
            let parent = URL(filePath: path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(
                atPath: parent, withIntermediateDirectories: true, attributes: mode)
            try Keeper.write(text, to: path)
        }
        return try Keeper.write(text(transport), to: folder + "/countersign.json5")
    }
}

// MARK: The set-ups that tests share

extension Setup {
    /// Callers who need no key, and two who have one.
    static let open = Setup(
        name: "open",
        rest: """
            authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)] },
              grants: {
                "photos": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "demo-media", keyPrefix: "photos/", domain: "media.example.com",
                  lifetime: "10m", maxLifetime: "1h", policy: { fsizeLimit: 10485760, mimeLimit: "image/*" },
                },
                "fixed": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "demo-media", key: "fixed/report.pdf", lifetime: "5m", overwrite: true,
                },
                "tuned": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "demo-media", keyPrefix: "tuned/", lifetime: "5m",
                  policy: { fsizeLimit: 5000, fsizeMin: 100, deleteAfterDays: 30, trafficLimit: 8388608, fileType: 1 },
                  choose: ["fsizeLimit", "fsizeMin", "deleteAfterDays", "trafficLimit"],
                },
                "tunedfree": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "demo-media", keyPrefix: "tunedfree/", choose: ["fsizeLimit", "deleteAfterDays"],
                },
                "twin": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "demo-media", keyPrefix: "photos/twin/", lifetime: "1m",
                },
                "hers": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"],
                  bucket: "demo-media", keyPrefix: "hers/",
                },
                "files": {
                  route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
                  bucket: "demo-files", unscoped: true, lifetime: "10m",
                },
                "replace": {
                  route: "nos.token", credential: "nos", callers: ["apiKey:alice"],
                  bucket: "demo-replace", keyPrefix: "r/", overwrite: true,
                  policy: { ObjectSizeMax: 1000, MimeLimit: "image/png" },
                },
                "objects": {
                  route: "oss.sign", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "demo/", methods: ["GET", "HEAD", "PUT"],
                  headers: ["x-oss-meta-*"], presign: "5m",
                },
                "u1": {
                  route: "oss.sign", credential: "oss", callers: ["apiKey:alice"],
                  bucket: "demo-bucket", keyPrefix: "u1/", methods: ["GET"],
                },
              },
            """)

    /// Nobody without a key; names, origins and other paths that are listed.
    static let closed = Setup(
        name: "closed",
        server: """
            hosts: ["t.example.com"], cors: { origins: ["https://app.example.com"] },
                aliases: { "/api/uptoken": "qiniu.uptoken" },
            """,
        rest: """
            authentication: {
                apiKeys: [
                  \(APIKey.alice.entry), \(APIKey.bob.entry), \(APIKey.upperAlice.entry), \(APIKey.dotted.entry),
                  \(APIKey.ended.entry), \(APIKey.ending.entry), \(APIKey.denied.entry), \(APIKey.aliceToo.entry),
                ],
                deny: ["apiKey:denied"],
              },
              grants: {
                "everybody": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"],
                  bucket: "closed-media", keyPrefix: "all/${caller.source}/", lifetime: "1h", maxLifetime: "2h",
                },
                "alice": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"],
                  bucket: "closed-media", keyPrefix: "users/${caller.id}/", policy: { endUser: "${caller.id}" },
                },
                "stamped": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:bob"],
                  bucket: "closed-media", key: "d/${date.yyyy}/${date.mm}/${date.dd}/${uuid}.${ext}",
                  extensions: ["jpg", "png"],
                },
                "numbered": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:bob"],
                  bucket: "closed-media", key: "n/${uuid}",
                },
                "signing": {
                  route: "oss.sign", credential: "oss", callers: ["apiKey:ending"],
                  bucket: "demo-bucket", keyPrefix: "demo/", methods: ["GET", "PUT"], presign: "2h",
                },
              },
            """)
}

// MARK: Sessions of a role

extension Setup {
    static let roleARN = "acs:ram::1234567890123456:role/demo-uploader"

    /// An STS account that the sandbox stands in for, and grants of it.
    static let sandbox = Setup(
        name: "sandbox", server: #"aliases: { "/sts/getsts": "distribute-token" },"#,
        credentials: """
            credentials: {
                "oss-sts": { \(RunningSandbox.credential), \(patient) },
              }
            """,
        rest: sessions)

    static let sandboxWithStatusInBody: Setup = {
        var setup = sandbox
        setup.server += " statusInBody: true,"
        return Setup(
            name: "sandbox with status in body", server: setup.server, credentials: setup.credentials, rest: setup.rest)
    }()

    /// For tests of what a vendor gives in the end: the machine may be busy with all the others.
    static let patient = #"limits: { patience: "20s", callTimeout: "30s", attemptTimeout: "20s" },"#

    /// The same grants of an account that is asked at these endpoints.
    static func vendor(_ name: String, _ endpoints: [String], _ fields: String = "", server: String = "") -> Setup {
        let list = endpoints.map { "\"\($0)\"" }.joined(separator: ", ")
        return Setup(
            name: name, server: server,
            credentials: """
                credentials: {
                    "oss-sts": { provider: "sts", accessKey: "LTAI5e2e", secretKey: "secret-of-the-end-to-end-tests",
                      roleArn: "\(roleARN)", endpoints: [\(list)], \(fields) },
                  }
                """,
            rest: sessions)
    }

    static let sessions = """
        authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry), \(APIKey.ending.entry)] },
          grants: {
            "app": {
              route: "distribute-token", credential: "oss-sts", callers: ["anonymous"], public: true,
              bucket: "demo-bucket", keyPrefix: "uploads/", actions: ["oss:PutObject"], maxLifetime: "2h",
            },
            "own": {
              route: "distribute-token", credential: "oss-sts", callers: ["apiKey:alice"],
              bucket: "demo-bucket", keyPrefix: "users/${caller.id}/", actions: ["oss:PutObject"], lifetime: "15m",
            },
            "everybody": {
              route: "distribute-token", credential: "oss-sts", callers: ["authenticated"],
              bucket: "demo-bucket", keyPrefix: "all/", actions: ["oss:PutObject"],
            },
            "outlive": {
              route: "distribute-token", credential: "oss-sts", callers: ["apiKey:ending"], outliveCaller: true,
              bucket: "demo-bucket", keyPrefix: "all/", actions: ["oss:GetObject"],
            },
            "shared": {
              route: "distribute-token", credential: "oss-sts", callers: ["authenticated"], shareAcrossCallers: true,
              bucket: "demo-bucket", keyPrefix: "shared/", actions: ["oss:GetObject"],
            },
          },
        """
}

/// An API key that the closed set-up knows.
struct APIKey: Sendable {
    let key: String
    let id: String
    var notAfter: Int64?

    /// The field that a client sends.
    var bearer: String { "Authorization: Bearer \(key)" }

    var entry: String {
        let end = notAfter.map { ", notAfter: \"\(iso8601($0))\"" } ?? ""
        return "{ id: \"\(id)\", sha256: \"\(Digests.hex(Digests.sha256(Array(key.utf8))))\"\(end) }"
    }

    static let alice = APIKey(key: "key-of-alice-0123456789", id: "alice")
    static let aliceToo = APIKey(key: "second-key-of-alice-0123456789", id: "alice")
    static let upperAlice = APIKey(key: "key-of-another-alice-0123456789", id: "Alice")
    static let bob = APIKey(key: "key-of-bob-0123456789", id: "bob")
    static let dotted = APIKey(key: "key-of-dotted-0123456789", id: "al.ice")
    static let ended = APIKey(key: "key-that-has-ended-0123456789", id: "ended", notAfter: now - 10)
    /// It ends in a quarter of an hour.
    static let ending = APIKey(key: "key-that-will-end-0123456789", id: "ending", notAfter: now + 900)
    static let denied = APIKey(key: "key-that-is-denied-0123456789", id: "denied")
}
