import Bytes
import Crypto

/// `countersign init`: a configuration to begin with. It holds no secret; it says where each is read from.
enum StartingConfiguration {
    static func write(to path: String) -> CommandLineTool.Exit {
        do throws(CryptoError) {
            let (key, digest) = try KeyMaking.make()
            if let fault = NewFile.make(Array(text(digest: digest.text).utf8), at: path) {
                Terminal.complain("countersign init: \(path) \(fault)")
                return .failed
            }
            Terminal.say("\(path) is written. The API key of the caller \"app\", shown only now: \(key.text)")
            let variables = "QINIU_SECRET_KEY, NOS_SECRET_KEY, OSS_SECRET_KEY and STS_SECRET_KEY"
            Terminal.say("Put your buckets in, set \(variables), then: countersign check --config \(path)")
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
            "nos": { provider: "nos", accessKey: "YOUR-ACCESS-KEY", secretKey: { env: "NOS_SECRET_KEY" } },
            "oss": { provider: "oss", accessKey: "YOUR-ACCESS-KEY", secretKey: { env: "OSS_SECRET_KEY" } },
            // Alibaba's STS: the key of a RAM user who may do nothing but assume this role.
            "oss-sts": {
              provider: "sts", accessKey: "YOUR-ACCESS-KEY", secretKey: { env: "STS_SECRET_KEY" },
              roleArn: "acs:ram::1234567890123456:role/uploader", region: "cn-hangzhou",
            },
          },

          authentication: {
            // `countersign hash-key` makes more of these. Clients send: Authorization: Bearer <key>
            apiKeys: [{ id: "app", sha256: "\(digest)" }],
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
            // Uploads of single objects to NetEase NOS.
            "files": {
              route: "nos.token", credential: "nos", callers: ["apiKey:app"],
              bucket: "files", keyPrefix: "inbox/${caller.id}/", lifetime: "10m",
            },
            // Signatures over strings that clients of Alibaba OSS put together, after they have been read.
            "oss-sign": {
              route: "oss.sign", credential: "oss", callers: ["apiKey:app"],
              bucket: "examplebucket", keyPrefix: "users/${caller.id}/",
              methods: ["GET", "PUT"], headers: ["x-oss-meta-*"], presign: "5m",
            },
            // Temporary keys of Alibaba's own for uploads below users/app/, as its SDKs fetch them.
            "oss-sts": {
              route: "distribute-token", credential: "oss-sts", callers: ["apiKey:app"],
              bucket: "examplebucket", keyPrefix: "users/${caller.id}/", lifetime: "15m", maxLifetime: "1h",
              actions: ["oss:PutObject", "oss:AbortMultipartUpload", "oss:ListParts"],
            },
          },

          log: { level: "info", format: "text" },
        }

        """
    }
}
