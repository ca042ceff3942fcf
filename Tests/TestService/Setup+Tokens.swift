import Crypto
import TestKeys

/// Issuers of tokens: one with a set of keys, one with a secret.
extension Setup {
    static let issuer = "https://id.example.com"
    static let tokenSecret = TestKey(.hs256)
    static let ticketSecret = makeSecret()

    /// A secret that nobody could guess, of 160 random bits.
    static func makeSecret() -> String { String((0..<40).compactMap { _ in "0123456789abcdef".randomElement() }) }

    static let tokens = Setup(
        name: "tokens",
        credentials: """
            credentials: {
                "qiniu": { provider: "qiniu", accessKey: "\(qiniuAccessKey)", secretKey: { file: "secrets/qiniu" } },
                "oss": { provider: "oss", accessKey: "\(ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" } },
              }
            """,
        rest: """
            authentication: {
                apiKeys: [\(APIKey.alice.entry)],
                jwt: [
                  { id: "login", issuer: "\(issuer)", audience: "uploads",
                    algorithms: ["RS256", "PS256", "ES256", "EdDSA"], jwksFile: "jwks.json", leeway: "5s" },
                  { id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                    secret: { file: "secrets/tokens" } },
                ],
                deny: ["jwt:login/mallory"],
              },
              grants: {
                "own": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["jwt:login"], bucket: "token-media",
                  keyPrefix: "users/${caller.id}/", lifetime: "10m", maxLifetime: "2h",
                },
                "tenant": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["jwt:login"], bucket: "token-media",
                  where: { "claims.scope": ["upload"] }, keyPrefix: "tenants/${claims.tenant}/${sha256:claims.sub}/",
                },
                "everybody": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"], bucket: "token-media",
                  keyPrefix: "all/${caller.source}/${caller.id}/",
                },
                "public": {
                  route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "token-media", keyPrefix: "public/",
                },
                "signing": {
                  route: "oss.sign", credential: "oss", callers: ["jwt:login"], bucket: "demo-bucket",
                  keyPrefix: "demo/", methods: ["GET"], presign: "2h",
                },
              },
            """,
        files: [
            "secrets/tokens": String(decoding: tokenSecret.secret, as: UTF8.self) + "\n",
            "jwks.json":
                "{\"keys\":[\(publicKeys.map { $0.jwk("\"kid\":\"\($0.algorithm.rawValue)\"") }.joined(separator: ","))]}",
        ])

    /// An STS account that the sandbox stands in for, for callers with tokens.
    static let tokenSessions = Setup(
        name: "token sessions", credentials: sandbox.credentials,
        rest: """
            authentication: {
                jwt: [{ id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                  secret: { file: "secrets/tokens" } }],
              },
              grants: {
                "own": {
                  route: "distribute-token", credential: "oss-sts", callers: ["jwt:intern"], bucket: "demo-bucket",
                  keyPrefix: "users/${sha256:claims.sub}/", actions: ["oss:PutObject"], lifetime: "15m",
                },
              },
            """,
        files: ["secrets/tokens": String(decoding: tokenSecret.secret, as: UTF8.self) + "\n"])

    /// RSA's is for both of its algorithms.
    private static let publicKeys = [SignatureAlgorithm.rs256, .es256, .eddsa].compactMap { TestKey.shared[$0] }

    /// A token that the set-up believes.
    static func token(
        _ algorithm: SignatureAlgorithm = .es256, sub: String = "42", expiresIn: Int64 = 3600, more: String = ""
    ) -> String {
        let claims =
            "{\"iss\":\"\(algorithm == .hs256 ? "intern" : issuer)\",\"aud\":[\"uploads\",\"x\"],\"sub\":\"\(sub)\","
            + "\"iat\":\(now - 3600),\"exp\":\(now + expiresIn)\(more.isEmpty ? "" : "," + more)}"
        let key = algorithm == .hs256 ? tokenSecret : TestKey.shared[algorithm == .ps256 ? .rs256 : algorithm]
        let header = "{\"typ\":\"JWT\",\"alg\":\"\(algorithm.rawValue)\"}"
        return key?.token(header: Array(header.utf8), claims: Array(claims.utf8), by: algorithm) ?? ""
    }
}
