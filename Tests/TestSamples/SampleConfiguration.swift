import Machine

@testable import Configuration

/// Small configurations.
enum SampleConfiguration {
    static func configuration(server: String = "", grants: String = "") throws -> Configuration {
        let text = """
            { version: 1, server: { \(server) },
              credentials: { q: { provider: "qiniu", accessKey: "AK", secretKey: { env: "SK" } } },
              grants: { \(grants) } }
            """
        return try load(text)
    }

    static func load(_ text: String) throws -> Configuration {
        try Configuration.load(
            "/etc/test.json5",
            in: Environment(
                variable: { _ in "a-secret-of-the-tests" },
                file: { _ in ReadFile(bytes: Array(text.utf8), isWorldReadable: false) }))
    }

    /// An STS account with a key of its own and two endpoints.
    static let stsKey = """
        accessKey: "LTAI5tests", secretKey: "a-secret-of-the-tests",
        endpoints: ["https://sts.one.example.com", "https://sts.two.example.com"]
        """

    /// A configuration whose one credential is an STS account.
    static func sts(_ fields: String = stsKey, grant: String = "callers: ['anonymous'], public: true") throws
        -> Configuration
    {
        try load(
            """
            { version: 1,
              credentials: { s: { provider: "sts", roleArn: "acs:ram::1234567890123456:role/app", \(fields) } },
              grants: { g: { route: "distribute-token", credential: "s", bucket: "media", keyPrefix: "up/",
                actions: ["oss:PutObject"], \(grant) } } }
            """)
    }
}
