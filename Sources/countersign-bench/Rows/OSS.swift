import Bytes
import Providers

extension Chapter {
    private static let text = Array(
        text: """
            PUT

            image/jpeg
            \(HTTPDate.write(Fixture.seconds).text)
            x-oss-date:\(HTTPDate.write(Fixture.seconds).text)
            x-oss-meta-author:alice of the photographers
            x-oss-meta-origin:the second floor, the eastern wing, camera number 3
            /test-bucket/objects/2026/11/20/image-000001.jpg
            """)
    private static let canonical = Array(
        text: """
            PUT
            /test-bucket/objects/2026/11/20/image%20000001.jpg
            partNumber=12&uploadId=0004B9895DBBB6EC98E36
            content-type:image/jpeg
            x-oss-content-sha256:UNSIGNED-PAYLOAD
            x-oss-date:\(Sample.date)
            x-oss-meta-author:alice of the photographers


            UNSIGNED-PAYLOAD
            """)
    private static let stringV4 = Sample.stringToSign(
        "OSS4-HMAC-SHA256", "cn-hangzhou/oss/aliyun_v4_request", of: canonical)
    private static let askV1 = "contentToSign=\(Sample.encoded(text))"
    private static let askV4 =
        "version=v4&stringToSign=\(Sample.encoded(stringV4))&canonicalRequest=\(Sample.encoded(canonical))"

    private static let download = "key=objects/2026/11/20/image-000001.jpg"
    private static let asked = download + "&method=PUT"
    private static let request = asked + "&header=content-type:image/jpeg&header=x-oss-meta-author:alice"
    private static let url = asked + "&contentType=image/jpeg"
    private static let part = asked + "&query=uploadId=0004B999EF518A1FE585B0C9360DC4C8&query=partNumber=12"

    static let oss = Chapter(
        credentials: """
            "oss": { provider: "oss", accessKey: "LTAI5texampleexample0001", secretKey: { env: "S" },
              region: "cn-hangzhou" },

            """,
        grants: """
            "objects": { route: "oss.sign", credential: "oss", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", methods: ["GET", "HEAD", "PUT"],
              headers: ["x-oss-meta-*"], subresources: ["uploadId", "partNumber"], presign: "5m" },
            "signed": { route: "oss.authorization", credential: "oss", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", methods: ["GET", "PUT"],
              headers: ["x-oss-meta-*", "content-type"], subresources: ["uploadId", "partNumber"] },
            "linked": { route: "oss.presigned-url", credential: "oss", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", methods: ["GET", "PUT"], contentTypes: ["image/*"] },

            """,
        rows: [
            Row("OSS V1 string read, \(text.count) bytes") { bench in
                { bench.take(try StringToSign(reading: text.span).key.count) }
            },
            .issuing("OSS V1 string, signed", "oss.sign", askV1),
            .answering(
                "OSS V1 string, POST of a form answered",
                Sample.post("/oss/sign", "application/x-www-form-urlencoded", askV1)),
            .answering(
                "OSS V1 string, POST of text answered", Sample.post("/oss/sign", "text/plain", text.text)),
            .issuing("OSS V4 request, signed", "oss.authorization", request),
            .issuing("OSS V1 request, signed", "oss.authorization", request + "&version=v1"),
            .answering("OSS V4 request, GET answered", Sample.get("/oss/authorization?\(download)")),
            .answering("OSS V4 request of a part, GET answered", Sample.get("/oss/authorization?\(part)")),
            .answering("OSS V1 request of a part, GET answered", Sample.get("/oss/authorization?\(part)&version=v1")),
            .issuing("OSS V4 presigned URL, issued", "oss.presigned-url", url),
            .issuing("OSS V1 presigned URL, issued", "oss.presigned-url", url + "&version=v1"),
            .answering("OSS V4 presigned URL, GET answered", Sample.get("/oss/presigned-url?\(download)")),
            Row("OSS V4 string and request read, \(stringV4.count + canonical.count) bytes") { bench in
                {
                    let string = try StringToSignV4(reading: stringV4.span, OSS.v4)
                    bench.take(try ParsedCanonicalRequest(reading: canonical.span, of: string).keyRange.count)
                }
            },
            .issuing("OSS V4 string, signed", "oss.sign", askV4),
            .answering(
                "OSS V4 string and request, POST of a form answered",
                Sample.post("/oss/sign", "application/x-www-form-urlencoded", askV4)),
        ])
}
