import Bytes
import Configuration
import Crypto
import HTTP
import Providers

extension Chapter {
    private static let request = Sample.get("/s3/credentials")

    static let awsSTS = Chapter(
        credentials: """
            "aws-sts": { provider: "aws-sts", accessKey: "AKIAexampleexample02", secretKey: { env: "S" },
              roleArn: "arn:aws:iam::111122223333:role/bench", region: "eu-west-1" },

            """,
        grants: """
            "s3-sessions": { route: "s3.credentials", credential: "aws-sts", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "photos/", actions: ["s3:PutObject"], lifetime: "1h" },

            """,
        rows: [
            Row("AssumeRole of AWS, signed and written") { bench in
                let (request, attempt) = try assumeRole(bench)
                return {
                    bench.out.reset()
                    try request.exchange(for: attempt).call.write(into: &bench.out)
                }
            },
            Row("AssumeRole's answer of AWS read") { bench in
                let (request, attempt) = try assumeRole(bench)
                let exchange = try request.exchange(for: attempt)
                let answer = UpstreamAnswer(status: 200, body: Array(text: granted))
                return {
                    guard case .credential(let credential) = try exchange.read(answer, Fixture.seconds) else {
                        throw RowError("there is more")
                    }
                    bench.object = credential
                }
            },
            .answering("remembered session of AWS, GET answered", request) {
                try $0.fixture().rememberSession("s3.credentials")
            },
        ])

    /// A session that AWS is asked for, and what an attempt is made of.
    private static func assumeRole(
        _ bench: Workbench
    ) throws -> (request: any SessionRequest, attempt: CredentialAttempt) {
        let credentials = try bench.fixture().configuration.credentials
        guard let source = credentials.first(where: { $0.name == "aws-sts" })?.sessions?.source else {
            throw RowError("there is no account")
        }
        let policy = """
            {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:PutObject"],\
            "Resource":["arn:aws:s3:::test-bucket/photos/*"]}]}
            """
        let request = try source.request(
            named: try SessionName(Array(text: "bench").span, sharedBy: Array(text: "bench")), lasting: 3600,
            allowing: Array(text: policy))
        let key = try SigningKey(
            accessKey: Array(text: "AKIAexampleexample02"), secret: Secret(Array(text: Fixture.secret)))
        return (
            request,
            CredentialAttempt(
                to: Array(text: "sts.eu-west-1.amazonaws.com"), with: key, token: [],
                nonce: InlineArray(repeating: 7), at: Fixture.seconds)
        )
    }

    private static let granted = """
        <AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>\
        <AccessKeyId>ASIAexample1</AccessKeyId><SecretAccessKey>exampleexampleexample12</SecretAccessKey>\
        <SessionToken>\(String(repeating: "x", count: 680))</SessionToken>\
        <Expiration>2027-01-15T09:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>
        """
}
