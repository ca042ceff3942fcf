import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

@Suite("What the service asks Kodo by itself", .waiting)
struct QiniuFetchTests {
    @Test func `a host that is down is passed over for the next, over TLS`() throws {
        let certificates = try ClientCertificates.shared.get()
        let kodo = try FakeKodo(tls: certificates.good)
        let setup = Setup.fetches(
            "second", "https://localhost:\(try Listener.freePort())", "localhost:\(kodo.port)",
            limits: Setup.patientFetches)
        var environment = Setup.environment
        environment["SSL_CERT_FILE"] = certificates.authority
        try Service.run(setup, .epoll, environment) { service in
            for _ in 0..<3 { try service.get("/qiniu/files").expectSuccess() }
        }
        // Without the authority nobody is believed.
        try Service.run(setup, .epoll) { service in
            try service.get("/qiniu/files").expectProblem(503, "upstream_unavailable")
        }
    }

    @Test(arguments: Transport.allCases)
    func `who goes away is forgotten, and the vendor's connection with it`(_ transport: Transport) throws {
        let hung = DispatchSemaphore(value: 0)
        let kodo = try FakeKodo { connection, seen, _ in
            guard seen.target.hasPrefix("/list") else { return false }
            connection.hang()
            hung.signal()
            return true
        }
        try Service.run(.fetches("gone", kodo.url, limits: Setup.patientFetches), transport) { service in
            var clients = try (0..<20).map { _ in try service.connect() }
            for client in clients { try client.send(service.text("GET", "/qiniu/files")) }
            let end = Date.now.addingTimeInterval(60)
            while kodo.seen.count != 20, Date.now < end { poll(nil, 0, 5) }
            #expect(kodo.seen.count == 20)
            for client in clients { client.reset() }
            clients = []
            for _ in 0..<20 { #expect(hung.wait(timeout: .now() + 60) == .success) }
            // Nobody has shown that Kodo fails.
            try service.get("/qiniu/stat?key=photos/a.jpg").expectSuccess()
        }
    }
}
