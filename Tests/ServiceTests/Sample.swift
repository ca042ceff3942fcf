import Machine

@testable import Configuration

/// Small configurations for tests of this room.
enum Sample {
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

/// The same numbers in every run.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
