extension S3 {
    /// What `countersign init` writes for it.
    static let sample = StartingSample(
        variable: "S3_SECRET_KEY",
        credential: """
            "s3": {
              provider: "s3", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "S3_SECRET_KEY" },
              endpoint: "s3.eu-west-1.amazonaws.com", region: "eu-west-1",
            },
            """,
        grants: """
            // URLs to upload images of at most 5 MiB to S3, and to download them. Existing objects are not overwritten.
            "s3-links": {
              route: "s3.presigned-url", credential: "s3", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "users/${caller.id}/", methods: ["GET", "PUT"], lifetime: "10m",
              maxSize: "5MiB", contentTypes: ["image/jpeg", "image/png"],
            },
            """,
        policyTests: StartingSample.downloads(by: "s3.presigned-url"))
}
