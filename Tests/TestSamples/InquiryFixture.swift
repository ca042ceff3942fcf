import Bytes
import Machine

@testable import Access
@testable import Configuration
@testable import Gateway

/// A configuration with grants of every kind that is signed here, and what is asked of it. No vendor of it is asked over TLS: each
/// service of a test would read whom the system trusts, which takes 40 ms.
enum InquiryFixture {
    static let text = #"""
        { version: 1, server: { hosts: ["t.example.com"] },
          credentials: {
            kodo: { provider: "qiniu", accessKey: "AK-kodo", secretKey: { env: "SK" }, cdnKey: "cdn-key-of-the-tests" },
            nos: { provider: "nos", accessKey: "AK-nos", secretKey: { env: "SK" }, endpoint: "nos.example.com" },
            oss: { provider: "oss", accessKey: "AK-oss", secretKey: { env: "SK" }, region: "cn-hangzhou" },
            sts: { provider: "sts", accessKey: "LTAI5tests", secretKey: { env: "SK" },
              roleArn: "acs:ram::1234567890123456:role/app", endpoints: ["http://127.0.0.1:9"] },
          },
          authentication: {
            apiKeys: [{ id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" }],
            jwt: [{ id: "login", issuer: "i", audience: "a", algorithms: "HS256", secret: { env: "LONG" } }],
            tickets: { secret: { env: "LONG" } }, deny: ["jwt:login/mallory"],
          },
          grants: {
            avatars: { route: "qiniu.uptoken", credential: "kodo", callers: ["jwt:login"], bucket: "media",
              where: { "claims.scope": ["upload"] }, key: "avatars/${caller.id}/me.${ext}", extensions: ["png"],
              lifetime: "10m", maxLifetime: "1h", policy: { fsizeLimit: 5000 }, choose: "fsizeLimit" },
            photos: { route: "qiniu.uptoken", credential: "kodo", callers: ["authenticated"], bucket: "media",
              keyPrefix: "photos/" },
            twins: { route: "qiniu.uptoken", credential: "kodo", callers: ["apiKey:app"], bucket: "media",
              keyPrefix: "photos/twins/" },
            open: { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true, bucket: "files",
              keyPrefix: "in/" },
            down: { route: "qiniu.download-url", credential: "kodo", callers: ["apiKey:app"], domain: "d.example.com",
              keyPrefix: "photos/" },
            cdn: { route: "qiniu.cdn-url", credential: "kodo", callers: ["apiKey:app"], domain: "d.example.com",
              keyPrefix: "photos/" },
            stat: { route: "qiniu.authorization", credential: "kodo", callers: ["apiKey:app"], bucket: "media",
              keyPrefix: "photos/" },
            list: { route: "qiniu.files", credential: "kodo", callers: ["apiKey:app"], bucket: "media",
              keyPrefix: "photos/", hosts: { rsf: ["http://127.0.0.1:9"] } },
            files: { route: "nos.files", credential: "nos", callers: ["apiKey:app"], bucket: "files", keyPrefix: "in/" },
            request: { route: "nos.authorization", credential: "nos", callers: ["apiKey:app"], bucket: "files",
              keyPrefix: "in/", methods: "PUT" },
            link: { route: "oss.presigned-url", credential: "oss", callers: ["apiKey:app"], bucket: "bucket-one",
              keyPrefix: "in/", methods: ["GET", "PUT"] },
            form: { route: "oss.post-policy", credential: "oss", callers: ["apiKey:app"], bucket: "bucket-one",
              keyPrefix: "in/", maxSize: "1MiB" },
            stream: { route: "oss.rtmp-url", credential: "oss", callers: ["apiKey:app"], bucket: "bucket-one",
              channel: "stage" },
            sign: { route: "oss.sign", credential: "oss", callers: ["apiKey:app"], bucket: "bucket-one",
              keyPrefix: "in/", methods: "PUT" },
            session: { route: "distribute-token", credential: "sts", callers: ["jwt:login"], bucket: "bucket-one",
              keyPrefix: "u/${caller.id}/", actions: ["oss:PutObject"] },
          },
          policyTests: [],
        }
        """#

    /// Its secrets; none of them may ever be seen.
    static let secrets = ["a-secret-of-the-tests-that-is-long-enough", "cdn-key-of-the-tests"]

    /// - Parameter end: of the API key; nil where it has none.
    static func configuration(testing tests: String = "", ending end: String? = nil) throws -> Configuration {
        let notAfter = end.map { "{ id: \"app\", notAfter: \"\($0)\"," } ?? "{ id: \"app\","
        let text = text.replacing("policyTests: []", with: "policyTests: [\(tests)]")
            .replacing("{ id: \"app\",", with: notAfter)
        return try Configuration.load(
            "/etc/inquiry.json5",
            in: Environment(
                variable: { _ in secrets[0] },
                file: { _ in ReadFile(bytes: Array(text.utf8), isWorldReadable: false) }))
    }

    /// - Parameter claims: a JSON object.
    static func inquiry(
        _ caller: String, _ route: String, _ parameters: [(String, String)] = [], claims: String = "{}",
        grant: String? = nil, at time: Int64 = 1_795_158_947
    ) throws -> Inquiry {
        var body = ByteWriter()
        body.append(json: try JSONReader.read(Array(claims.utf8), as: .json))
        let text =
            "{\"caller\":\"\(caller)\",\"route\":\"\(route)\",\"claims\":\(body.array.text)"
            + (grant.map { ",\"grant\":\"\($0)\"" } ?? "") + "}"
        let read = try Inquiry(reading: Array(text.utf8).span, maximumDepth: 32, at: time)
        return Inquiry(
            caller: read.caller, claims: read.claims, route: read.route, grant: read.grant,
            parameters: .list(parameters.map { (Array($0.0.utf8), Array($0.1.utf8)) }), time: time)
    }
}
