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
                let client = try InProcessClient(service.inProcess)
                try client.send(service.text("GET", "/distribute-token.json?expires=\(900 + asked)"))
                try client.waitForOtherThreads()
                try client.answer().expectSuccess()
            }
            try ask()
            for round in 2...3 {
                try volume.swap(to: ["token": "token-\(round)"])
                try ask()
                #expect(vendor.keys.count == round - 1, "the key of the token before holds still")
                // Half of its life later it is fetched again, while the one before is still used.
                vendor.advance(service, seconds: 1900)
                let deadline = Date.now.addingTimeInterval(Program.patience)
                while vendor.keys.count < round, Date.now < deadline {
                    try ask()
                    usleep(50_000)
                }
            }
            #expect(vendor.keys == ["STS.token-1", "STS.token-2", "STS.token-3"])
        }
    }

    /// STS that names each key after the token that it was asked for by, and notes by which keys it is asked for sessions.
    private final class Vendor: Sendable {
        private let state = State()
        private let peer: ClientPeer
        var url: String { "http://127.0.0.1:\(peer.port)" }
        /// Each once, in their order.
        var keys: [String] { state.keys }

        init() throws {
            let state = state
            peer = try ClientPeer { peer, _ in
                while true {
                    let request = try peer.request()
                    let token = request.firstMatch(of: /OIDCToken=([a-z0-9-]+)/).map { "STS.\($0.output.1)" }
                    let used = request.firstMatch(of: /Credential=(STS\.[a-z0-9-]+),/).map { String($0.output.1) }
                    let time = state.note(used)
                    let credentials = STSFault.credentials(token ?? "STS.session", end: time + 3600)
                    try peer.answer(credentials, fields: "Date: \(httpDate(time))\r\n")
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
        var keys: [String] { lock.withLock { list } }

        func advance(by seconds: Int64) { lock.withLock { ahead += seconds } }

        /// - Returns: the time of the vendor.
        func note(_ key: String?) -> Int64 {
            lock.withLock {
                if let key, !list.contains(key) { list.append(key) }
                return now + ahead
            }
        }
    }
}
