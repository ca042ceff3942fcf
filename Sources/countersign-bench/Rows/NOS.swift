import Bytes
import Crypto
import Providers

extension Chapter {
    static let nos = Chapter(
        credentials: """
            "nos": { provider: "nos", accessKey: "nosexamplenosexamplenosexample01", secretKey: { env: "S" },
              endpoint: "nos-eastchina1.126.net" },

            """,
        grants: """
            "files": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
              bucket: "test-files", keyPrefix: "files/", lifetime: "1h" },
            "file-requests": { route: "nos.authorization", credential: "nos", callers: ["anonymous"], public: true,
              bucket: "test-files", keyPrefix: "files/", methods: ["GET", "PUT"] },
            "file-urls": { route: "nos.presigned-url", credential: "nos", callers: ["anonymous"], public: true,
              bucket: "test-files", keyPrefix: "files/", methods: ["GET", "PUT"], lifetime: "1h" },

            """,
        rows: [
            .issuing("NOS upload token, issued", "nos.token", "object=files/2026/report.pdf"),
            .answering("NOS upload token, GET answered", Sample.get("/nos/token?object=files%2F2026%2Freport.pdf")),
            .answering(
                "NOS request, GET answered",
                Sample.get("/nos/authorization?method=PUT&object=files%2F2026%2Freport.pdf")),
            .answering(
                "NOS presigned URL, GET answered", Sample.get("/nos/presigned-url?object=files%2F2026%2Freport.pdf")),
            Row("NOS request, signed") { bench in
                let (signer, parts) = (try signer(), RequestParts())
                return {
                    bench.out.reset()
                    try NOSHeaderSignature.write(
                        for: parts.request(), date: parts.date.span, with: signer, into: &bench.out,
                        using: &bench.scratch)
                }
            },
            Row("NOS presigned URL") { bench in
                let (signer, parts) = (try signer(), RequestParts())
                let endpoint = try base("nos-eastchina1.126.net")
                return {
                    bench.out.reset()
                    try NOSPresignedURL.write(
                        for: parts.request(), on: endpoint, until: Fixture.seconds, with: signer,
                        into: &bench.out, using: &bench.scratch)
                }
            },
        ])

    private static func signer() throws -> SigningKey {
        try SigningKey(accessKey: Array(text: "nosexample"), secret: Secret(Array(text: Fixture.secret)))
    }
}

/// A request as NOS signs it.
private struct RequestParts {
    let date = Array(text: "Tue, 14 Nov 2023 22:13:20 GMT")
    private let method = Array(text: "PUT")
    private let bucket = Array(text: "test-files")
    private let key = Array(text: "files/2026/report.pdf")
    private let parameters = [QueryParameter(name: Array(text: "uploadId"), value: Array(text: "abc123"))]
    private let contentMD5 = Array(text: "d41d8cd98f00b204e9800998ecf8427e")
    private let contentType = Array(text: "application/pdf")
    private let fields = Array(text: "x-nos-entity-type: json\r\nAccept: */*\r\nx-nos-meta-author: alice\r\n")

    @_lifetime(borrow self)
    func request() throws -> NOSRequest {
        try NOSRequest(
            method: method.span, bucket: bucket.span, key: key.span, parameters: parameters,
            content: .init(md5: contentMD5.span, type: contentType.span), fieldLines: fields.span)
    }
}
