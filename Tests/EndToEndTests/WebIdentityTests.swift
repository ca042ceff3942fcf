import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// Sessions of AWS's STS where a token in a file says who the service is.
@Suite("Sessions by a web identity", .waiting)
struct WebIdentityTests {
    @Test func `the token's file is read anew for each call, and no key signs`() throws {
        let vendor = try AWSVendor()
        defer { vendor.stop() }
        let setup = Setup(
            name: "web-identity",
            credentials: """
                credentials: {
                    "role": { provider: "aws-sts", call: "webIdentity", webIdentityTokenFile: "token", region: "eu-west-1",
                      roleArn: "arn:aws:iam::111122223333:role/demo", endpoints: "http://127.0.0.1:\(vendor.port)" },
                  }
                """,
            rest: """
                grants: {
                    "sessions": { route: "s3.credentials", credential: "role", callers: ["anonymous"], public: true,
                      bucket: "media", keyPrefix: "up/", actions: ["s3:PutObject"], maxLifetime: "2h" },
                  },
                """, files: ["token": "eyJ.first\n"])
        try Service.run(setup, .epoll) { service in
            let token = service.folder + "/token"
            try service.get("/s3/credentials").expectSuccess()
            try "eyJ.second\n".write(toFile: token, atomically: true, encoding: .utf8)
            try service.get("/s3/credentials?expires=900").expectSuccess()
            #expect(vendor.calls.map { $0["WebIdentityToken"] } == ["eyJ.first", "eyJ.second"])
            #expect(vendor.calls.allSatisfy { $0["Action"] == "AssumeRoleWithWebIdentity" })
            try FileManager.default.removeItem(atPath: token)
            try service.get("/s3/credentials?expires=1800").expectProblem(503, "upstream_unavailable")
            #expect(vendor.calls.count == 2)
            let log = service.stop().err
            #expect(log.contains("token cannot be read, or is empty") && !log.contains("eyJ"))
        }
    }
}
