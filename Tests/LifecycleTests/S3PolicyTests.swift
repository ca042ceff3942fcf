import Machine
import Testing

@testable import Configuration
@testable import Lifecycle

/// What `policyTests` say of requests to S3 that clients have signed.
@Suite struct S3PolicyTests {
    private func failures(_ tests: String) throws -> [Problem] {
        let text = """
            { version: 1,
              credentials: { s3: { provider: "s3", accessKey: "AKIA", secretKey: { env: "SK" }, region: "eu-west-1",
                endpoint: "s3.eu-west-1.amazonaws.com" } },
              authentication: { apiKeys: [
                { id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" }] },
              defaults: { grants: { credential: "s3", callers: ["apiKey:app"], bucket: "media" } },
              grants: {
                strings: { route: "s3.sign", keyPrefix: "in/", methods: ["PUT", "POST"], overwrite: true, presign: "5m",
                  subresources: ["uploads", "uploadId", "partNumber"] },
                uploads: { route: "s3.multipart", keyPrefix: "up/", contentTypes: ["image/*"] },
                tables: { route: "s3.iceberg", keyPrefix: "wh/", methods: ["GET", "POST"], subresources: "delete",
                  headers: "content-type" },
              },
              policyTests: [\(tests)],
            }
            """
        let configuration = try Configuration.load(
            "/etc/s3.json5",
            in: Environment(
                variable: { _ in "a-secret-of-the-tests-that-is-long-enough" },
                file: { _ in ReadFile(bytes: Array(text.utf8), isWorldReadable: false) }))
        return PolicyTestRunner.run(configuration, at: 1_795_158_947).failures
    }

    private func test(_ route: String, _ parameters: String, _ expect: String) -> String {
        "{ caller: \"apiKey:app\", route: \"\(route)\", parameters: { \(parameters) }, \(expect) }"
    }

    private static let origin = "https://media.s3.eu-west-1.amazonaws.com"

    private func deletion(_ key: String) -> String {
        """
        method: "POST", uri: "\(Self.origin)/?delete", headers: { "Content-Type": ["application/xml"] },
        body: "<Delete><Object><Key>\(key)</Key></Object></Delete>"
        """
    }

    @Test func `tests that hold say nothing`() throws {
        let failures = try failures(
            [
                test(
                    "s3.sign", #"method: "PUT", key: "in/a""#,
                    #"expect: "allow", gives: { grant: "strings", bucket: "media", key: "in/a", lifetime: "5m" }"#),
                test("s3.sign", #"method: "PUT", key: "in/a", uploadId: "u", partNumber: 1"#, #"expect: "allow""#),
                test("s3.sign", #"method: "PUT", key: "out/a""#, #"expect: "not_in_grant""#),
                test("s3.sign", #"method: "DELETE", key: "in/a""#, #"expect: "not_in_grant""#),
                test("s3.sign", #"method: "PUT", key: "in/a", expiresIn: 301"#, #"expect: "not_in_grant""#),
                test("s3.sign", #"method: "PUT", key: "in/a", partNumber: 0"#, #"expect: "invalid_parameter""#),
                test("s3.sign", #"contentToSign: "x", canonicalRequest: "y""#, #"expect: "unreadable_string_to_sign""#),
                test(
                    "s3.multipart", #"filename: "a.png", type: "image/png", metadata: { a: [1] }"#,
                    #"expect: "allow", gives: { grant: "uploads", key: "up/a.png" }"#),
                test("s3.multipart", #"filename: "a.png", type: "text/html""#, #"expect: "not_in_grant""#),
                test(
                    "s3.multipart", #"operation: "abort", key: "up/a.png", uploadId: "x""#, #"expect: "not_in_grant""#),
                test(
                    "s3.iceberg", "uri: \"\(Self.origin)/wh/a\", headers: { Range: [\"bytes=0-1\"] }",
                    #"expect: "allow", gives: { grant: "tables", key: "wh/a" }"#),
                test("s3.iceberg", deletion("wh/a"), #"expect: "allow""#),
                test("s3.iceberg", deletion("out/a"), #"expect: "not_in_grant""#),
            ].joined(separator: ",\n"))
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test func `a test that does not hold says what came of it`() throws {
        let failures = try failures(
            [
                test("s3.sign", #"method: "PUT", key: "out/a""#, #"expect: "allow""#),
                test("s3.iceberg", deletion("out/a"), #"expect: "allow""#),
                test("s3.multipart", #"filename: "a.png", type: "image/png""#, #"expect: "deny""#),
            ].joined(separator: ",\n"))
        #expect(failures.map(\.path) == ["policyTests[0]", "policyTests[1]", "policyTests[2]"])
        #expect(failures.prefix(2).allSatisfy { $0.reason.contains("keyPrefix") }, "\(failures)")
    }
}
