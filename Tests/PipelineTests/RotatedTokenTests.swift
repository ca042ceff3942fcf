import Foundation
import TestPeers
import Testing

@testable import TestService

/// The token of RRSA, which the cluster writes anew again and again.
@Suite("A pod's own token", .timeLimit(.minutes(20)))
struct RotatedTokenTests {
    @Test func `RRSA: a token whose mount is swapped is used for the next key, and no request fails`() throws {
        let volume = try ProjectedVolume(["token": "token-1"])
        let vendor = try Vendor()
        var setup = Setup.vendor("rrsa", [])
        setup.credentials = """
            credentials: { "oss-sts": {
                provider: "sts", identity: "oidc", roleArn: "\(Setup.roleARN)", endpoints: ["\(vendor.url)"],
                oidcRoleArn: "acs:ram::1234567890123456:role/pod",
                oidcProviderArn: "acs:ram::1234567890123456:oidc-provider/ack",
                oidcTokenFile: "\(volume.path)/token",
                limits: { patience: "20s", callTimeout: "30s", attemptTimeout: "20s", callsPerCaller: "100000/min" },
              } }
            """
        try Service.run(setup) { service in
            var asked = 0
            /// A session that was not asked for before.
            func ask() throws {
                asked += 1
                try service.get("/distribute-token.json?expires=\(900 + asked)").expectSuccess()
            }
            try ask()
            for round in 2...3 {
                try volume.swap(to: ["token": "token-\(round)"])
                try ask()
                #expect(vendor.tokens.count == round - 1, "the key of the token before holds still")
                // Half of its life later it is fetched again.
                vendor.advance(service, seconds: 1900)
                for _ in 0..<100 where vendor.tokens.count < round { try ask() }
            }
            #expect(vendor.tokens == ["token-1", "token-2", "token-3"])
        }
    }

    /// STS that notes by which tokens the service asks for its own key.
    private final class Vendor: Sendable {
        private let state = State()
        private let peer: ClientPeer
        var url: String { "http://127.0.0.1:\(peer.port)" }
        /// Each once, in their order.
        var tokens: [String] { state.tokens }

        init() throws {
            let state = state
            peer = try ClientPeer { peer, _ in
                while true {
                    let time = state.take(try peer.request())
                    try peer.answer(STSFault.credentials(end: time + 3600), fields: "Date: \(httpDate(time))\r\n")
                }
            }
        }

        deinit { _ = peer.stop() }

        /// Puts the clocks of both sides forward.
        func advance(_ service: Service, seconds: Int64) {
            state.advance(by: seconds)
            service.clock.advance(by: seconds * 1000)
        }
    }

    private final class State: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [String] = []
        private var ahead: Int64 = 0
        var tokens: [String] { lock.withLock { list } }

        func advance(by seconds: Int64) { lock.withLock { ahead += seconds } }

        /// The time of the vendor.
        func take(_ request: String) -> Int64 {
            let token = request.firstMatch(of: /OIDCToken=([a-z0-9-]+)/).map { String($0.output.1) }
            return lock.withLock {
                if let token, !list.contains(token) { list.append(token) }
                return now + ahead
            }
        }
    }
}
