import Crypto
import TestKeys

/// Grants that name the caller in other places than a prefix, and grants of one route that differ in their bucket alone.
extension Setup {
    /// Buckets with their regions.
    static let regions = [
        ("demo-hangzhou", "cn-hangzhou"), ("demo-shanghai", "cn-shanghai"), ("demo-singapore", "ap-southeast-1"),
    ]

    private static let notice = """
        callbackUrl: "https://app.example.com/done", endUser: "${caller.id}",
                    callbackBody: "user=${x:enduser}&object=${object}"
        """

    static let templates = Setup(
        name: "templates",
        credentials: """
            credentials: {
                "oss": {
                  provider: "oss", accessKey: "\(ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" },
                  endpoint: "\(ossEndpoint)", region: "\(ossRegion)",
                },
                \(regions.map { _, region in
                    """
                    "\(region)": { provider: "oss", accessKey: "\(ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" },
                      region: "\(region)" },
                    """
                }.joined(separator: "\n"))
              }
            """,
        rest: """
            authentication: {
                jwt: [{ id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                  secret: { file: "secrets/tokens" } }],
              },
              grants: {
                "told": {
                  route: "oss.post-policy", credential: "oss", callers: ["jwt:intern"], bucket: "demo-bucket",
                  keyPrefix: "told/${caller.id}/", maxSize: 1000,
                  callback: {
                    callbackUrl: "https://app.example.com/done", endUser: "${caller.id}",
                    callbackBody: "user=${x:enduser}&object=${object}&again=${x:enduser}&by=${x:by}",
                  },
                },
                "toldInJSON": {
                  route: "oss.post-policy", credential: "oss", callers: ["jwt:intern"], bucket: "demo-json",
                  keyPrefix: "told/${caller.id}/", maxSize: 1000,
                  callback: {
                    callbackUrl: "https://app.example.com/done", endUser: "${claims.tenant}/${caller.id}",
                    callbackBody: "{\\"user\\":${x:enduser},\\"object\\":${object}}", callbackBodyType: "application/json",
                  },
                },
                "live": {
                  route: "oss.rtmp-url", credential: "oss", callers: ["jwt:intern"], bucket: "demo-bucket",
                  channel: "live-${caller.id}",
                },
                "stages": {
                  route: "oss.rtmp-url", credential: "oss", callers: ["jwt:intern"], bucket: "demo-stages",
                  channel: "${claims.tenant}.${caller.id}",
                },
                "avatar": {
                  route: "oss.post-policy", credential: "oss", callers: ["jwt:intern"], bucket: "demo-avatars",
                  key: "avatars/${caller.id}.${ext}", extensions: ["png", "jpg"], maxSize: 1000,
                },
                "links": {
                  route: "oss.presigned-url", credential: "oss", callers: ["jwt:intern"], bucket: "demo-bucket",
                  keyPrefix: "told/${caller.id}/", methods: ["GET", "PUT", "POST"], subresources: ["uploadId", "partNumber"],
                  callback: { \(notice) },
                },
                "requests": {
                  route: "oss.authorization", credential: "oss", callers: ["jwt:intern"], bucket: "demo-bucket",
                  keyPrefix: "told/${caller.id}/", methods: ["GET", "PUT"], outliveCaller: true,
                  callback: { \(notice) },
                },
                "listing": {
                  route: "oss.list-url", credential: "oss", callers: ["jwt:intern"], bucket: "demo-bucket",
                  keyPrefix: "told/${caller.id}/", lifetime: "10m", maxLifetime: "1h",
                },
                \(regions.map { bucket, region in
                    """
                    "at \(region)": { route: "oss.presigned-url", credential: "\(region)", callers: ["jwt:intern"],
                      bucket: "\(bucket)", keyPrefix: "users/${caller.id}/", methods: ["GET"] },
                    """
                }.joined(separator: "\n"))
              },
            """,
        files: ["secrets/tokens": String(decoding: tokenSecret.secret, as: UTF8.self) + "\n"])
}
