import Bytes
import Providers

extension Chapter {
    private static let text = Array(
        text: """
            PUT

            image/jpeg
            \(HTTPDate.write(House.seconds).text)
            x-oss-date:\(HTTPDate.write(House.seconds).text)
            x-oss-meta-author:alice of the photographers
            x-oss-meta-origin:the second floor, the eastern wing, camera number 3
            /test-bucket/objects/2026/11/20/image-000001.jpg
            """)
    private static let encoded: String = {
        var out = ByteWriter()
        Percent.encode(text.span, into: &out)
        return out.array.text
    }()

    static let oss = Chapter(
        credentials: """
            "oss": { provider: "oss", accessKey: "LTAI5texampleexample0001", secretKey: { env: "S" } },

            """,
        grants: """
            "objects": { route: "oss.sign", credential: "oss", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "objects/", methods: ["GET", "HEAD", "PUT"],
              headers: ["x-oss-meta-*", "x-oss-date"], presign: "5m" },

            """,
        rows: [
            Row("OSS V1 string read, \(text.count) bytes") { bench in
                { bench.take(try StringToSign(reading: text.span).key.count) }
            },
            .issuing("OSS V1 string, signed", "oss.sign", "contentToSign=\(encoded)"),
            .answering(
                "OSS V1 string, POST of a form answered",
                Sample.post("/oss/sign", "application/x-www-form-urlencoded", "contentToSign=\(encoded)")),
            .answering(
                "OSS V1 string, POST of text answered", Sample.post("/oss/sign", "text/plain", text.text)),
        ])
}
