import Foundation
import TestPeers
import Testing

@testable import TestService

/// Sessions of AWS's STS over HTTP, in the words of those who fetch them.
@Suite("S3 sessions over HTTP: R5, R17", .timeLimit(.minutes(20)))
struct S3CredentialsTests {
    private static func setup(_ vendor: AWSVendor, _ fields: String = role) -> Setup {
        let common = #"credential: "role", bucket: "media", actions: ["s3:PutObject", "s3:GetObject"]"#
        return Setup(
            name: "s3-sessions",
            credentials: """
                credentials: {
                    "role": { provider: "aws-sts", accessKey: "AKIAe2e", secretKey: "aws-sts-secret-of-the-tests",
                      endpoints: ["http://127.0.0.1:\(vendor.port)"], region: "eu-west-1", \(fields), \(Setup.patient) },
                  }
                """,
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)] },
                  grants: {
                    "sessions": { route: "s3.credentials", \(common), callers: ["authenticated"], narrow: true,
                      keyPrefix: "user/${caller.source}/", maxLifetime: "2h" },
                    "uppy": { route: "s3.sts", \(common), callers: ["apiKey:alice"], keyPrefix: "user/alice/",
                      listPrefix: true, lifetime: "15m" },
                  },
                """)
    }

    private static let role = #"roleArn: "arn:aws:iam::111122223333:role/demo", s3Endpoint: "s3.example.com""#

    private func run(
        _ vendor: AWSVendor, _ fields: String = role, _ body: (Service) throws -> Void
    ) throws {
        defer { vendor.stop() }
        try Service.run(Self.setup(vendor, fields)) { try body($0) }
    }

    @Test func `the answer is what AWS's SDKs read in a container and of a credential_process`() throws {
        let vendor = try AWSVendor()
        try run(vendor) { service in
            let answer = try service.get("/s3/credentials", APIKey.alice.bearer)
            answer.expectSuccess()
            let end = try #require(answer.json["Expiration"]?.string)
            #expect(
                answer.text == #"{"Version":1,"AccessKeyId":"ASIAe2e","SecretAccessKey":"secret-1","#
                    + #""SessionToken":"token-1==","Expiration":"\#(end)","Token":"token-1==","Scope":{"Bucket":"media","#
                    + #""Prefix":"user/apiKey-alice/","Region":"eu-west-1","Endpoint":"s3.example.com"}}"#)
            #expect(
                answer["Countersign-Limited-By"] == "grant" && answer["Cache-Control"]?.contains("no-store") == true)
            // The same again: it is remembered.
            #expect(try service.get("/s3/credentials", APIKey.alice.bearer).text == answer.text)
            let call = try #require(vendor.calls.first)
            #expect(vendor.calls.count == 1 && call["Action"] == "AssumeRole" && call["DurationSeconds"] == "3600")
            #expect(call["RoleSessionName"]?.hasPrefix("alice-") == true)
            #expect(
                call["Policy"] == #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:PutObject","#
                    + #""s3:GetObject"],"Resource":["arn:aws:s3:::media/user/apiKey-alice/*"]}]}"#)
            // Nobody gets another's.
            let other = try service.get("/s3/credentials", APIKey.bob.bearer)
            #expect(other.json["SecretAccessKey"] == "secret-2" && vendor.calls.count == 2)
        }
    }

    @Test func `Uppy gets both spellings, bucket, region and prefix`() throws {
        let vendor = try AWSVendor()
        try run(vendor) { service in
            let answer = try service.get("/s3/sts", APIKey.alice.bearer)
            answer.expectSuccess()
            let json = answer.json
            #expect(json.names == ["credentials", "bucket", "keyPrefix", "region", "endpoint"])
            #expect(json["bucket"] == "media" && json["region"] == "eu-west-1" && json["keyPrefix"] == "user/alice/")
            for (companion, own) in [
                ("AccessKeyId", "accessKeyId"), ("SecretAccessKey", "secretAccessKey"),
                ("SessionToken", "sessionToken"), ("Expiration", "expiration"),
            ] {
                let value = json["credentials"]?[companion]?.string
                #expect(value?.isEmpty == false && value == json["credentials"]?[own]?.string)
            }
            #expect(vendor.calls.first?["DurationSeconds"] == "900")
            #expect(vendor.calls.first?["Policy"]?.contains(#"{"s3:prefix":["user/alice/*"]}"#) == true)
        }
    }

    @Test func `R5: a caller may ask for less, of the time and of the prefix`() throws {
        let vendor = try AWSVendor()
        try run(vendor) { service in
            let path = "/s3/credentials?expires=900&"
            for (query, resource, scope) in [
                ("key=user/apiKey-alice/a.txt", "media/user/apiKey-alice/a.txt\"", "Key"),
                ("keyPrefix=user/apiKey-alice/b/", "media/user/apiKey-alice/b/*\"", "Prefix"),
            ] {
                let answer = try service.get(path + query, APIKey.alice.bearer)
                answer.expectSuccess()
                #expect(answer.json["Scope"]?[scope] != nil && answer["Countersign-Limited-By"] == "requested")
                #expect(vendor.calls.last?["Policy"]?.contains(resource) == true)
                #expect(vendor.calls.last?["DurationSeconds"] == "900")
            }
            for query in [
                "key=user/apiKey-bob/a", "key=user/apiKey-alicex", "keyPrefix=user/", "key=user/apiKey-alice/../bob/a",
                "key=user/apiKey-alice/*", "keyPrefix=user/apiKey-alice/$%7Baws:username%7D/", "bucket=other",
                "expires=899", "expires=7201",
            ] {
                let answer = try service.get("/s3/credentials?\(query)", APIKey.alice.bearer)
                #expect([400, 403].contains(answer.status), "\(answer.text)")
            }
            #expect(vendor.calls.count == 2)
            try service.get("/s3/sts?key=user/alice/a", APIKey.alice.bearer).expectProblem(
                403, "not_in_grant", "narrow")
        }
    }

    @Test func `a user of the key's own is federated, with a short name`() throws {
        let vendor = try AWSVendor()
        try run(vendor, #"call: "federationToken", partition: "aws-cn""#) { service in
            try service.get("/s3/sts", APIKey.alice.bearer).expectSuccess()
            let call = try #require(vendor.calls.first)
            #expect(call["Action"] == "GetFederationToken" && call["RoleArn"] == nil)
            #expect(call["Name"].map { $0.hasPrefix("alice-") && $0.utf8.count <= 32 } == true)
            #expect(call["Policy"]?.contains("arn:aws-cn:s3:::media/user/alice/*") == true)
        }
    }

    @Test(arguments: [
        ("403 No", "AccessDenied", 502, "upstream_failed"), ("400 No", "PackedPolicyTooLarge", 502, "upstream_failed"),
        ("400 No", "Throttling", 503, "upstream_unavailable"),
        ("500 No", "InternalFailure", 503, "upstream_unavailable"),
        ("400 No", "IDPCommunicationError", 503, "upstream_unavailable"),
        ("403 No", "RequestExpired", 503, "upstream_unavailable"),
    ])
    func `what STS refuses is told by its code, and not its status`(
        status: String, code: String, expected: Int, problem: String
    ) throws {
        let vendor = try AWSVendor(refusing: (status, code))
        try run(vendor) { service in
            try service.get("/s3/credentials", APIKey.alice.bearer).expectProblem(expected, problem)
            #expect(
                vendor.calls.count
                    == (code == "AccessDenied" || code == "PackedPolicyTooLarge" ? 1 : vendor.calls.count))
        }
    }

    @Test func `R17: in an outage the session is served on until five minutes are left`() throws {
        let vendor = try AWSVendor()
        try run(vendor) { service in
            func session() throws -> Answer { try service.get("/s3/credentials", APIKey.alice.bearer) }
            let first = try session()
            vendor.refuse("503 Down", "ServiceUnavailable")
            for _ in 0..<9 {
                service.pass(milliseconds: 350_000)
                #expect(try session().text == first.text)
            }
            #expect(vendor.calls.count > 1, "the next was asked for ahead of time")
            service.pass(milliseconds: 350_000)
            #expect(try session().status == 503)
        }
    }
}
