import Foundation
import TestPeers
import Testing

@testable import TestService

/// Sessions of less than a grant's prefix, and what an answer says a session is for.
@Suite("Narrow sessions", .timeLimit(.minutes(20)))
struct NarrowSessionTests {
    private static func setup(_ vendor: SessionVendor, limits: String = Setup.patient) -> Setup {
        var setup = Setup.vendor("narrow", ["http://127.0.0.1:\(vendor.port)"], "region: \"cn-hangzhou\", \(limits)")
        setup.rest = """
            authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)] },
              grants: {
                "narrow": {
                  route: "distribute-token", credential: "oss-sts", callers: ["apiKey:alice"], bucket: "demo-bucket",
                  keyPrefix: "users/${caller.id}/", actions: ["oss:PutObject", "oss:GetObject"], listPrefix: true,
                  narrow: true,
                },
                "whole": {
                  route: "distribute-token", credential: "oss-sts", callers: ["apiKey:bob"], bucket: "demo-bucket",
                  keyPrefix: "users/${caller.id}/", actions: ["oss:PutObject"],
                },
              },
            """
        return setup
    }

    private static let path = "/distribute-token.json"

    private static func object(_ resource: String) -> String {
        #"{"Effect":"Allow","Action":["oss:PutObject","oss:GetObject"],"Resource":["acs:oss:*:*:demo-bucket/"#
            + resource
            + #""]}"#
    }

    private static func listing(_ prefix: String) -> String {
        #",{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["acs:oss:*:*:demo-bucket"],"#
            + #""Condition":{"StringLike":{"oss:Prefix":[""# + prefix + #"*"]}}}"#
    }

    private static func policy(_ statements: String) -> String { #"{"Version":"1","Statement":["# + statements + "]}" }

    @Test func `a session is of the prefix, of a longer one, or of one key, by its policy and by its answer`() throws {
        let vendor = try SessionVendor()
        defer { vendor.stop() }
        try Service.run(Self.setup(vendor)) { service in
            let common: [String: JSON] = [
                "Bucket": "demo-bucket", "Region": "cn-hangzhou", "Endpoint": "oss-cn-hangzhou.aliyuncs.com",
            ]
            for (query, scope, statements) in [
                ("", ("Prefix", "users/alice/"), Self.object("users/alice/*") + Self.listing("users/alice/")),
                (
                    "?keyPrefix=users/alice/2026/", ("Prefix", "users/alice/2026/"),
                    Self.object("users/alice/2026/*") + Self.listing("users/alice/2026/")
                ),
                ("?key=users/alice/a.jpg", ("Key", "users/alice/a.jpg"), Self.object("users/alice/a.jpg")),
                // The same bytes as the prefix above.
                ("?key=users/alice/2026/", ("Key", "users/alice/2026/"), Self.object("users/alice/2026/")),
                (
                    "?keyPrefix=users/alice/2026/", ("Prefix", "users/alice/2026/"),
                    Self.object("users/alice/2026/*") + Self.listing("users/alice/2026/")
                ),
            ] {
                let answer = try service.get(Self.path + query, APIKey.alice.bearer)
                answer.expectSuccess()
                #expect(answer.json["Scope"] == .object(common.merging([scope.0: .string(scope.1)]) { $1 }))
                let session = vendor.sessions.firstIndex { $0.accessKey == answer.json["AccessKeyId"]?.string }
                #expect(vendor.calls[try #require(session)]["Policy"] == Self.policy(statements), "\(query)")
            }
            // Each is a session of its own, and the last one was remembered.
            #expect(vendor.calls.count == 4)
        }
    }

    @Test(arguments: [
        "key=users/bob/a", "key=users/alice", "key=users/alicex/a", "keyPrefix=users/", "keyPrefix=users/bob/",
        "keyPrefix=users/alice/../bob/", "key=users/alice/../bob/a", "key=users/alice/./a", "key=/users/alice/a",
        "keyPrefix=users/alice/2026", "key=users/alice/*", "key=users/alice/a?", "keyPrefix=users/alice/%2A/",
        "keyPrefix=users/alice/$a/", "key=users/alice/%22", "key=users/alice/%5C", "key=users/alice/%00",
        "key=users/alice/$%7Bx%7D", "key=", "keyPrefix=", "key=users/alice/a&keyPrefix=users/alice/b/",
        "prefix=users/alice/a/", "bucket=demo-other",
    ])
    func `what would be wider, or read as something else, is refused, and the vendor is not asked`(query: String) throws
    {
        let vendor = try SessionVendor()
        defer { vendor.stop() }
        try Service.run(Self.setup(vendor)) { service in
            let answer = try service.get("\(Self.path)?\(query)", APIKey.alice.bearer)
            #expect(answer.status == 400 || answer.status == 403, "\(answer.text)")
            #expect(vendor.calls.isEmpty)
        }
    }

    @Test func `a key that is too long for a session's policy is refused`() throws {
        let vendor = try SessionVendor()
        defer { vendor.stop() }
        try Service.run(Self.setup(vendor)) { service in
            let long = String(repeating: "a", count: 1_000)
            try service.get("\(Self.path)?keyPrefix=users/alice/\(long)/", APIKey.alice.bearer)
                .expectProblem(403, "not_in_grant", "too long for a session's policy", forSDK: true)
            try service.get("\(Self.path)?key=users/alice/\(long)", APIKey.alice.bearer).expectSuccess()
        }
    }

    @Test func `a grant that does not say narrow gives its whole prefix alone`() throws {
        let vendor = try SessionVendor()
        defer { vendor.stop() }
        try Service.run(Self.setup(vendor)) { service in
            for query in ["key=users/bob/a", "keyPrefix=users/bob/a/", "keyPrefix=users/bob/"] {
                let answer = try service.get("\(Self.path)?\(query)", APIKey.bob.bearer)
                answer.expectProblem(403, "not_in_grant", "narrow", forSDK: true)
                #expect(answer.json["clause"] == "narrow")
            }
            #expect(vendor.calls.isEmpty)
        }
    }

    @Test func `R17: each narrow session is a call of the caller's share`() throws {
        let vendor = try SessionVendor()
        defer { vendor.stop() }
        let limits = #"limits: { callsPerCaller: "5/h", sessions: 8, patience: "20s", callTimeout: "30s" },"#
        try Service.run(Self.setup(vendor, limits: limits)) { service in
            for number in 0..<40 {
                let answer = try service.get("\(Self.path)?key=users/alice/\(number)", APIKey.alice.bearer)
                #expect(answer.status == (number < 5 ? 200 : 429), "\(answer.text)")
            }
            #expect(vendor.calls.count == 5)
            try service.get("\(Self.path)?key=users/alice/0", APIKey.alice.bearer).expectSuccess()
            try service.get(Self.path, APIKey.bob.bearer).expectSuccess()
            #expect(vendor.calls.count == 6)
        }
    }
}
