extension Setup {
    /// Forms to upload by, and streams into live channels.
    static let forms = Setup(
        name: "forms",
        credentials: """
            credentials: {
                "oss": {
                  provider: "oss", accessKey: "\(ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" },
                  endpoint: "\(ossEndpoint)", region: "cn-hangzhou",
                },
              }
            """,
        rest: """
            authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry), \(APIKey.ending.entry)] },
              grants: {
                "pictures": {
                  route: "oss.post-policy", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "pictures/", minSize: 10, maxSize: 1000,
                  contentTypes: ["image/png", "image/jpeg"], lifetime: "10m", maxLifetime: "1h",
                },
                "reports": {
                  route: "oss.post-policy", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "reports/", maxSize: "5120MiB", contentTypes: "application/pdf",
                  objectAcl: "private",
                  callback: {
                    callbackUrl: "https://app.example.com/done?a=1", callbackHost: "app.example.com",
                    callbackBody: "bucket=${bucket}&object=${object}&by=${x:by}", callbackSNI: true,
                    callbackBodyType: "application/x-www-form-urlencoded",
                  },
                },
                "anything": {
                  route: "oss.post-policy", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-other", keyPrefix: "any/", maxSize: "1MiB", overwrite: true, objectAcl: "any",
                },
                "avatar": {
                  route: "oss.post-policy", credential: "oss", callers: ["apiKey:alice", "apiKey:ending"],
                  bucket: "demo-bucket", key: "avatars/${caller.source}/me.${ext}", extensions: "png", maxSize: "64KiB",
                },
                "everywhere": {
                  route: "oss.post-policy", credential: "oss", callers: ["apiKey:bob"], unscoped: true, maxSize: 1000,
                },
                "stage": {
                  route: "oss.rtmp-url", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", channel: "stage-1", lifetime: "10m", maxLifetime: "1h",
                },
                "studio": {
                  route: "oss.rtmp-url", credential: "oss", callers: ["apiKey:alice", "apiKey:ending"],
                  bucket: "demo-bucket", channel: "studio",
                },
              },
            """)
}
