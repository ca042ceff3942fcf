import Crypto
import Foundation
import TestKeys
import TestPeers
import Testing

@testable import TestService

/// One caller cannot use up what all others need of the vendor.
@Suite("A caller's share of the vendor's calls", .timeLimit(.minutes(20)))
struct SessionShareTests {
    /// A vendor that counts what it is asked.
    private final class Vendor: Sendable {
        private final class Count: @unchecked Sendable {
            private let lock = NSLock()
            private var count = 0
            func add() { lock.withLock { count += 1 } }
            var value: Int { lock.withLock { count } }
        }

        private let count = Count()
        private let peer: ClientPeer

        init() throws {
            let count = count
            peer = try ClientPeer { peer, _ in
                while true {
                    try peer.request()
                    count.add()
                    try peer.answer(STSFault.credentials(), fields: "Date: \(httpDate(now))\r\n")
                }
            }
        }

        deinit { _ = peer.stop() }

        var calls: Int { count.value }
        var url: String { "http://127.0.0.1:\(peer.port)" }
    }

    /// A caller gets five calls and then none for minutes, the account many.
    private static let limits = #"limits: { callsPerCaller: "5/h", patience: "20s", callTimeout: "30s" },"#

    private static func expectRefused(_ answer: Answer) {
        answer.expectProblem(429, "rate_limited", forSDK: true)
        #expect(answer["Retry-After"].flatMap { Int($0) }.map { $0 >= 1 } == true)
    }

    @Test func `who varies expires uses up its own share of the calls, and nobody else's`() throws {
        let vendor = try Vendor()
        let setup = Setup.vendor("shares", [vendor.url], Self.limits)
        try Service.run(setup) { service in
            let path = "/distribute-token.json?grant=everybody&expires="
            for number in 0..<60 {
                let answer = try service.get("\(path)\(900 + number)", APIKey.alice.bearer)
                if number < 5 { #expect(answer.status == 200, "\(answer.text)") } else { Self.expectRefused(answer) }
            }
            #expect(vendor.calls == 5)
            // What is remembered costs nothing.
            #expect(try service.get("\(path)900", APIKey.alice.bearer).status == 200)
            #expect(try service.get("\(path)900", APIKey.bob.bearer).status == 200)
            #expect(vendor.calls == 6)
            let metrics = try service.admin.get("/metrics").text
            #expect(metrics.contains("countersign_limits_hit_total{limit=\"callsPerCaller\"} 55\n"))
        }
    }

    @Test func `who varies a claim in sessionName uses up its own share of the calls, and nobody else's`() throws {
        let vendor = try Vendor()
        var setup = Setup.vendor("shares of claims", [vendor.url], Self.limits)
        setup.files = ["secrets/tokens": String(decoding: Setup.tokenSecret.secret, as: UTF8.self) + "\n"]
        setup.rest = """
            authentication: {
                jwt: [{ id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                  secret: { file: "secrets/tokens" } }],
              },
              grants: {
                "own": {
                  route: "distribute-token", credential: "oss-sts", callers: ["jwt:intern"], bucket: "demo-bucket",
                  keyPrefix: "users/${sha256:claims.sub}/", actions: ["oss:PutObject"], lifetime: "15m",
                  sessionName: "${claims.device}",
                },
              },
            """
        func token(_ subject: String, _ device: Int) -> String {
            let claims =
                "{\"iss\":\"intern\",\"aud\":\"uploads\",\"sub\":\"\(subject)\",\"device\":\"d\(device)\",\"exp\":\(now + 7200)}"
            return "Authorization: Bearer \(Setup.tokenSecret.token(header: "{\"alg\":\"HS256\"}", claims: claims))"
        }
        try Service.run(setup) { service in
            for number in 0..<60 {
                let answer = try service.get("/distribute-token.json", token("mallory", number))
                if number < 5 { #expect(answer.status == 200, "\(answer.text)") } else { Self.expectRefused(answer) }
            }
            #expect(vendor.calls == 5)
            #expect(try service.get("/distribute-token.json", token("alice", 0)).status == 200)
            #expect(vendor.calls == 6)
        }
    }
}
