extension Setup {
    static let s3AccessKey = "AKIAE2ES3ACCESSKEY01"
    static let s3Secret = "s3-secret-of-the-end-to-end-tests"
    static let s3Region = "eu-west-1"
    static let s3Endpoint = "s3.eu-west-1.amazonaws.com"

    /// Signed requests to S3, and URLs; the bucket in the host, and in the path.
    static let s3Requests = Setup(
        name: "s3-requests",
        credentials: """
            credentials: {
                "s3": {
                  provider: "s3", accessKey: "\(s3AccessKey)", secretKey: "\(s3Secret)", region: "\(s3Region)",
                  endpoint: "\(s3Endpoint)",
                },
                "paths": {
                  provider: "s3", accessKey: "\(s3AccessKey)", secretKey: "\(s3Secret)", region: "auto",
                  endpoint: "storage.example.com:9000", style: "path",
                },
                "session": {
                  provider: "s3", accessKey: "\(s3AccessKey)", secretKey: "\(s3Secret)", region: "\(s3Region)",
                  endpoint: "\(s3Endpoint)", sessionToken: "a/token+of==",
                },
              }
            """,
        rest: """
            authentication: { apiKeys: [\(APIKey.alice.entry)] },
              grants: {
                "objects": {
                  route: "s3.authorization", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "in/", overwrite: true, \(all),
                },
                "links": {
                  route: "s3.presigned-url", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "in/", overwrite: true, \(all), lifetime: "5m", maxLifetime: "7d",
                },
                "images": {
                  route: "s3.presigned-url", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "images/", methods: ["GET", "PUT"], lifetime: "5m",
                  contentTypes: ["image/*"], maxSize: "1KiB",
                },
                "paths": {
                  route: "s3.presigned-url", credential: "paths", callers: ["anonymous"], public: true,
                  bucket: "my.dotted.bucket", keyPrefix: "dots/", overwrite: true, methods: ["GET", "PUT"],
                },
                "parts": {
                  route: "s3.presigned-url", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "parts/", methods: ["POST", "PUT"],
                  subresources: ["uploads", "uploadId", "partNumber"],
                },
                "forms": {
                  route: "s3.post-policy", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "forms/", maxSize: "1KiB", lifetime: "5m",
                },
                "pictures": {
                  route: "s3.post-policy", credential: "session", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "pictures/", maxSize: "1MiB", minSize: 1,
                  contentTypes: ["image/*", "text/plain"],
                },
                "dotted-forms": {
                  route: "s3.post-policy", credential: "paths", callers: ["anonymous"], public: true,
                  bucket: "my.dotted.bucket", key: "one/${uuid}", maxSize: "1MiB", contentTypes: "image/png",
                },
                "strings": {
                  route: "s3.sign", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "in/", overwrite: true, \(all), presign: "5m",
                },
                "path-strings": {
                  route: "s3.sign", credential: "paths", callers: ["anonymous"], public: true,
                  bucket: "my.dotted.bucket", keyPrefix: "dots/", overwrite: true, methods: ["GET", "PUT"],
                  presign: "7d",
                },
                "image-strings": {
                  route: "s3.sign", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "images/", methods: ["GET", "PUT"],
                  contentTypes: ["image/*"], maxSize: "1KiB", presign: "5m",
                },
                "part-strings": {
                  route: "s3.sign", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "parts/", methods: ["POST", "PUT"],
                  subresources: ["uploads", "uploadId", "partNumber"],
                },
                "demo-strings": {
                  route: "s3.sign", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "demo/", overwrite: true, methods: ["GET", "HEAD", "PUT"],
                  headers: ["content-type", "range", "x-amz-meta-*"], query: ["response-content-type"], presign: "5m",
                },
                "part-demos": {
                  route: "s3.sign", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "pieces/", overwrite: true, methods: ["GET", "PUT", "POST", "DELETE"],
                  subresources: ["uploads", "uploadId", "partNumber"],
                },
                "tables": {
                  route: "s3.iceberg", credential: "s3", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "wh/t/", overwrite: true, methods: \(tables),
                },
                "path-tables": {
                  route: "s3.iceberg", credential: "paths", callers: ["anonymous"], public: true,
                  bucket: "my.dotted.bucket", keyPrefix: "dots/", overwrite: true, methods: \(tables),
                },
                "new-tables": {
                  route: "s3.iceberg", credential: "session", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "new/", methods: ["GET", "PUT"], contentTypes: ["image/*"],
                  maxSize: "1KiB",
                },
                "temporary-strings": {
                  route: "s3.sign", credential: "session", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "temporary/", methods: "GET", presign: "5m",
                },
                "temporary": {
                  route: "s3.presigned-url", credential: "session", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "temporary/", methods: "GET",
                },
                "temporary-header": {
                  route: "s3.authorization", credential: "session", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "temporary/", methods: "GET",
                },
              },
            """)

    /// What Iceberg's client does.
    private static let tables = """
        ["GET", "HEAD", "PUT", "POST", "DELETE"], subresources: ["uploads", "uploadId", "partNumber", "delete"],
                  headers: [
                    "content-length", "content-md5", "content-type", "x-amz-checksum-*", "x-amz-sdk-checksum-algorithm",
                  ]
        """

    /// All that a grant can have of the table.
    private static let all = """
        methods: ["GET", "HEAD", "PUT", "POST", "DELETE"],
                  headers: [
                    "cache-control", "content-disposition", "content-encoding", "content-language", "content-length",
                    "content-type", "expires", "if-match", "if-none-match", "range", "x-amz-meta-*",
                    "x-amz-storage-class",
                  ],
                  subresources: ["uploads", "uploadId", "partNumber", "versionId"],
                  query: ["response-content-type", "response-content-disposition", "max-parts", "part-number-marker"]
        """
}
