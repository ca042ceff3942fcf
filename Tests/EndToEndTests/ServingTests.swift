import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("The life of a service: start, health, end", .waiting)
struct ServingTests {
    private static let grants = """
        grants: {
            "files": {
              route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
              bucket: "demo-files", unscoped: true,
            },
          },
        """

    @Test(arguments: Transport.allCases)
    func `SIGTERM ends it with 0 while a slow request is under way, which is still answered`(
        _ transport: Transport
    ) throws {
        for signal in [SIGTERM, SIGINT] {
            // With one loop, what it does to one connection tells what it has heard.
            let server = "workers: 1, limits: { drainTimeout: \"60s\" }"
            let setup = Setup(name: "ending", server: server, rest: ServingTests.grants)
            let service = try Service(setup, transport)
            defer { service.stop() }
            let (slow, idle) = (try service.connect(), try service.connect())
            try idle.send(service.text("GET", "/livez"))
            #expect(try idle.answer().status == 200)
            let body = #"{"object": "a"}"#
            let request = service.text(
                "POST", "/nos/token", ["Content-Type: application/json", "Expect: 100-continue"], body: body)
            try slow.send(String(request.dropLast(body.count)))
            #expect(try slow.answer().status == 100)
            service.process.signal(signal)
            // Who waits for nothing is let go at once.
            #expect(try idle.isClosed())
            try slow.send(body)
            let answer = try slow.answer()
            #expect(answer.status == 200)
            #expect(answer.closes)
            #expect(try slow.isClosed())
            let outcome = try service.process.wait()
            #expect(outcome.code == 0)
            #expect(outcome.out.isEmpty)
            #expect(outcome.err.contains("stopped"))
        }
    }

    @Test(arguments: Transport.allCases)
    func `SIGTERM at the very moment it says that it listens ends it, too`(_ transport: Transport) throws {
        for _ in 0..<8 {
            let service = try Service(Setup(name: "early", rest: "grants: {},"), transport)
            defer { service.stop() }
            service.process.signal(SIGTERM)
            let outcome = try service.process.wait()
            try #require(outcome.code == 0)
        }
    }

    @Test func `a port that is taken is 1 with a message that names the address`() throws {
        // Another program's, another service's, and one that it has itself.
        let listener = try Listener()
        let service = try Service.shared(.open, .epoll)
        for listen in [
            #""127.0.0.1:\#(listener.port)""#, #""127.0.0.1:\#(service.port)""#,
            #"["127.0.0.1:0", "127.0.0.1:\#(listener.port)"]"#,
        ] {
            let folder = try Keeper.makeFolder()
            let setup = Setup(name: "taken", rest: "grants: {},", listen: listen)
            let path = try setup.write(to: folder, transport: .epoll)
            let outcome = try Program.run("serve", "--config", path, environment: Setup.environment)
            #expect(outcome.code == 1)
            let port = listen.contains("\(service.port)") ? service.port : listener.port
            #expect(outcome.err.contains("127.0.0.1:\(port)"), "\(outcome.err)")
            #expect(!outcome.err.contains("address=127.0.0.1"), "it said that it listens")
        }
        // The other one has lost nothing by it.
        #expect(try service.get("/livez").status == 200)
    }

    @Test func `healthcheck is 0 while the service answers, and 1 when nothing does`() throws {
        let port = try Listener.freePort()
        let setup = Setup(name: "health", rest: ServingTests.grants, listen: "\"127.0.0.1:\(port)\"")
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        let up = try Program.run("healthcheck", "--config", service.configuration, environment: Setup.environment)
        #expect(up.code == 0, "\(up.err)")
        _ = service.process.stop()
        let down = try Program.run("healthcheck", "--config", service.configuration, environment: Setup.environment)
        #expect(down.code == 1)
        #expect(down.err.contains("127.0.0.1:\(port)"))
    }

