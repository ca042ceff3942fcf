import Foundation
import TestKeys
import TestPeers
import Testing

/// A route, its grants — for the API key of `alice`, for the tokens of `42`, and for the certificate of `backend` where there is
/// TLS — and how it is asked inside them.
struct EveryRoute: Sendable, CustomTestStringConvertible {
    let name: String
    let path: String
    let credential: String
    /// What the grants hold beside route, credential and callers.
    let grant: String
    /// The parameters of an ask that is inside the grant of a caller of this id; nil where vendors ask.
    let parameters: (@Sendable (_ caller: String) -> [(name: String, value: String)])?

    var testDescription: String { name }
    var isCallback: Bool { parameters == nil }
    var isForSDK: Bool { name == "distribute-token" }

    /// The name of `alice`'s grant.
    var keyGrant: String { Endpoint.issuing(self).grants(of: "alice").own }

    /// The grants, as the configuration has them.
    func grants(withCertificates: Bool) -> String {
        let common = "route: \"\(name)\", credential: \"\(credential)\", \(grant)"
        if isCallback { return "\"\(keyGrant)\": { \(common) }," }
        let endpoint = Endpoint.issuing(self)
        let shown = "\"\(endpoint.grants(of: "backend").own)\": { \(common), callers: [\"certificate:backend\"] },"
        return """
            "\(keyGrant)": { \(common), callers: ["apiKey:alice"] },
            "\(endpoint.grants(of: "42").own)": { \(common), callers: ["jwt:login"], where: { "claims.sub": ["42"] } },
            \(withCertificates ? shown : "")

            """
    }

    static func form(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(percent($0.value))" }.joined(separator: "&")
    }

    private init(
        _ name: String, _ credential: String, path: String? = nil, _ grant: String,
        _ parameters: (@Sendable (_ caller: String) -> [(name: String, value: String)])?
    ) {
        self.name = name
        self.credential = credential
        self.path = path ?? "/" + name.replacing(".", with: "/")
        self.grant = grant
        self.parameters = parameters
    }

    private static let own = #"keyPrefix: "users/${caller.id}/""#
    private static let sessions =
        #"bucket: "demo-s3", actions: ["s3:PutObject"], lifetime: "15m", maxLifetime: "2h", \#(own)"#
    private static let reading = #"methods: ["GET", "PUT"]"#
    /// A ticket ends before what vendors take for 15 minutes.
    private static let outliving = "outliveCaller: true"

    private static func key(_ caller: String) -> String { "users/\(caller)/a.jpg" }

