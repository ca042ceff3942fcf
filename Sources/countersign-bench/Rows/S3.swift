import Bytes

extension Chapter {
    private static let asked = "key=objects/2026/11/20/image-000001.jpg&method=PUT"
    private static let url = asked + "&contentType=image/jpeg"
    private static let request = asked + "&header=content-type:image/jpeg&header=x-amz-meta-author:alice"

    private static let part = asked + "&query=uploadId=2~VXB5bG9hZCBJRC&query=partNumber=12"
    private static let form = "key=objects/2026/11/20/image-000001.jpg&contentType=image/jpeg"

    private static let canonical = Array(
        text: """
            PUT
            /objects/2026/11/20/image-000001.jpg

            content-type:image/jpeg
            host:test-bucket.s3.eu-west-1.amazonaws.com
            x-amz-content-sha256:UNSIGNED-PAYLOAD
            x-amz-date:\(Sample.date)

            content-type;host;x-amz-content-sha256;x-amz-date
            UNSIGNED-PAYLOAD
            """)
    private static let string = Sample.stringToSign("AWS4-HMAC-SHA256", "eu-west-1/s3/aws4_request", of: canonical)
    private static let remote = "contentToSign=\(Sample.encoded(string))&canonicalRequest=\(Sample.encoded(canonical))"
    private static let ofUppy = #"{"key":"objects/2026/11/20/image-000001.jpg","method":"PUT"}"#
    private static let ofPart =
        #"{"key":"objects/2026/11/20/video.mp4","method":"PUT","uploadId":"2~VXB5bG9hZCBJRC","partNumber":12}"#
    private static let ofIceberg = """
        {"region":"eu-west-1","method":"PUT","headers":{"Content-Type":["image/jpeg"]},
         "uri":"https://test-bucket.s3.eu-west-1.amazonaws.com/objects/2026/11/20/image-000001.jpg"}
        """

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
              headers: ["content-type", "x-amz-meta-*"], subresources: ["uploadId", "partNumber"] },
            "s3-forms": { route: "s3.post-policy", credential: "s3", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", maxSize: "10MiB", contentTypes: ["image/*"], lifetime: "1h" },
            "s3-signatures": { route: "s3.sign", credential: "s3", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", methods: ["GET", "PUT"],
              headers: ["content-type"], subresources: ["uploadId", "partNumber"], presign: "1h",
              overwrite: true },
            "s3-tables": { route: "s3.iceberg", credential: "s3", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", methods: ["GET", "PUT"], headers: ["content-type"] },

            """,
        rows: [
            .issuing("S3 presigned URL, issued", "s3.presigned-url", url),
            .answering("S3 presigned URL, GET answered", Sample.get("/s3/presigned-url?\(url)")),
            .issuing("S3 request, issued", "s3.authorization", request),
            .answering("S3 request, GET answered", Sample.get("/s3/authorization?\(request)")),
            .answering("S3 request of a part, GET answered", Sample.get("/s3/authorization?\(part)")),
            .answering("S3 form, GET answered", Sample.get("/s3/post-policy?\(form)")),
            .issuing("S3 string, signed", "s3.sign", remote),
            .answering(
                "S3 string and request, POST of a form answered",
                Sample.post("/s3/sign", "application/x-www-form-urlencoded", remote)),
            .answering(
                "S3 URL for Uppy, POST of JSON answered", Sample.post("/s3/sign", "application/json", ofUppy)),
            .answering(
                "S3 URL of a part for Uppy, POST of JSON answered", Sample.post("/s3/sign", "application/json", ofPart)),
            .answering(
                "S3 request of Iceberg, POST of JSON answered",
                Sample.post("/v1/aws/s3/sign", "application/json", ofIceberg)),
        ])
}
