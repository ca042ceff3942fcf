import Bytes

extension Chapter {
    private static let asked = "key=objects/2026/11/20/image-000001.jpg&method=PUT"
    private static let url = asked + "&contentType=image/jpeg"
    private static let request = asked + "&header=content-type:image/jpeg&header=x-amz-meta-author:alice"

    private static let form = "key=objects/2026/11/20/image-000001.jpg&contentType=image/jpeg"

    static let s3 = Chapter(
        credentials: """
            "s3": { provider: "s3", accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: { env: "S" }, region: "eu-west-1",
              endpoint: "s3.eu-west-1.amazonaws.com" },

            """,
        grants: """
            "s3-links": { route: "s3.presigned-url", credential: "s3", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", methods: ["GET", "PUT"], contentTypes: ["image/*"],
              lifetime: "1h" },
            "s3-requests": { route: "s3.authorization", credential: "s3", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", methods: ["GET", "PUT"],
              headers: ["content-type", "x-amz-meta-*"] },
            "s3-forms": { route: "s3.post-policy", credential: "s3", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", maxSize: "10MiB", contentTypes: ["image/*"], lifetime: "1h" },

            """,
        rows: [
            .issuing("S3 presigned URL, issued", "s3.presigned-url", url),
            .answering("S3 presigned URL, GET answered", Sample.get("/s3/presigned-url?\(url)")),
            .issuing("S3 request, issued", "s3.authorization", request),
            .answering("S3 request, GET answered", Sample.get("/s3/authorization?\(request)")),
            .answering("S3 form, GET answered", Sample.get("/s3/post-policy?\(form)")),
        ])
}
