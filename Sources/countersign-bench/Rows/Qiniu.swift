import Bytes
import Crypto
import Providers

extension Chapter {
    private static let upload = "/qiniu/uptoken?key=photos%2F2026%2Fimg%201.jpg"

    static let qiniu = Chapter(
        credentials: """
            "qiniu": { provider: "qiniu", accessKey: "AKIDexampleAKIDexampleAKIDexample0000001",
              secretKey: { env: "S" }, cdnKey: { env: "S" } },

            """,
        grants: """
            "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "photos/", lifetime: "1h",
              policy: { fsizeLimit: 10485760, returnBody: '{"key":$(key),"hash":$(etag),"size":$(fsize)}' } },
            "pictures": { route: "qiniu.download-url", credential: "qiniu", callers: ["anonymous"], public: true,
              domain: "media.example.com", keyPrefix: "photos/", query: ["imageView2/2/w/200"], lifetime: "1h" },
            "cdn": { route: "qiniu.cdn-url", credential: "qiniu", callers: ["anonymous"], public: true,
              domain: "cdn.example.com", keyPrefix: "photos/", lifetime: "1h" },
            "requests": { route: "qiniu.authorization", credential: "qiniu", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "photos/" },

            """,
        rows: [
            .issuing("Qiniu upload token, issued", "qiniu.uptoken", "key=photos/2026/img%201.jpg"),
            .answering("Qiniu upload token, GET answered", Sample.get(upload)),
            .answering(
                "Qiniu upload token, POST of JSON answered",
                Sample.post("/qiniu/uptoken", "application/json", "{\"key\":\"photos/2026/img 1.jpg\",\"expires\":600}")
            ),
            .answering(
                "Qiniu upload token, GET with an API key answered",
                Sample.get(
                    "/qiniu/uptoken?key=users%2Fapp%2Falbum20%2F1.jpg", "Authorization: Bearer \(Fixture.apiKey)")),
            Row("Qiniu upload token, GET with a remembered ticket answered") { bench in
                let key = NameValue("key", Array(text: "users/app/album20/1.jpg"))
                let ticket = try bench.fixture().ticket(for: "album20", fixing: [key])
                return try Row.answering("", Sample.get("/qiniu/uptoken?ticket=\(ticket)")).prepare(bench)
            },
            .serving("Qiniu upload token, GET from bytes to bytes", Sample.get(upload)),
            .answering(
                "Qiniu download URL, GET answered",
                Sample.get("/qiniu/download-url?key=photos%2F2026%2Fimg%201.jpg&query=imageView2%2F2%2Fw%2F200")),
            .answering(
                "Qiniu CDN URL, GET answered", Sample.get("/qiniu/cdn-url?key=photos%2F2026%2Fimg%201.jpg")),
            .answering(
                "Qiniu management request, GET answered",
                Sample.get("/qiniu/authorization?operation=stat&key=photos%2F2026%2Fimg%201.jpg")),
            Row("Qiniu download URL") { bench in
                let (signer, base) = (try signer(), try base("media.example.com"))
                let (key, query) = (Array(text: "photos/2026/img 1.jpg"), Array(text: "imageView2/2/w/200"))
                return {
                    bench.out.reset()
                    try DownloadURL.write(
                        for: ObjectURL(key.span, query: query.span, on: base), until: Fixture.seconds, with: signer,
                        into: &bench.out)
                }
            },
            Row("Qiniu CDN URL") { bench in
                let (secret, base) = (Secret(Array(text: Fixture.secret)), try base("cdn.example.com"))
                let (key, query) = (Array(text: "photos/2026/img 1.jpg"), Array(text: "imageView2/2/w/200"))
                return {
                    bench.out.reset()
                    try TimestampAntiLeech.write(
                        for: ObjectURL(key.span, query: query.span, on: base), until: Fixture.seconds, with: secret,
                        into: &bench.out, using: &bench.scratch)
                }
            },
            management("Qiniu management request, signed", .qiniu),
            management("QBox management request, signed", .qbox),
            Row("Qiniu callback verified") { bench in
                let signer = try signer()
                let parts = ManagementParts()
                bench.out.reset()
                try ManagementSignature.qiniu.write(
                    for: parts.request(), with: signer, into: &bench.out, using: &bench.scratch)
                let authorization = bench.out.array
                return {
                    let claim = try CallbackSignature.claim(in: authorization.span, of: signer)
                    let verdict = try CallbackSignature.judge(
                        claim, of: parts.request(), with: signer, using: &bench.scratch)
                    guard verdict == .genuine else { throw RowError("\(verdict)") }
                }
            },
        ])

    private static func management(_ name: String, _ signature: ManagementSignature) -> Row {
        Row(name) { bench in
            let signer = try signer()
            let parts = ManagementParts()
            return {
                bench.out.reset()
                try signature.write(
                    for: parts.request(), with: signer, into: &bench.out, using: &bench.scratch)
            }
        }
    }

    private static func signer() throws -> SigningKey {
        try SigningKey(accessKey: Array(text: "AKIDexample"), secret: Secret(Array(text: Fixture.secret)))
    }

    static func base(_ host: String) throws -> BaseURL {
        guard let base = BaseURL(isSecure: true, Array(text: host)) else { throw RowError("no base") }
        return base
    }
}

/// A request as Qiniu signs it.
private struct ManagementParts {
    private let method = Array(text: "POST")
    private let target = Array(text: "/qiniu/callback?from=media")
    private let host = Array(text: "app.example.com")
    private let contentType = Array(text: "application/x-www-form-urlencoded")
    private let fields = Array(text: "X-Qiniu-Date: 20231114T221320Z\r\nAccept: */*\r\nX-Qiniu-Abc: 1\r\n")
    private let body = Array(text: "key=a%2Fb.jpg&size=1500&hash=FmDZwqadA4-ib_15hYfQpb7UXUYR")

    @_lifetime(borrow self)
    func request() throws -> ManagementRequest {
        try ManagementRequest(
            method: method.span, target: target.span, host: host.span, contentType: contentType.span,
            fieldLines: fields.span, body: body.span)
    }
}
