import Bytes
import Crypto
import Machine
import TestKeys
import TestPeers

@testable import Configuration

/// A good configuration that uses every key, and the files and variables that it is read with.
enum Sample {
    /// Of the text "the key of the tests, which nobody guesses".
    static let digest = "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b"
    static let otherDigest = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"

    /// None of these may ever be in a message.
    static let secrets = [
        "inline-OSS-secret", "variable-QINIU-secret", "variable-CDN-secret", "file-NOS-secret", "mounted-secret",
        "variable-STS-secret",
        "variable-STS-token", "variable-token-secret-of-32-bytes",
    ]

    static let text = #"""
        {
          version: 1,
          server: {
            listen: ["127.0.0.1:8080", "[::1]:8080"], plaintext: false,
            hosts: ["tokens.example.com", "[2001:db8::1]"], transport: "epoll", workers: 2,
            limits: {
              requestLine: "4KiB", headers: "16KiB", headerCount: 50, body: 1000, jsonDepth: 8, connections: 500, tlsMessages: "64KiB", connectionBuffer: "8KiB", handshakes: 99,
              headerTimeout: "5s", requestTimeout: "20s", idleTimeout: "1m", drainTimeout: "500ms",
            },
            cors: { origins: ["https://app.example.com", "http://localhost:3000"] }, statusInBody: true,
            aliases: { "/api/uptoken": "qiniu.uptoken", "/sign": "oss.sign" },
          },
          credentials: {
            "kodo": { provider: "qiniu", accessKey: "AK-qiniu", secretKey: { env: "QINIU_SECRET_KEY" } },
            "nos": { provider: "nos", accessKey: "AK-nos", secretKey: { file: "nos-key" } },
            "oss": { provider: "oss", accessKey: "AK-oss", secretKey: "inline-OSS-secret" },
            "role": {
              provider: "sts", accessKey: "LTAI-role", secretKey: { env: "ROLE_SECRET_KEY" }, identity: "key",
              roleArn: "acs:ram::1:role/app", signature: "rpc", caFile: "ca.pem", externalId: "partner-7",
              sourceIdentity: "gate", endpoints: ["https://sts.cn-hangzhou.aliyuncs.com", "https://sts.internal:8443"],
              limits: {
                callTimeout: "4s", attemptTimeout: "1500ms", attempts: 3, callsPerSecond: 20, callBurst: 10,
                sessions: 5000, waiters: 2000, waitersPerSession: 200, patience: "900ms",
              },
            },
          },
          authentication: {
            apiKeys: [
              { id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" },
              { id: "backend", sha256: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
                notAfter: "2030-01-01T00:00:00Z" },
            ],
            deny: ["apiKey:backend"],
          },
          grants: {
            "photos": {
              route: "qiniu.uptoken", credential: "kodo", callers: ["apiKey:app"],
              bucket: "media", keyPrefix: "photos/${caller.id}/", lifetime: "10m", maxLifetime: "1h",
              choose: ["fsizeLimit", "deleteAfterDays"], domain: "media.example.com", overwrite: true,
              policy: {
                endUser: "${caller.id}", returnBody: "{\"key\":$(key)}", callbackUrl: "https://app.example.com/done",
                callbackHost: "app.example.com", callbackBody: "key=$(key)", callbackFetchKey: 0,
                callbackBodyType: "application/x-www-form-urlencoded", persistentOps: "avthumb/mp4",
                persistentNotifyUrl: "https://app.example.com/ops", persistentPipeline: "video", persistentType: 1,
                fsizeMin: 1, fsizeLimit: 5242880, detectMime: 1, mimeLimit: "image/*", fileType: 0,
                deleteAfterDays: 7, trafficLimit: 819200,
              },
            },
            "avatars": {
              route: "qiniu.uptoken", credential: "kodo", callers: ["authenticated"], bucket: "media",
              key: "avatars/${caller.source}/${date.yyyy}/${uuid}.${ext}", extensions: ["jpg", "png"],
            },
            "shared": {
              route: "qiniu.uptoken", credential: "kodo", callers: "anonymous", public: true,
              bucket: "media", keyPrefix: "shared/",
              policy: { saveKey: "shared/$(etag)", forceSaveKey: true, returnUrl: "https://app.example.com/",
                keylimit: ["shared/a", "shared/b"] },
            },
            "files": {
              route: "nos.token", credential: "nos", callers: ["apiKey:app"], bucket: "files", unscoped: true,
              overwrite: false, lifetime: "1d", maxLifetime: "7d",
              policy: {
                ObjectSizeMin: 1, ObjectSizeMax: 1000, MimeLimit: "image/*", CallbackBody: "x",
                CallbackUrl: "https://app.example.com/nos", Region: "HZ",
              },
            },
            "sign": {
              route: "oss.sign", credential: "oss", callers: ["apiKey:app", "apiKey:backend"],
              bucket: "app-objects", keyPrefix: "users/${caller.source}/",
              methods: ["GET", "PUT"], headers: ["x-oss-meta-*"], presign: "5m",
            },
            "uploads": {
              route: "distribute-token", credential: "role", callers: ["apiKey:app"],
              bucket: "uploads", keyPrefix: "uploads/${caller.id}/", lifetime: "15m", maxLifetime: "2h",
              actions: ["oss:PutObject", "oss:AbortMultipartUpload"], listPrefix: true,
              sessionName: "app-${caller.id}", outliveCaller: true, shareAcrossCallers: false,
            },
          },
          log: { level: "debug", format: "text" },
        }
        """#

    static let files = plainFiles.merging(certificates) { $1 }

    /// `conf/NAME.pem` and `conf/NAME.key`, made for these tests.
    private static let certificates: [String: ReadFile] = {
        guard let made = try? ClientCertificates.shared.get() else { return [:] }
        let pairs = [
            "tls": made.good, "other": made.other, "deep": made.deep, "disordered": made.disordered,
            "expired": made.expired, "future": made.future, "client": made.clientOnly, "weak": made.weak,
            "sha1": made.oldDigest, "encrypted": made.encrypted,
        ]
        var files: [String: ReadFile] = [:]
        for (name, pair) in pairs {
            files["conf/\(name).pem"] = (try? made.text(pair.chain)).map { file($0, isWorldReadable: true) }
            files["conf/\(name).key"] = (try? made.text(pair.key)).map { file($0) }
            files["conf/open-\(name).key"] = (try? made.text(pair.key)).map { file($0, isWorldReadable: true) }
            files["/run/secrets/\(name).key"] = files["conf/open-\(name).key"]
        }
        for (name, path) in [
            "authority.pem": made.authority, "strange.pem": made.strangeAuthority, "authority.crl": made.revocations,
            "old.crl": made.oldRevocations,
        ] { files["conf/\(name)"] = (try? made.text(path)).map { file($0, isWorldReadable: true) } }
        return files
    }()

    private static let plainFiles: [String: ReadFile] = [
        "conf/nos-key": file("file-NOS-secret\n"), "conf/windows-key": file("file-NOS-secret\r\n"),
        "conf/empty-key": file("\n"), "conf/two-lines": file("file-NOS-secret\nmore\n"),
        "conf/open-key": file("file-NOS-secret", isWorldReadable: true),
        "/run/secrets/key": file("mounted-secret", isWorldReadable: true),
        "/var/run/secrets/key": file("mounted-secret", isWorldReadable: true),
        "/run/secrets/../open-key": file("file-NOS-secret", isWorldReadable: true),
        "/run/secretsx/key": file("file-NOS-secret", isWorldReadable: true),
        // Clusters and systems let everybody read these.
        "conf/ca.pem": file("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", isWorldReadable: true),
        "/run/secrets/ca.pem": file("-----BEGIN CERTIFICATE-----"),
        "conf/oidc-token": file("eyJ.token", isWorldReadable: true),
        "/var/run/tokens/oidc": file("eyJ.other", isWorldReadable: true),
        "conf/jwks.json": file(jwks(.rs256, .es256), isWorldReadable: true),
        "conf/issuer.pem": file(TestKey.shared[.rs256]?.pem ?? ""),
        "conf/curve.pem": file(TestKey.shared[.es256]?.pem ?? ""),
        "conf/two.pem": file((TestKey.shared[.rs256]?.pem ?? "") + (TestKey.shared[.es256]?.pem ?? "")),
        "conf/private.pem": file("-----BEGIN PRIVATE KEY-----\nMII=\n-----END PRIVATE KEY-----\n"),
        "conf/short.pem": file(TestKey(.rs256, size: 1024).pem),
        "conf/p384.pem": file(TestKey(.es256, curve: "P-384").pem),
        "conf/short.json": file("{\"keys\":[\(TestKey(.rs256, size: 1024).jwk())]}"),
        "conf/private.json": file("{\"keys\":[\(TestKey.shared[.es256]?.jwk("\"d\":\"AQAB\"") ?? "")]}"),
        "conf/encrypting.json": file("{\"keys\":[\(TestKey.shared[.rs256]?.jwk("\"use\":\"enc\"") ?? "")]}"),
        "conf/twice.json": file(
            "{\"keys\":[\([.rs256, .es256].compactMap { TestKey.shared[$0]?.jwk("\"kid\":\"a\"") }.joined(separator: ","))]}"
        ),
        "conf/pipe": ReadFile(bytes: Array("-----BEGIN CERTIFICATE-----".utf8), isWorldReadable: false, isPipe: true),
        "conf/writable": file("-----BEGIN CERTIFICATE-----", isWorldWritable: true), "conf/nothing": file(""),
    ]

    /// A set of the keys that tests share.
    private static func jwks(_ algorithms: SignatureAlgorithm...) -> String {
        "{\"keys\":[\(algorithms.compactMap { TestKey.shared[$0]?.jwk() }.joined(separator: ","))]}"
    }

    static func file(_ text: String, isWorldReadable: Bool = false, isWorldWritable: Bool = false) -> ReadFile {
        ReadFile(
            bytes: Array(text.utf8), isWorldReadable: isWorldReadable,
            weakness: isWorldWritable ? "anybody on this machine can change it; chmod o-w it" : nil)
    }

    static let variables = [
        "TOKEN_SECRET": "variable-token-secret-of-32-bytes", "SHORT_TOKEN_SECRET": "variable-token-secret-of-31-byt",
        "QINIU_SECRET_KEY": "variable-QINIU-secret", "EMPTY": "", "TWO_LINES": "variable-QINIU-secret\nmore",
        "CDN_KEY": "variable-CDN-secret", "ROLE_SECRET_KEY": "variable-STS-secret",
        "ALIBABA_CLOUD_ACCESS_KEY_ID": "LTAI-environment",
        "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "variable-STS-secret",
        "ALIBABA_CLOUD_SECURITY_TOKEN": "variable-STS-token",
        "ALIBABA_CLOUD_ROLE_ARN": "acs:ram::1:role/pod",
        "ALIBABA_CLOUD_OIDC_PROVIDER_ARN": "acs:ram::1:oidc-provider/cluster",
        "ALIBABA_CLOUD_OIDC_TOKEN_FILE": "/var/run/tokens/oidc",
        "AWS_ROLE_ARN": "arn:aws:iam::111122223333:role/pod",
        "AWS_WEB_IDENTITY_TOKEN_FILE": "/var/run/tokens/oidc",
    ]

    /// Loads a text as `conf/countersign.json5`, or under the given name.
    static func load(
        _ text: String, as name: String = "conf/countersign.json5", isWorldReadable: Bool = false,
        variables: [String: String] = variables
    ) throws(ConfigurationError) -> Configuration {
        let file = Sample.file(text, isWorldReadable: isWorldReadable)
        let environment = Environment(
            variable: { variables[$0] }, file: { $0 == name ? file : files[$0] })
        return try Configuration.load(name, in: environment)
    }

    /// What is wrong with a text; nothing when it loads.
    static func problems(
        in text: String, as name: String = "conf/countersign.json5", isWorldReadable: Bool = false,
        variables: [String: String] = variables
    ) -> [Problem] {
        do throws(ConfigurationError) {
            _ = try load(text, as: name, isWorldReadable: isWorldReadable, variables: variables)
            return []
        } catch {
            return error.problems
        }
    }
}

extension String {
    /// The text with its one occurrence of `part` replaced.
    func replacingOnce(_ part: String, with other: String) -> String? {
        let pieces = split(separator: part, omittingEmptySubsequences: false)
        return pieces.count == 2 ? pieces.joined(separator: other) : nil
    }
}
