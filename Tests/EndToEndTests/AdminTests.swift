import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

@Suite("The admin listener", .waiting, .timeLimit(.minutes(20)))
struct AdminTests {
    private static let operatorKey = APIKey(key: "key-of-the-operator-0123456789", id: "operator")

    @Test(arguments: Transport.allCases)
    func `those who run the service get in when everybody else has taken all connections`(
        _ transport: Transport
    ) throws {
        var setup = Setup(name: "crowded", server: "limits: { connections: 2 },", rest: "grants: {},")
        setup.admin += ", connections: 1"
        try Service.run(setup, transport) { service in
            let crowd = try (0..<2).map { _ in try service.connect() }
            for client in crowd {
                try client.send(service.text("GET", "/livez"))
                #expect(try client.answer().status == 200)
            }
            #expect(try service.get("/livez").status == 503)
            let admin = try service.admin.connect()
            try admin.send(service.admin.text("GET", "/readyz"))
            #expect(try admin.answer().status == 200)
            try service.admin.get("/readyz").expectProblem(503, "overloaded")
        }
    }

    @Test func `off loopback it listens with a key only, and answers to any of the machine's addresses`() throws {
        var setup = Setup(
            name: "outer admin", server: #"plaintext: true, hosts: ["t.example.com"],"#, rest: "grants: {},")
        setup.admin = #"listen: "0.0.0.0:0""#
        let folder = try Keeper.makeFolder()
        let path = try setup.write(to: folder, transport: .epoll)
        let refused = try Program.run("check", "--config", path, environment: Setup.environment)
        #expect(refused.code == 3)
        #expect(refused.err.contains("admin.auth"), "\(refused.err)")
        setup.admin += ", auth: [\(AdminTests.operatorKey.entry)]"
        try Service.run(setup, .epoll) { service in
            for host in ["127.0.0.1", "10.1.2.3:8081", "[2001:db8::1]:1", "t.example.com"] {
                let answer = try service.admin.get("/readyz", "Host: \(host)")
                #expect(answer.status == 200, "\(host)")
            }
            try service.admin.get("/readyz", "Host: evil.example").expectProblem(421, "misdirected")
        }
    }

    @Test func `beside TLS it speaks plain HTTP on loopback, and TLS elsewhere`() throws {
        let certificates = try ClientCertificates.shared.get()
        let pair = certificates.good
        var setup = Setup(
            name: "tls admin",
            server: """
                tls: { certificates: [{ names: "localhost", certificateFile: "\(pair.chain)", keyFile: "\(pair.key)" }] },
                """,
            rest: "grants: {},")
        try Service.run(setup, .epoll) { service in try service.admin.get("/readyz").expectSuccess() }
        setup.admin = "listen: \"0.0.0.0:0\", auth: [\(AdminTests.operatorKey.entry)]"
        try Service.run(setup, .epoll) { service in
            let url = "https://localhost:\(service.admin.port)/readyz"
            let outcome = try CurlTests.curl(["--cacert", certificates.authority, url])
            #expect(outcome.out.contains("\"ready\""), "\(outcome.err)")
        }
    }

    @Test func `without addresses there is none, and the service serves all the same`() throws {
        var setup = Setup(name: "no admin", rest: "grants: {},")
        setup.admin = "listen: []"
        let folder = try Keeper.makeFolder()
        let path = try setup.write(to: folder, transport: .epoll)
        let process = try Program(Program.countersign, ["serve", "--config", path], environment: Setup.environment)
        _ = try process.waitForError(holding: "listening address=")
        let outcome = process.stop()
        #expect(outcome.code == 0)
        #expect(!outcome.err.contains("listening for admin"))
    }
}