    /// - Parameters:
    ///   - kodo: the URL of what stands in for Kodo.
    ///   - nos: the same for NOS.
    static func all(kodo: String, nos: String) -> [EveryRoute] {
        [
            EveryRoute(
                "distribute-token", "sts", path: "/distribute-token.json",
                #"bucket: "b-uploads", actions: ["oss:PutObject"], lifetime: "15m", maxLifetime: "2h", \#(own)"#
            ) { _ in [] },
            EveryRoute("s3.credentials", "aws-sts", sessions) { _ in [] },
            EveryRoute("s3.sts", "aws-sts", sessions) { _ in [] },
            EveryRoute("qiniu.uptoken", "qiniu", #"bucket: "demo-media", \#(own)"#) { [("key", key($0))] },
            EveryRoute("qiniu.download-url", "qiniu", #"domain: "media.example.com", \#(own)"#) { [("key", key($0))] },
            EveryRoute("qiniu.cdn-url", "qiniu", #"domain: "cdn.example.com", \#(own)"#) { [("key", key($0))] },
            EveryRoute("qiniu.authorization", "qiniu", #"bucket: "demo-media", \#(outliving), \#(own)"#) {
                [("operation", "stat"), ("key", key($0))]
            },
            EveryRoute("qiniu.buckets", "qiniu", #"unscoped: true, hosts: { uc: ["\#(kodo)"] }"#) { _ in [] },
            EveryRoute(
                "qiniu.files", "qiniu", #"bucket: "demo-media", keyPrefix: "photos/", hosts: { rsf: ["\#(kodo)"] }"#
            ) { _ in [("limit", "2")] },
            EveryRoute(
                "qiniu.stat", "qiniu", #"bucket: "demo-media", keyPrefix: "photos/", hosts: { rs: ["\#(kodo)"] }"#
            ) { _ in [("key", "photos/a.jpg")] },
            EveryRoute(
                "qiniu.callback", "qiniu", #"publicURL: "https://app.example.com/qiniu/callback", reply: { ok: 1 }"#,
                nil),
            EveryRoute("nos.token", "nos", #"bucket: "demo-files", \#(own)"#) { [("object", key($0))] },
            EveryRoute("nos.presigned-url", "nos", #"bucket: "demo-files", \#(reading), \#(own)"#) {
                [("method", "GET"), ("object", key($0))]
            },
            EveryRoute("nos.authorization", "nos", #"bucket: "demo-files", \#(reading), \#(outliving), \#(own)"#) {
                [("method", "GET"), ("object", key($0))]
            },
            EveryRoute("nos.files", "nos", #"bucket: "demo-files", keyPrefix: "photos/", hosts: ["\#(nos)"]"#) { _ in
                [("limit", "2")]
            },
            EveryRoute("oss.sign", "oss", #"bucket: "demo-bucket", \#(reading), \#(outliving), \#(own)"#) {
                [("contentToSign", Signable(resource: "/demo-bucket/" + key($0)).text)]
            },
            EveryRoute("oss.authorization", "oss", #"bucket: "demo-bucket", \#(reading), \#(outliving), \#(own)"#) {
                [("method", "GET"), ("key", key($0))]
            },
            EveryRoute("oss.presigned-url", "oss", #"bucket: "demo-bucket", \#(reading), \#(own)"#) {
                [("method", "GET"), ("key", key($0))]
            },
            EveryRoute("oss.list-url", "oss", #"bucket: "demo-bucket", \#(own)"#) { [("prefix", key($0))] },
            EveryRoute("oss.post-policy", "oss", #"bucket: "demo-bucket", maxSize: "1MiB", \#(own)"#) {
                [("key", key($0))]
            },
            EveryRoute("oss.rtmp-url", "oss", #"bucket: "demo-bucket", channel: "stage-1""#) { _ in [] },
            EveryRoute("s3.presigned-url", "s3", #"bucket: "demo-s3", \#(reading), \#(own)"#) {
                [("method", "GET"), ("key", key($0))]
            },
            EveryRoute("s3.post-policy", "s3", #"bucket: "demo-s3", maxSize: "1MiB", \#(own)"#) { [("key", key($0))] },
            EveryRoute("s3.authorization", "s3", #"bucket: "demo-s3", \#(reading), \#(outliving), \#(own)"#) {
                [("method", "GET"), ("key", key($0))]
            },
            EveryRoute("s3.sign", "s3", #"bucket: "demo-s3", \#(reading), \#(outliving), \#(own)"#) { caller in
                let signable = SignableS3(bucket: "demo-s3", key: key(caller), headers: [])
                return [("contentToSign", signable.string), ("canonicalRequest", signable.canonical)]
            },
            EveryRoute("s3.multipart", "s3", #"bucket: "demo-s3", \#(own)"#) { caller in
                let written = ["alice": "apiKey:alice", "42": "jwt:login/42"][caller] ?? "certificate:\(caller)"
                let id = SealedUpload.text(of: written, bucket: "demo-s3", key: key(caller))
                return [("operation", "part"), ("partNumber", "1"), ("key", key(caller)), ("uploadId", id)]
            },
            EveryRoute(
                "s3.iceberg", "s3", path: "/v1/aws/s3/sign",
                #"bucket: "demo-s3", \#(reading), \#(outliving), \#(own)"#
            ) { [("uri", "https://demo-s3.\(Setup.s3Endpoint)/\(key($0))")] },
            EveryRoute(
                "oss.callback", "oss", #"publicURL: "https://app.example.com/oss/callback", reply: { ok: 1 }"#, nil),
        ]
    }
}

extension Setup {
    /// The secrets of a configuration of every route, each where it may stand.
    struct Secrets: Sendable {
        var qiniu = Setup.qiniuSecret
        var cdn = Setup.cdnKey
        var nos = Setup.nosSecret
        var oss = Setup.ossSecret
        var s3 = Setup.s3Secret
        var sts = "sts-secret-of-the-end-to-end-tests"
        var awsSTS = "aws-sts-secret-of-the-end-to-end-tests"
        var tokens = String(decoding: Setup.tokenSecret.secret, as: UTF8.self)
        var tickets = "ticket-secret-of-the-end-to-end-tests"

        var environment: [String: String] { ["E2E_OSS_SECRET": oss] }
    }

    /// A grant of `alice`'s beside those of every route.
    static let spareGrant = "spare"

    /// Grants of every route for one API key, for one subject of one issuer and, with TLS, for one certificate; others are known,
    /// and have none.
    static func everyRoute(
        _ name: String, kodo: String, nos: String, sts: String, secrets: Secrets = Secrets(),
        keys: EveryKey = EveryKey(),
        logLevel: String = "info", tls: ClientCertificates? = nil
    ) -> Setup {
        Setup(
            name: name,
            server: tls.map {
                """
                tls: { clientCAFile: "\($0.authority)", certificates: [
                    { names: "localhost", certificateFile: "\($0.good.chain)", keyFile: "\($0.good.key)" }] },
                """
            } ?? "",
            credentials: """
                credentials: {
                    "qiniu": {
                      provider: "qiniu", accessKey: "\(qiniuAccessKey)", secretKey: { file: "secrets/kodo" },
                      cdnKey: "\(secrets.cdn)", limits: { \(patientFetches) },
                    },
                    "nos": {
                      provider: "nos", accessKey: "\(nosAccessKey)", secretKey: "\(secrets.nos)",
                      endpoint: "\(nosEndpoint)", limits: { \(patientFetches) },
                    },
                    "oss": {
                      provider: "oss", accessKey: "\(ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" },
                      region: "\(ossRegion)", endpoint: "\(ossEndpoint)",
                    },
                    "s3": {
                      provider: "s3", accessKey: "\(s3AccessKey)", secretKey: "\(secrets.s3)",
                      region: "\(s3Region)", endpoint: "\(s3Endpoint)",
                    },
                    "sts": {
                      provider: "sts", accessKey: "LTAI5e2e", secretKey: { file: "secrets/sts" },
                      roleArn: "\(roleARN)", endpoints: ["\(sts)"], \(patient)
                    },
                    "aws-sts": {
                      provider: "aws-sts", accessKey: "AKIAe2e", secretKey: "\(secrets.awsSTS)", region: "\(s3Region)",
                      roleArn: "arn:aws:iam::111122223333:role/demo", endpoints: ["\(sts)"], \(patient)
                    },
                  }
                """,
            rest: """
                authentication: {
                    apiKeys: [\(keys.all.map(\.entry).joined(separator: ", "))],
                    jwt: [
                      { id: "login", issuer: "\(issuer)", audience: "uploads",
                        algorithms: ["RS256", "PS256", "ES256", "EdDSA"], jwksFile: "jwks.json", leeway: "5s" },
                      { id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                        secret: { file: "secrets/tokens" } },
                    ],
                    tickets: { secret: { file: "secrets/tickets" } },
                    \(tls == nil ? "" : certificates)
                    deny: ["apiKey:denied", "jwt:login/mallory"\(tls == nil ? "" : ", \"certificate:denied\"")],
                  },
                  grants: {
                    \(EveryRoute.all(kodo: kodo, nos: nos).map { $0.grants(withCertificates: tls != nil) }.joined(separator: "\n"))
                    "\(spareGrant)": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: "apiKey:alice", bucket: "demo-media",
                      keyPrefix: "spare/",
                    },
                  },
                """,
            logLevel: logLevel,
            files: [
                "secrets/kodo": secrets.qiniu + "\n", "secrets/sts": secrets.sts + "\n",
                "secrets/tokens": secrets.tokens + "\n", "secrets/tickets": secrets.tickets + "\n",
                "jwks.json": tokens.files["jwks.json"] ?? "",
            ])
    }

    private static let certificates = """
        certificates: [
            { id: "backend", san: ["dns:backend.example.com", "uri:spiffe://example.com/backend"] },
            { id: "denied", san: "dns:denied.example.com" }, { id: "other", san: "email:other@example.com" },
        ],
        """
}

/// The API keys of the configuration of every route.
struct EveryKey: Sendable {
    var alice = APIKey.alice
    var bob = APIKey.bob
    var ended = APIKey.ended
    var denied = APIKey.denied

    var all: [APIKey] { [alice, bob, ended, denied] }
}
