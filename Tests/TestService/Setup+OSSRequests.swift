extension Setup {
    static let ossRegion = "cn-hangzhou"
    static let ossEndpoint = "oss-cn-hangzhou.aliyuncs.com"

    /// Signed requests to OSS, and URLs.
    static let ossRequests = Setup(
        name: "oss-requests",
        credentials: """
            credentials: {
                "oss": {
                  provider: "oss", accessKey: "\(ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" },
                  region: "\(ossRegion)", endpoint: "\(ossEndpoint)",
                },
              }
            """,
        rest: """
            authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry), \(APIKey.ending.entry)] },
              grants: {
                "objects": {
                  route: "oss.authorization", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "in/", \(all),
                },
                "reading": {
                  route: "oss.authorization", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "out/", methods: ["GET"], versions: "v4",
                },
                "links": {
                  route: "oss.presigned-url", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "in/", \(all), lifetime: "5m", maxLifetime: "7d",
                },
                "images": {
                  route: "oss.presigned-url", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "images/", methods: ["GET", "PUT"], lifetime: "5m",
                  contentTypes: ["image/*", "text/plain; charset=utf-8"],
                },
                "small": {
                  route: "oss.presigned-url", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "small/", methods: ["PUT"], maxSize: "1KiB", versions: ["v4"],
                },
                "hoped": {
                  route: "oss.presigned-url", credential: "oss", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "hoped/", methods: ["PUT"], maxSize: "1KiB", unenforced: ["maxSize"],
                },
                "one": {
                  route: "oss.presigned-url", credential: "oss", callers: ["apiKey:alice", "apiKey:ending"],
                  bucket: "demo-bucket", key: "users/${caller.source}/photo.${ext}", methods: ["GET", "PUT"],
                  query: ["response-content-type"], lifetime: "1h",
                },
                "anywhere": {
                  route: "oss.presigned-url", credential: "oss", callers: ["apiKey:bob"], unscoped: true, methods: ["GET"],
                },
              },
            """)

    /// All that a grant can have of the table.
    private static let all = """
        methods: ["GET", "HEAD", "PUT", "POST", "DELETE"],
                  headers: [
                    "cache-control", "content-length", "content-type", "range", "x-oss-forbid-overwrite", "x-oss-meta-*",
                  ],
                  subresources: ["append", "position", "uploads", "uploadId", "partNumber", "versionId", "objectMeta"],
                  query: ["response-content-type", "response-content-disposition", "max-parts", "x-oss-traffic-limit"]
        """
}
