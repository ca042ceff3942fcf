import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

@Suite("Faults of the vendor, as clients see them", .timed)
struct STSFaultTests {
    @Test("every fault has its answer within 2 s, others are served meanwhile", arguments: STSFault.all)
    func answer(to fault: STSFault) throws {
        let certificates = try ClientCertificates.shared.get()
        let pair = fault.certificate.map { $0(certificates) } ?? certificates.good
        let peer = try ClientPeer(fault.script, tls: pair)
        defer { _ = peer.stop() }
        let setup = Setup.vendor(
            "fault", ["https://\(fault.host ?? "localhost"):\(peer.port)"], "caFile: \"\(certificates.authority)\"")
        try Service.run(setup, .epoll) { service in
            let client = try service.connect()
            let begin = ContinuousClock.now
            try client.send(service.text("GET", "/distribute-token.json"))
            // Nobody else is kept waiting.
            for _ in 0..<20 { #expect(try service.get("/livez").status == 200) }
            let answer = try client.answer()
            let time = ContinuousClock.now - begin
            answer.expectProblem(fault.status, fault.code, forSDK: true)
            #expect(Int(answer["Retry-After"] ?? "") ?? 0 >= 1)
            // Two seconds, and what a machine that is busy with the other tests may add.
            #expect(time < .seconds(4), "\(time)")
            let log = service.stop().err
            #expect(!log.contains("secret-of-the-end-to-end-tests"))
        }
    }

    @Test func `over TLS the vendor is verified, asked and believed`() throws {
        let certificates = try ClientCertificates.shared.get()
        let peer = try ClientPeer(STSFault.well, tls: certificates.good)
        defer { _ = peer.stop() }
        let setup = Setup.vendor(
            "good", ["https://localhost:\(peer.port)"], "caFile: \"\(certificates.authority)\", \(Setup.patient)")
        try Service.run(setup, .epoll) { service in
            let answer = try service.get("/distribute-token.json")
            answer.expectSuccess()
            #expect(answer.json["AccessKeyId"] == "STS.e2e")
            // Another session, over the connection that was kept.
            try service.get("/distribute-token.json?expires=1000").expectSuccess()
        }
        #expect(peer.connections <= 2)
    }

    @Test func `a call that a kept connection lost is signed anew, since the vendor may have seen its nonce`() throws {
        let nonces = Nonces()
        let peer = try ClientPeer { peer, _ in
            try peer.answer(
                nonces.take(try peer.request())
                    ? STSFault.credentials()
                    : "{\"RequestId\":\"1\",\"Code\":\"SignatureNonceUsed\",\"Message\":\"no\"}")
            // The next one is read, and never answered.
            _ = nonces.take(try peer.request())
        }
        defer { _ = peer.stop() }
        try Service.run(.vendor("nonce", ["http://127.0.0.1:\(peer.port)"], Setup.patient), .epoll) { service in
            // Enough for each event loop to have kept a connection.
            for number in 0..<8 { try service.get("/distribute-token.json?expires=\(1000 + number)").expectSuccess() }
        }
    }

    private final class Nonces: @unchecked Sendable {
        private let lock = NSLock()
        private var seen: Set<String> = []

        /// - Returns: whether the request's nonce is new.
        func take(_ request: String) -> Bool {
            let line = request.split(separator: "\r\n").first { $0.hasPrefix("x-acs-signature-nonce: ") }
            return lock.withLock { seen.insert(String(line ?? "none")).inserted }
        }
    }

    @Test func `an endpoint that is down is passed over for the next`() throws {
        let certificates = try ClientCertificates.shared.get()
        let peer = try ClientPeer(STSFault.well, tls: certificates.good)
        defer { _ = peer.stop() }
        let setup = Setup.vendor(
            "second", ["https://localhost:\(try Listener.freePort())", "https://localhost:\(peer.port)"],
            "caFile: \"\(certificates.authority)\", \(Setup.patient)")
        try Service.run(setup, .epoll) { service in
            try service.get("/distribute-token.json").expectSuccess()
        }
    }

    @Test func `when the vendor is back, so are we within 5 s`() throws {
        let port = try Listener.freePort()
        let setup = Setup.vendor("back", ["http://127.0.0.1:\(port)"])
        // Stopped after the service, which keeps its connection while it runs.
        var peer: ClientPeer?
        defer { _ = peer?.stop() }
        try Service.run(setup, .epoll) { service in
            for _ in 0..<10 {
                let answer = try service.get("/distribute-token.json")
                answer.expectProblem(503, "upstream_unavailable", forSDK: true)
            }
            peer = try ClientPeer(STSFault.well, port: port)
            let begin = ContinuousClock.now
            var status = 503
            while status != 200, ContinuousClock.now - begin < .seconds(10) {
                status = try service.get("/distribute-token.json").status
                if status != 200 { usleep(100_000) }
            }
            #expect(status == 200)
            #expect(ContinuousClock.now - begin < .seconds(8))
        }
    }

    @Test(arguments: Transport.allCases)
    func `a thousand who wait for a slow vendor hold no thread, make one call, and are all answered`(
        _ transport: Transport
    ) throws {
        let calls = Calls()
        let peer = try ClientPeer(
            { peer, _ in
                while true {
                    try peer.request()
                    calls.count()
                    poll(nil, 0, 700)
                    try peer.answer(STSFault.credentials())
                }
            })
        defer { _ = peer.stop() }
        try Service.run(.vendor("thousand", ["http://127.0.0.1:\(peer.port)"], Setup.patient), transport) { service in
            let threads = try threadCount(of: service.process.identifier)
            let clients = try (0..<1000).map { _ in try service.connect() }
            for client in clients { try client.send(service.text("GET", "/distribute-token.json")) }
            #expect(try service.get("/livez").status == 200)
            // Dispatch takes a few of its own, as it likes.
            let waiting = try threadCount(of: service.process.identifier)
            #expect(waiting <= threads + 20)
            let answers = try clients.map { try $0.answer() }
            #expect(answers.allSatisfy { $0.status == 200 })
        }
        #expect(calls.total == 1)
    }

    private final class Calls: @unchecked Sendable {
        private let lock = NSLock()
        private var made = 0
        func count() { lock.withLock { made += 1 } }
        var total: Int { lock.withLock { made } }
    }

    private func threadCount(of process: pid_t) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count
    }
}
