extension Setup {
    static let cdnKey = "cdn-key-of-the-end-to-end-tests"
    static let nosEndpoint = "nos-eastchina1.126.net"

    /// URLs and requests that are signed without asking anybody.
    static let requests = Setup(
        name: "requests",
        credentials: """
            credentials: {
                "qiniu": {
                  provider: "qiniu", accessKey: "\(qiniuAccessKey)", secretKey: { file: "secrets/qiniu" },
                  cdnKey: "\(cdnKey)",
                },
                "nos": {
                  provider: "nos", accessKey: "\(nosAccessKey)", secretKey: "\(nosSecret)", endpoint: "\(nosEndpoint)",
                },
              }
            """,
        rest: """
            authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry), \(APIKey.ending.entry)] },
              grants: {
                "site": {
                  route: "qiniu.download-url", credential: "qiniu", callers: ["anonymous"], public: true,
                  domain: "media.example.com", keyPrefix: "photos/", lifetime: "10m", maxLifetime: "1h",
                  query: ["imageView2/1/w/120", "attname=a%20b.jpg&v=1"],
                },
                "report": {
                  route: "qiniu.download-url", credential: "qiniu", callers: ["anonymous"], public: true,
                  domain: "files.example.com:8080", scheme: "http", key: "fixed/report.pdf",
                },
                "hers": {
                  route: "qiniu.download-url", credential: "qiniu", callers: ["apiKey:alice", "apiKey:ending"],
                  domain: "media.example.com", keyPrefix: "users/${caller.source}/",
                },
                "videos": {
                  route: "qiniu.cdn-url", credential: "qiniu", callers: ["anonymous"], public: true,
                  domain: "cdn.example.com", keyPrefix: "videos/", lifetime: "10m", query: ["v=1"],
                },
                "intro": {
                  route: "qiniu.cdn-url", credential: "qiniu", callers: ["anonymous"], public: true,
                  domain: "cdn.example.com", key: "intro.mp4",
                },
                "loose": {
                  route: "qiniu.cdn-url", credential: "qiniu", callers: ["anonymous"], public: true,
                  domain: "cdn.example.com", keyPrefix: "loose/", neverExpires: true,
                },
                "browse": {
                  route: "qiniu.authorization", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "demo-media", keyPrefix: "photos/",
                },
                "looking": {
                  route: "qiniu.authorization", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "demo-other", keyPrefix: "in/", operations: ["stat"], hosts: { rs: "rs.internal:8443" },
                },
                "legacy": {
                  route: "qiniu.authorization", credential: "qiniu", callers: ["apiKey:alice", "apiKey:ending"],
                  bucket: "demo-legacy", keyPrefix: "old/", neverExpires: true,
                },
                "account": {
                  route: "qiniu.authorization", credential: "qiniu", callers: ["apiKey:bob"], unscoped: true,
                  operations: ["buckets", "list", "stat"],
                },
                "objects": {
                  route: "nos.authorization", credential: "nos", callers: ["anonymous"], public: true,
                  bucket: "demo-files", keyPrefix: "in/", methods: ["GET", "HEAD", "PUT", "POST", "DELETE"],
                  headers: ["content-type", "content-md5", "x-nos-meta-*"], query: ["uploads", "uploadId", "partNumber"],
                },
                "reading": {
                  route: "nos.authorization", credential: "nos", callers: ["anonymous"], public: true,
                  bucket: "demo-files", keyPrefix: "out/", methods: ["GET"],
                },
                "links": {
                  route: "nos.presigned-url", credential: "nos", callers: ["anonymous"], public: true,
                  bucket: "demo-files", keyPrefix: "in/", methods: ["GET", "PUT"], headers: ["content-type"],
                  lifetime: "5m", maxLifetime: "1h",
                },
                "anywhere": {
                  route: "nos.presigned-url", credential: "nos", callers: ["apiKey:bob"], unscoped: true, methods: ["GET"],
                },
              },
            """)
}
