extension Setup {
    /// Strings to sign that clients have put together, of both versions.
    static let signing = Setup(
        name: "signing",
        credentials: """
            credentials: {
                "oss": {
                  provider: "oss", accessKey: "\(ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" },
                  region: "cn-hangzhou",
                },
                "nowhere": { provider: "oss", accessKey: "\(ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" } },
              }
            """,
        rest: """
            authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry), \(APIKey.ending.entry)] },
              grants: {
                "objects": {
                  route: "oss.sign", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "demo/", methods: ["GET", "HEAD", "PUT"],
                  headers: ["x-oss-meta-*"], subresources: ["response-content-type"], presign: "5m",
                },
                "uploads": {
                  route: "oss.sign", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "uploads/", methods: ["GET", "HEAD", "PUT"],
                  headers: ["x-oss-meta-*"], presign: "15m",
                },
                "everything": {
                  route: "oss.sign", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "all/", methods: ["GET", "HEAD", "PUT", "POST", "DELETE"],
                  headers: ["x-oss-forbid-overwrite", "x-oss-meta-*", "x-oss-storage-class", "x-oss-traffic-limit"],
                  subresources: ["append", "encoding-type", "max-parts", "objectMeta", "part-number-marker",
                    "partNumber", "position", "response-cache-control", "response-content-disposition",
                    "response-content-encoding", "response-content-language", "response-content-type",
                    "response-expires", "uploadId", "uploads", "versionId", "x-oss-traffic-limit"], presign: "1h",
                },
                "parts": {
                  route: "oss.sign", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "parts/", methods: ["GET", "PUT", "POST", "DELETE"],
                  subresources: ["uploads", "uploadId", "partNumber"],
                },
                "old": {
                  route: "oss.sign", credential: "oss", callers: ["apiKey:alice"], versions: ["v1"],
                  bucket: "demo-bucket", keyPrefix: "old/", methods: ["GET"],
                },
                "new": {
                  route: "oss.sign", credential: "oss", callers: ["apiKey:alice"], versions: ["v4"],
                  bucket: "demo-bucket", keyPrefix: "new/", methods: ["GET"],
                },
                "nowhere": {
                  route: "oss.sign", credential: "nowhere", callers: ["apiKey:alice"],
                  bucket: "demo-bucket", keyPrefix: "nowhere/", methods: ["GET"],
                },
                "trusted": {
                  route: "oss.sign", credential: "oss", callers: ["apiKey:bob", "apiKey:ending"], unscoped: true,
                  trustSignInfo: true, methods: ["GET", "PUT"],
                },
              },
            """)
}
