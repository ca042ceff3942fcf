import Bytes
import Crypto
import HTTP
import Providers

extension Chapter {
    private static let request = Sample.get("/distribute-token.json")
    /// Two moments so far apart that what was served at one is not served again at the other without asking the shared cache.
    private static let apart = [
        Fixture.now, Instant(unixSeconds: Fixture.seconds + 2, monotonic: Fixture.now.monotonic),
    ]

    static let sts = Chapter(
        credentials: """
            "sts": { provider: "sts", roleArn: "acs:ram::1234567890123456:role/bench",
              accessKey: "LTAI5texampleexample0002", secretKey: { env: "S" }, endpoints: ["http://127.0.0.1:9"],
              region: "cn-hangzhou" },

            """,
        grants: """
            "sessions": { route: "distribute-token", credential: "sts", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "photos/", actions: ["oss:PutObject"], lifetime: "1h" },
            "session-signed": { route: "oss.authorization", credential: "sts", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "photos/", methods: ["GET", "PUT"] },
            "session-linked": { route: "oss.presigned-url", credential: "sts", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "photos/", methods: ["GET", "PUT"] },

            """,
        rows: [
            call("AssumeRole with ACS3, signed and written", .acs3),
            call("AssumeRole with RPC, signed and written", .rpc),
            Row("AssumeRole's answer read") { bench in
                let answer = UpstreamAnswer(status: 200, body: Array(text: granted))
                return { bench.object = try STSAnswer.read(answer, at: Fixture.seconds) }
            },
            .answering("remembered session, GET answered", request, remember),
            .answering("remembered session, GET answered by the shared cache", request, at: apart, remember),
            .serving("remembered session, GET from bytes to bytes", request, remember),
            .answering("OSS V4 request signed by a session, GET answered", signed, rememberSigning),
            .answering("OSS V4 presigned URL by a session, GET answered", linked, rememberSigning),
            .answering(
                "OSS V4 presigned URL by a session, GET answered by the shared cache", linked, at: apart,
                rememberSigning),
        ])

    private static let signed = Sample.get("/oss/authorization?key=photos/2026/11/20/image-000001.jpg")
    private static let linked = Sample.get("/oss/presigned-url?key=photos/2026/11/20/image-000001.jpg")

    /// Has the session of the grant remembered, if it is not yet.
    @Sendable private static func remember(_ bench: Workbench) throws {
        try bench.fixture().rememberSession("distribute-token")
    }

    @Sendable private static func rememberSigning(_ bench: Workbench) throws {
        try bench.fixture().rememberSigningSessions()
    }

    private static func call(_ name: String, _ scheme: STSScheme) -> Row {
        Row(name) { bench in
            let key = try STSKey(
                scheme, accessKeyID: Array(text: "LTAI5texampleexample0002"),
                secret: Secret(Array(text: Fixture.secret)))
            let request = try AssumeRole(
                roleARN: Array(text: "acs:ram::1234567890123456:role/bench"),
                sessionName: Array(text: "anonymous-0123"),
                durationSeconds: 3600,
                policy: Array(
                    text: """
                        {"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:PutObject"],\
                        "Resource":["acs:oss:*:*:test-bucket/photos/*"]}]}
                        """))
            let authority = Array(text: "sts.cn-hangzhou.aliyuncs.com")
            return {
                bench.out.reset()
                try request.call(
                    to: authority, signedBy: key, nonce: InlineArray(repeating: 7), at: Fixture.seconds
                ).write(into: &bench.out)
            }
        }
    }

    private static let granted = """
        {"RequestId":"6894B13B-6D71-4EF5-88FA-F32781734A7F","AssumedRoleUser":{"AssumedRoleId":"1:bench",\
        "Arn":"acs:ram::1234567890123456:role/bench/anonymous"},"Credentials":{"AccessKeyId":"STS.NUexample1",\
        "AccessKeySecret":"exampleexampleexampleexampleexampleexample12","SecurityToken":"\
        \(String(repeating: "x", count: 680))","Expiration":"2027-01-15T09:00:00Z"}}
        """
}
