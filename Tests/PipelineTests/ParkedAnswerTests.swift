import Foundation
import TestPeers
import Testing

@testable import TestService

@Suite("Clients who wait for the vendor")
struct ParkedAnswerTests {
    /// Keeps those waiting who ask for two hours, refuses those who ask for 1,000 s, and gives all others what they want.
    private static let vendor: ClientPeer.Script = { peer, _ in
        while true {
            let request = try peer.request()
            if request.contains("DurationSeconds=7200&") {
                peer.hang()
            } else if request.contains("DurationSeconds=1000&") {
                try peer.answer(#"{"RequestId":"1","Code":"NoPermission","Message":"no"}"#, status: "403 No")
            } else {
                try peer.answer(STSFault.credentials())
            }
        }
    }

    @Test func `who goes away makes room for others`() throws {
        let peer = try ClientPeer(ParkedAnswerTests.vendor)
        defer { _ = peer.stop() }
        // Nobody's time is over while the test runs.
        let limits = #"limits: { waiters: 2, patience: "60s", attemptTimeout: "30s", callTimeout: "60s" }"#
        let setup = Setup.vendor("room", ["http://127.0.0.1:\(peer.port)"], limits)
        try Service.run(setup) { service in
            let clients = try (0..<3).map { _ in try service.connect() }
            for client in clients { try client.send(service.text("GET", "/distribute-token.json?expires=7200")) }
            // Whichever it is that came last; the other two wait.
            var refused: Client?
            for _ in 0..<200 where refused == nil { refused = clients.first { $0.hasNews(within: 0.05) } }
            let last = try #require(refused)
            try last.answer().expectProblem(503, "upstream_unavailable", "too many are waiting", forSDK: true)
            for client in clients where client !== last { client.reset() }
            // Each asks for another session, so that it has to wait, if only for a moment.
            var answer = try service.get("/distribute-token.json?expires=2000")
            let begin = ContinuousClock.now
            for lifetime in 2001...6000 where answer.status != 200 && ContinuousClock.now - begin < .seconds(60) {
                answer = try service.get("/distribute-token.json?expires=\(lifetime)")
            }
            answer.expectSuccess()
        }
    }

    @Test func `R2: an answer that had to wait is for the same web pages as one that had not`() throws {
        let peer = try ClientPeer(ParkedAnswerTests.vendor)
        defer { _ = peer.stop() }
        let setup = Setup.vendor(
            "pages", ["http://127.0.0.1:\(peer.port)"], Setup.patient,
            server: #"cors: { origins: ["https://app.example.com"] },"#)
        try Service.run(setup) { service in
            // The second time nobody waits: it is remembered.
            for _ in 0..<2 {
                for lifetime in [900, 1000] {
                    let answer = try service.get(
                        "/distribute-token.json?expires=\(lifetime)", "Origin: https://app.example.com")
                    #expect(answer.status == (lifetime == 900 ? 200 : 502))
                    #expect(answer["Access-Control-Allow-Origin"] == "https://app.example.com")
                    #expect(answer["Vary"] == "Origin")
                }
            }
            let plain = try service.get("/distribute-token.json?expires=901")
            #expect(plain.status == 200 && plain["Vary"] == "Origin" && !plain.has("Access-Control-Allow-Origin"))
        }
    }
}