    @Test func `healthcheck finds a service well that listens everywhere but answers to listed names only`() throws {
        let port = try Listener.freePort()
        let setup = Setup(
            name: "named", server: #"plaintext: true, hosts: ["t.example.com"],"#, rest: ServingTests.grants,
            listen: "\"0.0.0.0:\(port)\"")
        let folder = try Keeper.makeFolder()
        let path = try setup.write(to: folder, transport: .epoll)
        let process = try Program(Program.countersign, ["serve", "--config", path], environment: Setup.environment)
        defer { _ = process.stop() }
        _ = try process.waitForError(holding: "listening")
        // R1 holds for clients.
        for (host, status) in [("t.example.com", 200), ("127.0.0.1", 421), ("evil.example", 421)] {
            let client = try Client(port)
            try client.send("GET /nos/token?object=a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try client.answer().status == status)
        }
        let outcome = try Program.run("healthcheck", "--config", path, environment: Setup.environment)
        #expect(outcome.code == 0, "\(outcome.err)")
    }

    @Test func `secrets are in no argument, in no line of the log, and in no file that it writes`() throws {
        let service = try Service(.open, .epoll)
        defer { service.stop() }
        let before = try FileManager.default.subpathsOfDirectory(atPath: service.folder)
        _ = try service.get("/qiniu/uptoken?key=photos/a", "Authorization: Bearer \(APIKey.alice.key)x")
        _ = try service.get("/qiniu/uptoken?key=hers/a", APIKey.alice.bearer)
        _ = try service.post("/oss/sign", "text/plain", Signable().text)
        let arguments = try String(contentsOfFile: "/proc/\(service.process.identifier)/cmdline", encoding: .utf8)
        #expect(arguments.split(separator: "\0").dropFirst() == ["serve", "--config", service.configuration[...]])
        let after = try FileManager.default.subpathsOfDirectory(atPath: service.folder)
        #expect(before.sorted() == after.sorted())
        let outcome = service.process.stop()
        #expect(outcome.code == 0)
        for secret in [Setup.qiniuSecret, Setup.nosSecret, Setup.ossSecret, APIKey.alice.key] {
            #expect(!(arguments + outcome.err + outcome.out).contains(secret))
        }
    }

    @Test func `the log is JSON lines unless text is asked for`() throws {
        let folder = try Keeper.makeFolder()
        let text =
            "{ version: 1, server: { listen: \"127.0.0.1:0\" }, admin: { listen: [] }, credentials: {}, grants: {} }"
        let path = try Keeper.write(text, to: folder + "/c.json5")
        let process = try Program(Program.countersign, ["serve", "--config", path])
        defer { _ = process.stop() }
        let lines = try process.waitForError(holding: "listening").split(separator: "\n")
        // Warnings may come before.
        let entries = try lines.map { try JSON(String($0)) }
        let entry = try #require(entries.first { $0["message"] == "listening" })
        #expect(entry["level"] == "info")
        #expect(entry["address"]?.string?.hasPrefix("127.0.0.1:") == true)
    }

    @Test func `it listens on IPv6, too, and answers to that address`() throws {
        let setup = Setup(name: "six", rest: ServingTests.grants, listen: #""[::1]:0""#)
        let folder = try Keeper.makeFolder()
        let path = try setup.write(to: folder, transport: .epoll)
        let process = try Program(Program.countersign, ["serve", "--config", path], environment: Setup.environment)
        defer { _ = process.stop() }
        let log = try process.waitForError(holding: "listening address=[::1]:")
        let port = try #require(log.firstMatch(of: #/address=\[::1\]:(\d+)/#)?.output.1)
        let outcome = try CurlTests.curl(["http://[::1]:\(port)/nos/token?object=a"])
        #expect(outcome.out.contains("UPLOAD "), "\(outcome.out)")
        let named = try CurlTests.curl(["-H", "Host: evil.example", "http://[::1]:\(port)/nos/token?object=a"])
        #expect(named.out.contains("misdirected"))
    }

    @Test(arguments: Transport.allCases)
    func `no descriptor is left behind by clients that leave, whatever way they leave`(_ transport: Transport) throws {
        try Service.run(Setup(name: "descriptors", rest: ServingTests.grants), transport) { service in
            let folder = "/proc/\(service.process.identifier)/fd/"
            func sockets() throws -> Int {
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                // One that was closed meanwhile has no destination.
                return names.count {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0))?.hasPrefix("socket:")
                        == true
                }
            }
            let listeners = try sockets()
            for number in 0..<60 {
                let client = try service.connect()
                switch number % 6 {
                case 0: break
                case 1: try client.send("GET /liv")
                case 2: try client.send(service.text("GET", "/livez", ["Connection: close"]))
                case 3: try client.send("nonsense\r\n\r\n")
                case 4: try client.send(String(repeating: service.text("GET", "/nos/token?object=a"), count: 200))
                default: client.finishSending()
                }
            }
            // The last of them leave while it is watched.
            let idle = try service.connect()
            try idle.send(service.text("GET", "/livez"))
            #expect(try idle.answer().status == 200)
            let deadline = Date.now.addingTimeInterval(60)
            while try sockets() > listeners + 1, deadline > .now { _ = idle.hasNews(within: 0.05) }
            let left = try sockets()
            #expect(left == listeners + 1)
        }
    }
}
