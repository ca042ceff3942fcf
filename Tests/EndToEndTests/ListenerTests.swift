import Foundation
import Glibc
import TestTraits
import Testing

@testable import TestService

@Suite("What the service listens on", .waiting, .timeLimit(.minutes(20)))
struct ListenerTests {
    private static func setup(_ listen: [String], _ server: String = "") -> Setup {
        Setup(
            name: "listeners", server: server, rest: Setup.open.rest,
            listen: "[" + listen.map { "\"\($0)\"" }.joined(separator: ", ") + "]")
    }

    @Test(arguments: Transport.allCases)
    func `IPv4, IPv6 and a Unix socket together, each answering to its own names`(_ transport: Transport) throws {
        let folder = try Keeper.makeFolder()
        let path = folder + "/public.sock"
        let port = try Listener.freePort()
        let service = try Service(Self.setup(["[::1]:\(port)", "unix:\(path)", "127.0.0.1:0"]), transport)
        defer { service.stop() }
        func ask(_ client: Client, _ host: String) throws -> Int {
            try client.send("GET /qiniu/uptoken?key=photos/a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return try client.answer().status
        }
        #expect(try ask(Client(v6Port: port), "[::1]:\(port)") == 200)
        #expect(try ask(Client(v6Port: port), "localhost") == 200)
        #expect(try ask(Client(v6Port: port), "127.0.0.1") == 421)
        // R1: a Unix socket is no loopback listener.
        #expect(try ask(Client(path: path), "t.example.com") == 200)
        #expect(try ask(Client(path: path), "localhost") == 200)
        for _ in 0..<8 { #expect(try ask(Client(path: path), "x") == 200) }
        let pipelining = try Client(path: path)
        let request = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
        try pipelining.send(String(repeating: request, count: 500))
        for _ in 0..<500 { try #require(try pipelining.answer().status == 200) }
    }

    @Test(arguments: Transport.allCases)
    func `the file of a Unix socket is for user and group, and is gone after the end`(_ transport: Transport) throws {
        let path = try Keeper.makeFolder() + "/public.sock"
        let setup = Self.setup(["127.0.0.1:0", "unix:\(path)"])
        try Service.run(setup, transport) { service in
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode == S_IFSOCK | 0o660)
            // Nobody takes it away from a service that listens.
            let second = try Program.run("serve", "--config", service.configuration, environment: Setup.environment)
            #expect(second.code == 1)
            #expect(
                second.err.contains("cannot listen on unix:\(path): another process listens there"), "\(second.err)")
            let answer = try Client(path: path)
            try answer.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try answer.answer().status == 200)
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a socket that is left over is replaced, anything else is not`() throws {
        let path = try Keeper.makeFolder() + "/public.sock"
        let setup = Self.setup(["127.0.0.1:0", "unix:\(path)"])
        let first = try Service(setup, .epoll)
        first.process.signal(SIGKILL)
        _ = try first.process.wait()
        #expect(access(path, F_OK) == 0)
        try Service.run(setup, .epoll) { service in
            let health = try Client(path: path)
            try health.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try health.answer().status == 200)
        }
        try Keeper.write("precious", to: path)
        #expect(throws: Program.Failure.self) { try Service(setup, .epoll) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        first.stop()
    }

    @Test func `healthcheck asks by the Unix socket if that is the first`() throws {
        let path = try Keeper.makeFolder() + "/public.sock"
        try Service.run(Self.setup(["unix:\(path)", "127.0.0.1:0"], "hosts: [\"t.example.com\"],"), .epoll) {
            service in
            let up = try Program.run("healthcheck", "--config", service.configuration, environment: Setup.environment)
            #expect(up.code == 0, "\(up.err)")
            _ = service.process.stop()
            let down = try Program.run("healthcheck", "--config", service.configuration, environment: Setup.environment)
            #expect(down.code == 1)
        }
    }

    /// Tries to listen on a port of IPv4 as another process of the same user, which this test's process is.
    /// - Returns: 0, or the error by which the system refused it.
    private func join(_ host: UInt32, _ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var on: Int32 = 1
        for option in [SO_REUSEADDR, SO_REUSEPORT] { setsockopt(descriptor, SOL_SOCKET, option, &on, 4) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        return isBound && listen(descriptor, 16) == 0 ? 0 : errno
    }

    @Test(arguments: Transport.allCases)
    func `another process of the same user gets no connections of its ports, also when another binary has taken over`(
        _ transport: Transport
    ) throws {
        var setup = Self.setup(["127.0.0.1:\(try Listener.freePort())"], "workers: 4,")
        setup.admin = "listen: \"127.0.0.1:\(try Listener.freePort())\""
        let service = try Service(setup, transport)
        defer { service.stop() }
        func expectClosed() throws {
            for port in [service.port, service.admin.port] {
                for host in [INADDR_LOOPBACK, INADDR_ANY] { #expect(join(host, port) == EADDRINUSE) }
            }
            for _ in 0..<40 { try service.get("/livez").expectSuccess() }
        }
        try expectClosed()
        service.process.signal(SIGUSR2)
        let log = try service.process.waitForError(holding: "handed over process=")
        let process = log.firstMatch(of: #/handed over process=([0-9]+)/#).flatMap { pid_t($0.output.1) }
        let successor = try #require(process)
        defer { kill(successor, SIGTERM) }
        try expectClosed()
    }
}
