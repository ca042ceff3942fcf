import Crypto
import Foundation
import TestKeys
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// What comes of it when the names of vendors and issuers cannot be looked up.
@Suite("Names that cannot be resolved", .timed, .timeLimit(.minutes(20)))
struct NameServerTests {
    /// Sessions of a vendor, tokens of an issuer, and grants that need neither.
    static func setup(vendor: String, issuer: String) -> Setup {
        var setup = Setup.vendor("names", [vendor])
        let other = #""qiniu": { provider: "qiniu", accessKey: "AK", secretKey: "secret-of-the-end-to-end-tests" },"#
        setup.credentials = setup.credentials.replacing("credentials: {", with: "credentials: { \(other)")
        setup.rest = """
            authentication: { jwt: [{
                id: "login", issuer: "\(Setup.issuer)", audience: "uploads", algorithms: ["ES256"],
                jwksUrl: "\(issuer)/.well-known/jwks.json", jwksRefresh: "1s" }] },
              grants: {
                "app": { route: "distribute-token", credential: "oss-sts", callers: ["anonymous"], public: true,
                  bucket: "demo-bucket", keyPrefix: "uploads/", actions: ["oss:PutObject"], maxLifetime: "2h" },
                "open": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "demo-media", keyPrefix: "open/" },
                "own": { route: "qiniu.uptoken", credential: "qiniu", callers: ["jwt:login"],
                  bucket: "demo-media", keyPrefix: "own/" },
              },
            """
        return setup
    }

    static let session = "/distribute-token.json"
    private static let signed = "/qiniu/uptoken?grant=open"

    /// How often calls of a target have ended so.
    private static func calls(_ service: Service, _ target: String, _ outcome: String) throws -> Int {
        let sign = "\ncountersign_upstream_calls_total{target=\"\(target)\",outcome=\"\(outcome)\"} "
        let text = try service.admin.get("/metrics").text
        return Int(text.components(separatedBy: sign).last?.prefix(while: \.isNumber) ?? "") ?? -1
    }

    /// Asks until it is so, for 30 s at most.
    static func expect(
        _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () throws -> Bool
    ) throws {
        let end = ContinuousClock.now.advanced(by: .seconds(30))
        while try !isSo() {
            try #require(ContinuousClock.now < end, what, sourceLocation: sourceLocation)
            poll(nil, 0, 50)
        }
    }

    /// A session is refused in a bounded time, as are tokens of the issuer, while what is signed here is given.
    static func expectOutage(_ service: Service, _ token: String) throws {
        let waiting = try service.connect()
        let begin = ContinuousClock.now
        try waiting.send(service.text("GET", NameServerTests.session))
        try service.get(NameServerTests.signed).expectSuccess()
        #expect(begin.duration(to: .now) < .seconds(1))
        let answer = try waiting.answer()
        #expect(begin.duration(to: .now) < .seconds(3))
        answer.expectProblem(503, "upstream_unavailable", forSDK: true)
        #expect(answer["Retry-After"] != nil)
        let other = try service.get("/qiniu/uptoken?grant=own", token)
        other.expectProblem(401, "unauthenticated", "token")
        #expect(begin.duration(to: .now) < .seconds(4))
        for target in ["sts", "issuerKeys"] {
            try expect("no call to \(target) ends by the network") {
                _ = try service.get(NameServerTests.session)
                return try calls(service, target, "network") > 0
            }
        }
        try expect("readyz says nothing of it") {
            _ = try service.get(NameServerTests.session)
            return try service.admin.get("/readyz").json["parts"]?["sts"] == "failing"
        }
        // Another instance would be no better off.
        #expect(try service.admin.get("/readyz").status == 200)
        for line in ["no credential from the vendor", "keys of an issuer not fetched"] {
            _ = try service.process.waitForError(holding: line)
        }
    }

    @Test func `names that nobody has cost a bounded time, are counted, and stop nobody else`() throws {
        let setup = NameServerTests.setup(
            vendor: "https://sts.does-not-exist.invalid", issuer: "https://id.does-not-exist.invalid")
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        try NameServerTests.expectOutage(service, "Authorization: Bearer \(FakeIssuer.token(of: TestKey(.es256)))")
        #expect(service.stop().code == 0)
    }
}
