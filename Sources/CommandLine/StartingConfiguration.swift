import Bytes
import Crypto
import Machine

/// `countersign init`: a configuration to begin with. It holds no secret; it says where each is read from.
enum StartingConfiguration {
    static func write(to path: String) -> CommandLineTool.Exit {
        do throws(CryptoError) {
            let (key, digest) = try KeyMaking.make()
            if let fault = NewFile.make(Array(text(digest: digest.text).utf8), at: path) {
                Terminal.complain("countersign init: \(path.visible) \(fault)")
                return .failed
            }
            Terminal.say("\(path.visible) is written. The API key of the caller \"app\", shown only now: \(key.text)")
            let variables = "QINIU_SECRET_KEY, NOS_SECRET_KEY, OSS_SECRET_KEY and STS_SECRET_KEY"
            Terminal.say("Put your buckets in, set \(variables), then: countersign check --config \(path.visible)")
            return .done
        } catch {
            Terminal.complain("countersign init: \(error)")
            return .failed
        }
    }

    /// - Parameter digest: the SHA-256 of the API key that the caller `app` gets.
    static func text(digest: String) -> String {
        """
        // The configuration of Countersign: JSON5, so comments and trailing commas are welcome.
        // `countersign check` says everything that is wrong with it; unknown keys are errors. Every key: config/README.md.
        {
          version: 1,

          server: {
            // host:port or [v6]:port. Off loopback it needs TLS in front, and `plaintext: true` to say that it has it.
            listen: "127.0.0.1:8080",
            // The names that clients call the service by; localhost and the address itself always count on loopback.
            hosts: [],
            // Web pages that may ask, such as "https://app.example.com".
            cors: { origins: [] },
          },

          // Where the service tells about itself, to programs on this machine: /livez, /readyz. Elsewhere it needs `auth`.
          admin: { listen: "127.0.0.1:8081" },

          // The vendors' keys, which no client ever sees. A secret is { env: "NAME" }, { file: "PATH" } or a string;
          // files with secrets must not be readable by everybody.
          credentials: {
            "qiniu": { provider: "qiniu", accessKey: "YOUR-ACCESS-KEY", secretKey: { env: "QINIU_SECRET_KEY" } },
            "nos": {
              provider: "nos", accessKey: "YOUR-ACCESS-KEY", secretKey: { env: "NOS_SECRET_KEY" },
              endpoint: "nos-eastchina1.126.net",
            },
            "oss": {
              provider: "oss", accessKey: "YOUR-ACCESS-KEY", secretKey: { env: "OSS_SECRET_KEY" },
              region: "cn-hangzhou",
            },
            // Alibaba's STS: the key of a RAM user who may do nothing but assume this role.
            "oss-sts": {
              provider: "sts", accessKey: "YOUR-ACCESS-KEY", secretKey: { env: "STS_SECRET_KEY" },
              roleArn: "acs:ram::1234567890123456:role/uploader", region: "cn-hangzhou",
            },
          },

          authentication: {
            // `countersign hash-key` makes more of these. Clients send: Authorization: Bearer <key>
            apiKeys: [{ id: "app", sha256: "\(digest)" }],
            // Users of your identity provider ask by their tokens, as the callers "jwt:login":
            // jwt: [{
            //   id: "login", issuer: "https://id.example.com", audience: "uploads", algorithms: ["RS256"],
            //   jwksUrl: "https://id.example.com/.well-known/jwks.json",
            // }],
            // SDKs that can send no header ask by tickets in URLs:
            // tickets: { secret: { env: "TICKET_SECRET" }, maxLifetime: "1h" },
          },

          // Who may have what. Nothing that is not granted here is issued.
          grants: {
            // Uploads to Qiniu below photos/app/, images of at most 5 MiB, for ten minutes; nothing is overwritten.
            "photos": {
              route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:app"],
              bucket: "media", keyPrefix: "photos/${caller.id}/",
              lifetime: "10m", maxLifetime: "1h",
              policy: { fsizeLimit: 5242880, mimeLimit: "image/jpeg;image/png" },
            },
            // Downloads of the same from the bucket's private domain.
            "pictures": {
              route: "qiniu.download-url", credential: "qiniu", callers: ["apiKey:app"],
              domain: "media.example.com", keyPrefix: "photos/${caller.id}/", lifetime: "10m",
            },
            // What is there: asked of Kodo by the service, and cut to the prefix.
            "listing": {
              route: "qiniu.files", credential: "qiniu", callers: ["apiKey:app"],
              bucket: "media", keyPrefix: "photos/${caller.id}/",
            },
            // Uploads of single objects to NetEase NOS.
            "files": {
              route: "nos.token", credential: "nos", callers: ["apiKey:app"],
              bucket: "files", keyPrefix: "inbox/${caller.id}/", lifetime: "10m",
            },
            // URLs to download them by.
            "links": {
              route: "nos.presigned-url", credential: "nos", callers: ["apiKey:app"],
              bucket: "files", keyPrefix: "inbox/${caller.id}/", methods: ["GET"], lifetime: "10m",
            },
            // Signatures over strings that clients of Alibaba OSS put together, after they have been read.
            "oss-sign": {
              route: "oss.sign", credential: "oss", callers: ["apiKey:app"],
              bucket: "examplebucket", keyPrefix: "users/${caller.id}/",
              methods: ["GET", "PUT"], headers: ["x-oss-meta-*"], presign: "5m",
            },
            // Requests to OSS and URLs for it that are made and signed here, ready to send.
            "oss-requests": {
              route: "oss.authorization", credential: "oss", callers: ["apiKey:app"],
              bucket: "examplebucket", keyPrefix: "users/${caller.id}/", methods: ["GET", "PUT"],
            },
            "oss-links": {
              route: "oss.presigned-url", credential: "oss", callers: ["apiKey:app"],
              bucket: "examplebucket", keyPrefix: "users/${caller.id}/", methods: ["GET"], lifetime: "10m",
            },
            // Forms by which web pages upload images of at most 5 MiB.
            "oss-forms": {
              route: "oss.post-policy", credential: "oss", callers: ["apiKey:app"],
              bucket: "examplebucket", keyPrefix: "forms/${caller.id}/",
              maxSize: "5MiB", contentTypes: ["image/jpeg", "image/png"], lifetime: "10m",
            },
            // Temporary keys of Alibaba's own for uploads below users/app/, as its SDKs fetch them.
            "oss-sts": {
              route: "distribute-token", credential: "oss-sts", callers: ["apiKey:app"],
              bucket: "examplebucket", keyPrefix: "users/${caller.id}/", lifetime: "15m", maxLifetime: "1h",
              actions: ["oss:PutObject", "oss:AbortMultipartUpload", "oss:ListParts"],
            },
          },

          // What must come of the grants: `countersign check` tries it, and the service does not start where it fails.
          // `countersign explain` says why somebody gets something, or does not.
          policyTests: [
            {
              caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/app/a.jpg" },
              expect: "allow", gives: { grant: "photos", key: "photos/app/a.jpg", lifetime: "10m" },
            },
            { caller: "apiKey:app", route: "qiniu.uptoken", parameters: { key: "photos/other/a.jpg" }, expect: "deny" },
            { caller: "anonymous", route: "qiniu.uptoken", expect: "unauthenticated" },
          ],

          log: { level: "info", format: "text" },
        }

        """
    }
}
