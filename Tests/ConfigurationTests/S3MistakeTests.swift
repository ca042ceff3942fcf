import Access
import Crypto
import Testing

@testable import Configuration

/// Credentials of storage that speaks S3's protocol, and grants of signed requests to it.
@Suite(.timeLimit(.minutes(20)))
struct S3MistakeTests {
    private static let text: String = #"""
        {
          version: 1,
          credentials: {
            "s3": {
              provider: "s3", accessKey: "AKIA-s3", secretKey: "s3-secret", region: "eu-west-1",
              endpoint: "s3.eu-west-1.amazonaws.com", style: "virtual", sessionToken: "a/token",
            },
          },
          authentication: { apiKeys: [{ id: "app", sha256: "e6bf3dbb53422edeae687967cd7dfc6d8b2032c374b69d7fb628db019f21581b" }] },
          grants: {
            "objects": {
              route: "s3.authorization", credential: "s3", callers: "apiKey:app", bucket: "files", keyPrefix: "in/",
              methods: ["GET", "POST"], headers: ["range", "x-amz-meta-*"], subresources: ["uploads"], query: ["response-expires"],
            },
            "links": {
              route: "s3.presigned-url", credential: "s3", callers: "apiKey:app", bucket: "files", key: "in/${uuid}",
              methods: "PUT", lifetime: "5m", contentTypes: ["image/*"], maxSize: "1MiB",
            },
            "forms": {
              route: "s3.post-policy", credential: "s3", callers: "apiKey:app", bucket: "files", keyPrefix: "forms/",
              maxSize: "2MiB", minSize: 1, contentTypes: "image/png",
            },
            "uploads": {
              route: "s3.multipart", credential: "s3", callers: "apiKey:app", bucket: "files", keyPrefix: "up/",
              contentTypes: ["video/*"],
            },
            "tables": {
              route: "s3.iceberg", credential: "s3", callers: "apiKey:app", bucket: "files", keyPrefix: "wh/",
              methods: ["POST"], subresources: ["delete"], headers: ["x-amz-checksum-*"],
            },
          },
        }
        """#

    private static func mistake(_ old: String, _ new: String, _ path: String, _ word: String) -> Mistake {
        Mistake(old, new, path, word, in: text)
    }

    @Test func `what the mistakes are made in is right`() throws {
        let configuration = try Sample.load(S3MistakeTests.text)
        #expect(configuration.grants.count == 5 && configuration.warnings.isEmpty)
        #expect(configuration.credentials.first?.key?.securityToken == Array("a/token".utf8))
    }

    @Test(
        arguments: [
            mistake("accessKey: \"AKIA-s3\"", "‸accessKey: \"AK/x\"", "credentials.s3.accessKey", "must not contain"),
            mistake("region: \"eu-west-1\"", "‸region: \"eu/west\"", "credentials.s3.region", "such as us-east-1"),
            mistake(
                "endpoint: \"s3.eu-west-1.amazonaws.com\"", "‸endpoint: \"https://s3.example\"",
                "credentials.s3.endpoint", "host in lower case"),
            mistake(
                "endpoint: \"s3.eu-west-1.amazonaws.com\"", "‸endpoint: \"http://s3.localhost:1\"",
                "credentials.s3.endpoint", "only with sandbox: true"),
            mistake(
                "contentTypes: [\"video/*\"]", "‸contentTypes: [\"video\"]", "grants.uploads.contentTypes", "such as"),
            mistake(
                "contentTypes: [\"video/*\"]", "‸completeTimeout: \"500ms\"", "grants.uploads.completeTimeout", "1s"),
            mistake(
                "contentTypes: [\"video/*\"]", "‸completeTimeout: \"2m\"", "grants.uploads.completeTimeout", "80s"),
            mistake(
                "contentTypes: [\"video/*\"]", "‸maxSize: 7", "grants.uploads.maxSize", "is not known"),
            mistake(
                "subresources: [\"delete\"]", "‸subresources: [\"delete\", \"policy\"]", "grants.tables.subresources",
                "nothing else"),
            mistake(
                "headers: [\"x-amz-checksum-*\"]", "‸headers: [\"x-amz-tagging\"]", "grants.tables.headers",
                "nothing else"),
            mistake("style: \"virtual\"", "‸style: \"host\"", "credentials.s3.style", "virtual"),
            mistake(
                "sessionToken: \"a/token\"", "‸sessionToken: \"a token\"", "credentials.s3.sessionToken", "visible"),
            mistake(
                "bucket: \"files\", keyPrefix: \"in/\"", "‸bucket: \"a.b.c\", keyPrefix: \"in/\"",
                "grants.objects.bucket", "style"),
            mistake(
                "methods: [\"GET\", \"POST\"]", "‸methods: [\"GET\", \"PATCH\"]", "grants.objects.methods", "must be of"
            ),
            mistake(
                "subresources: [\"uploads\"]", "‸subresources: [\"uploads\", \"acl\"]", "grants.objects.subresources",
                "nothing else"),
            mistake(
                "headers: [\"range\", \"x-amz-meta-*\"]", "‸headers: [\"x-amz-acl\"]", "grants.objects.headers",
                "nothing else"),
            mistake(
                "headers: [\"range\", \"x-amz-meta-*\"]", "‸headers: [\"x-amz-meta-snowball-auto-extract\"]",
                "grants.objects.headers", "x-amz-meta-snowball-* is never signed"),
            mistake(
                "query: [\"response-expires\"]", "‸query: [\"prefix\"]", "grants.objects.query", "nothing else"),
            mistake(
                "contentTypes: [\"image/*\"]", "‸contentTypes: [\"IMAGE/*\"]", "grants.links.contentTypes", "lower case"
            ),
            mistake(
                "maxSize: \"1MiB\"", "‸maxSize: \"1MiB\", subresources: [\"uploadId\", \"partNumber\"]",
                "grants.links.maxSize", "in pieces"),
            mistake(
                "maxSize: \"1MiB\"", "maxSize: \"1MiB\", ‸unenforced: \"maxSize\"", "grants.links.unenforced",
                "not enforced"),
            mistake("minSize: 1", "‸minSize: \"3MiB\"", "grants.forms.minSize", "greater than maxSize"),
            mistake("maxSize: \"2MiB\"", "‸maxSize: \"6GiB\"", "grants.forms.maxSize", "5GiB"),
            mistake(
                "contentTypes: \"image/png\"", "‸contentTypes: \"PNG\"", "grants.forms.contentTypes", "lower case"),
            mistake("lifetime: \"5m\"", "‸lifetime: \"8d\"", "grants.links.lifetime", "7d"),
        ])
    func `each mistake is told where it is`(mistake: Mistake) throws { try mistake.check() }

    @Test(
        arguments: [
            ("s3.eu-west-1.amazonaws.com", false), ("s3.cn-north-1.amazonaws.com.cn", false),
            ("s3.eu-west-1.amazonaws.com:8443", false), ("minio.example.com:9000", true),
            ("amazonaws.com.example.com", true), ("xamazonaws.com", true),
        ])
    func `a grant of writing at a server other than Amazon's is warned of unsigned headers`(
        endpoint: String, isWarned: Bool
    ) throws {
        let text = S3MistakeTests.text.replacing("s3.eu-west-1.amazonaws.com", with: endpoint)
        let warnings = try Sample.load(text).warnings.filter { $0.contains("unsigned headers") }
        // Grants that only read, delete or issue forms are not among them.
        let expected = isWarned ? ["links", "uploads"] : []
        #expect(expected.allSatisfy { name in warnings.contains { $0.hasPrefix("grants.\(name): ") } })
        #expect(warnings.count == expected.count && warnings.allSatisfy { $0.contains("one key per tenant") })
    }
}
