import Foundation
import TestTraits
import Testing

@testable import TestService

/// What the service and whoever has started it tell each other, and how another binary replaces it.
@Suite("Supervision: sd_notify, sockets that are handed over, another binary", .waiting, .timeLimit(.minutes(20)))
struct SupervisionTests {
    private static func setup(_ port: UInt16 = 0, _ more: String = "") -> Setup {
        Setup(
            name: "supervised",
            rest: """
                grants: { "all": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
                    bucket: "files", unscoped: true } }, reload: { watch: false }, \(more)
                """, listen: "\"127.0.0.1:\(port)\"", admin: "listen: []")
    }

    // MARK: Words

    /// Where words are sent to.
    private final class NotifySocket {
        let name: String
        private let descriptor: Int32

        init(abstract isAbstract: Bool) throws {
            name = isAbstract ? "@countersign-\(UUID().uuidString)" : try Keeper.makeFolder() + "/notify"
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var path = Array(name.utf8)
            if isAbstract { path[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
            let size = socklen_t(MemoryLayout<sa_family_t>.size + path.count + (isAbstract ? 0 : 1))
            let descriptor = descriptor
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
            }
            try #require(result == 0, "cannot bind: error \(errno)")
            var time = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        /// The next word that is none of the others.
        func word(past others: String...) throws -> String {
            while true {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                try #require(count > 0, "nothing was told: error \(errno)")
                let word = String(decoding: buffer[..<count], as: UTF8.self)
                if !others.contains(word) { return word }
            }
        }
    }

    @Test(arguments: [false, true])
    func `it tells when it is ready, reloads, lives and stops`(isAbstract: Bool) throws {
        let socket = try NotifySocket(abstract: isAbstract)
        let environment = Setup.environment.merging(
            ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "6000000"]) { $1 }
        let service = try Service(SupervisionTests.setup(), isAbstract ? .dispatch : .epoll, environment)
        defer { service.stop() }
        #expect(try socket.word(past: "WATCHDOG=1") == "READY=1")
        for _ in 0..<3 { #expect(try socket.word() == "WATCHDOG=1") }
        service.process.signal(SIGHUP)
        let reloading = try socket.word(past: "WATCHDOG=1")
        #expect(reloading.wholeMatch(of: #/RELOADING=1\nMONOTONIC_USEC=[0-9]+/#) != nil, "\(reloading)")
        #expect(try socket.word(past: "WATCHDOG=1") == "READY=1")
        // One that is refused ends, too.
        try service.replace("countersign.json5", with: "{")
        service.process.signal(SIGHUP)
        #expect(try socket.word(past: "WATCHDOG=1").hasPrefix("RELOADING=1\n"))
        #expect(try socket.word(past: "WATCHDOG=1") == "READY=1")
        service.process.signal(SIGTERM)
        #expect(try socket.word(past: "WATCHDOG=1") == "STOPPING=1")
        #expect(try service.process.wait().code == 0)
    }

    @Test func `nobody is told that it lives who watches another process, or does not watch`() throws {
        let socket = try NotifySocket(abstract: false)
        for more in [[:], ["WATCHDOG_USEC": "300000", "WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "soon"]] {
            let environment = Setup.environment.merging(["NOTIFY_SOCKET": socket.name]) { $1 }.merging(more) { $1 }
            let service = try Service(SupervisionTests.setup(), .epoll, environment)
            #expect(try socket.word() == "READY=1")
            #expect(service.stop().code == 0)
            #expect(try socket.word() == "STOPPING=1")
        }
        // Nobody listens there.
        let environment = Setup.environment.merging(["NOTIFY_SOCKET": "/no/such/socket"]) { $1 }
        try Service.run(SupervisionTests.setup(), .epoll, environment) { try $0.get("/livez").expectSuccess() }
    }

    // MARK: Sockets

    @Test(arguments: Transport.allCases)
    func `a socket that systemd has opened is listened on, whoever has connected before is served`(
        _ transport: Transport
    ) throws {
        let listener = try Listener()
        let early = try Client(listener.port)
        try early.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        var setup = SupervisionTests.setup(listener.port)
        setup.server = "workers: 3,"
        let service = try Service(setup, transport, handing: [listener.descriptor])
        defer { service.stop() }
        #expect(service.port == listener.port)
        #expect(try early.answer().status == 200)
        for _ in 0..<50 { #expect(try service.get("/livez").status == 200) }
        let begin = ContinuousClock.now
        #expect(service.stop().code == 0)
        #expect(ContinuousClock.now - begin < .seconds(5))
        // It is still there, for the next.
        let late = try Client(listener.port)
        try late.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let next = try Service(setup, transport, handing: [listener.descriptor])
        defer { next.stop() }
        #expect(try late.answer().status == 200)
    }

    @Test func `a socket of an address that is not to be listened on is an error at start`() throws {
        let (listener, other) = (try Listener(), try Listener())
        let folder = try Keeper.makeFolder()
        let path = try SupervisionTests.setup(listener.port).write(to: folder, transport: .epoll)
        let process = try Program(
            Program.countersign, ["serve", "--config", path], environment: Setup.environment,
            handing: [listener.descriptor, other.descriptor])
        let outcome = try process.wait()
        #expect(outcome.code == 1)
        #expect(outcome.err.contains("127.0.0.1:\(other.port): a socket of it was handed over"), "\(outcome.err)")
    }

    // MARK: A hand-over

    /// The process that a log line tells of.
    private static func process(in log: String, behind words: String) throws -> pid_t {
        let rest = log[try #require(log.ranges(of: "\(words) process=").last).upperBound...]
        return try #require(pid_t(rest.prefix { $0.isNumber }))
    }

    /// Waits for a process that is no child any more, or never was one, to end.
    private static func awaitEnd(of process: pid_t) throws {
        let deadline = Date.now.addingTimeInterval(60)
        while kill(process, 0) == 0 {
            let state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ") Z"
            if state.contains(") Z") { return }
            try #require(deadline > .now, "\(process) does not end")
            usleep(20_000)
        }
    }

    @Test(arguments: Transport.allCases, [false, true])
    func `another process takes the place under load, and nobody is refused or cut, or missing in the audit`(
        _ transport: Transport, _ isAudited: Bool
    ) throws {
        let socket = try NotifySocket(abstract: true)
        let environment = Setup.environment.merging(["NOTIFY_SOCKET": socket.name]) { $1 }
        let setup = SupervisionTests.setup(try Listener.freePort())
        let service = try Service(isAudited ? setup.audited() : setup, transport, environment)
        let load = Load(6, on: service.port)
        var successors: Set<pid_t> = []
        defer { for successor in successors { kill(successor, SIGKILL) } }
        #expect(try socket.word() == "READY=1")
        var current = service.process.identifier
        for number in 1...3 {
            try load.wait(forMore: 20)
            kill(current, SIGUSR2)
            let log = try service.process.waitForError(holding: "handed over process=", times: number)
            let successor = try SupervisionTests.process(in: log, behind: "handed over")
            successors.insert(successor)
            #expect(try socket.word(past: "READY=1", "STOPPING=1") == "MAINPID=\(successor)")
            try SupervisionTests.awaitEnd(of: current)
            successors.remove(current)
            try load.wait(forMore: 1)
            current = successor
            for _ in 0..<20 { #expect(try service.get("/livez").status == 200) }
        }
        let faults = load.end()
        #expect(faults.isEmpty, "\(faults)")
        kill(current, SIGTERM)
        try SupervisionTests.awaitEnd(of: current)
        successors.remove(current)
        #expect(service.process.stop().code == 0)
        guard isAudited else { return }
        let trail = try AuditTrail(service)
        try trail.expectWhole()
        let recorded = trail.lines(of: "issued").compactMap { $0["requestId"]?.string }
        // Who was cut off by the end of the load has a line and no answer.
        #expect(Set(load.answered).isSubset(of: recorded) && Set(recorded).count == recorded.count)
        #expect(trail.lines.filter { $0["reason"]?.string == "start" }.count == 4)
    }

    @Test func `a process that cannot take the place leaves it to the one before`() throws {
        let setup = SupervisionTests.setup(try Listener.freePort())
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        try service.replace("countersign.json5", with: "{ version: 2 }")
        for number in 1...2 {
            service.process.signal(SIGUSR2)
            // Each successor must have failed before there is a configuration that it could serve.
            let line = "not handed over, this process goes on"
            let log = try service.process.waitForError(holding: line, times: number)
            #expect(log.contains("exit=3 ") && log.contains("the new process cannot use the configuration"), "\(log)")
            #expect(try service.get("/livez").status == 200)
        }
        try service.replaceConfiguration(with: setup, .epoll)
        service.process.signal(SIGHUP)
        try service.waitFor(generation: 2)
    }

    @Test func `an audit that no reload adds is there after a hand-over, and the refusal says so in one line`() throws {
        let setup = SupervisionTests.setup(try Listener.freePort())
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        let audited = setup.audited()
        for (path, text) in audited.files where path.contains("audit") {
            let file = URL(fileURLWithPath: service.folder).appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try service.replace(path, with: text)
        }
        try service.replaceConfiguration(with: audited, .epoll)
        service.process.signal(SIGHUP)
        var log = try service.process.waitForError(holding: "audit: cannot change while this process runs")
        #expect(log.contains("or send SIGUSR2 to hand over to a new process"))
        #expect(!log.contains("audit.") && log.ranges(of: "configuration not reloaded").count == 1, "\(log)")
        service.process.signal(SIGUSR2)
        log = try service.process.waitForError(holding: "handed over process=")
        let successor = try SupervisionTests.process(in: log, behind: "handed over")
        defer { kill(successor, SIGKILL) }
        try SupervisionTests.awaitEnd(of: service.process.identifier)
        let answer = try service.get("/nos/token?object=a")
        _ = try AuditTrail(service).line(of: answer)
    }

    @Test func `a process with another audit key takes no place, and the lines stay whole`() throws {
        let service = try Service(SupervisionTests.setup(try Listener.freePort()).audited(), .epoll)
        defer { service.stop() }
        try service.get("/nos/token?object=a").expectSuccess()
        try service.replace("secrets/audit", with: "another-key-of-the-audit-of-the-end-to-end-tests\n")
        service.process.signal(SIGUSR2)
        let log = try service.process.waitForError(holding: "not handed over, this process goes on")
        #expect(log.contains("under another key") && log.contains("stop that process, replace the key"), "\(log)")
        #expect(log.contains("exit=1 "), "\(log)")
        try service.get("/nos/token?object=b").expectSuccess()
        service.process.signal(SIGTERM)
        #expect(try service.process.wait().code == 0)
        let trail = try AuditTrail(service)
        #expect(trail.files.count == 1 && trail.lines(of: "issued").count == 2)
        try trail.expectWhole()
    }

    @Test func `who is told to end while another process is about to take its place ends that one, too`() throws {
        let program = try Keeper.makeFolder() + "/program"
        let starter = ["/bin/sh", "-c", "ln -s \"$1\" \(program) && shift && exec \(program) \"$@\"", "sh"]
        let service = try Service(SupervisionTests.setup(), .epoll, by: starter)
        try FileManager.default.removeItem(atPath: program)
        // This one will never answer. What the tests start could inherit a file that they write, which nobody can run then.
        let writing = "printf '#!/bin/sh\nexec sleep 600\n' > \"$0\" && chmod 700 \"$0\""
        #expect(try Program("/bin/sh", ["-c", writing, program]).wait().code == 0)
        service.process.signal(SIGUSR2)
        let log = try service.process.waitForError(holding: "handing over process=")
        let successor = try SupervisionTests.process(in: log, behind: "handing over")
        defer { kill(successor, SIGKILL) }
        #expect(service.process.stop().code == 0)
        try SupervisionTests.awaitEnd(of: successor)
    }

    @Test func `who is to take the place of a process that has ended meanwhile ends, too`() throws {
        let listener = try Listener()
        let configuration = try SupervisionTests.setup(listener.port).write(to: Keeper.makeFolder(), transport: .epoll)
        let ends = try Program.makePipe()
        close(ends.reading)
        defer { close(ends.writing) }
        let script = "LISTEN_FDS=1 LISTEN_PID=$$ COUNTERSIGN_PREDECESSOR=$$ \"$@\"; exit $?"
        let process = try Program(
            "/bin/sh", ["-c", script, "sh", Program.countersign, "serve", "--config", configuration],
            environment: Setup.environment, handing: [listener.descriptor, ends.writing])
        let outcome = try process.wait()
        #expect(outcome.code == 0)
        #expect(outcome.err.contains("stopping") && outcome.err.contains("stopped"), "\(outcome.err)")
    }

    // MARK: The process

    @Test func `it dumps no core, gains no privileges, holds keys in locked memory, and a trap ends it at once`() throws
    {
        // A sanitizer would catch signals of its own accord.
        var environment = Setup.environment
        for options in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            let own = ProcessInfo.processInfo.environment[options].map { $0 + ":" } ?? ""
            environment[options] = own + "handle_segv=0:handle_sigbus=0:handle_sigfpe=0"
        }
        try Service.run(SupervisionTests.setup(), .epoll, environment) { service in
            let folder = "/proc/\(service.process.identifier)"
            let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
            func field(_ name: String) throws -> String {
                let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name + ":") })
                return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            }
            #expect(try field("NoNewPrivs") == "1")
            let locked = try #require(Int(try field("VmLck").prefix { $0.isNumber }))
            // What runs under a sanitizer locks nothing.
            #expect(locked >= 1024 || Program.isWatched)
            let caught = try #require(UInt64(try field("SigCgt"), radix: 16))
            for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] {
                #expect(caught & 1 << UInt64(number - 1) == 0, "signal \(number)")
            }
            let limits = try String(contentsOfFile: folder + "/limits", encoding: .utf8)
            #expect(limits.contains(#/Max core file size +0 +0 /#))
        }
    }

    @Test func `nobody of its own user may look into it, though into others`() throws {
        // Root may look anywhere; without its capabilities it is a user like all.
        let ordinary =
            geteuid() == 0
            ? ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all"] : ["/usr/bin/env"]
        func look(into process: pid_t) throws -> Program.Outcome {
            try Program(
                ordinary[0], ordinary.dropFirst() + ["/bin/cat", "/proc/\(process)/environ", "/proc/\(process)/maps"]
            ).wait()
        }
        let other = try Program(ordinary[0], ordinary.dropFirst() + ["/bin/sleep", "60"])
        defer { _ = other.stop(within: 0) }
        let service = try Service(SupervisionTests.setup(), .epoll, by: ordinary)
        defer { service.stop() }
        var shown = try look(into: other.identifier)
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        // Until it is what it will be.
        while shown.code != 0, .now < deadline { shown = try look(into: other.identifier) }
        #expect(shown.code == 0 && shown.out.contains("PATH="), "\(shown.err)")
        let hidden = try look(into: service.process.identifier)
        #expect(hidden.code != 0 && hidden.out.isEmpty, "\(hidden.out)")
        try service.get("/livez").expectSuccess()
    }

    @Test func `the units that are delivered are good`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let unit = try String(contentsOfFile: root + "/deploy/systemd/countersign.service", encoding: .utf8)
        for line in ["Type=notify", "ExecReload=/bin/kill -HUP $MAINPID", "NoNewPrivileges=yes", "LimitCORE=0"] {
            #expect(unit.contains("\n\(line)\n"), "\(line)")
        }
        // The system seals what root alone can read.
        #expect(unit.contains("\n#   install -o root -g root -m 0711 countersign /usr/local/bin/countersign\n"))
        let image = try String(contentsOfFile: root + "/Dockerfile", encoding: .utf8)
        #expect(image.contains("&& chmod 0711 .build/release/countersign\n"))
        #expect(image.contains("\nCOPY --from=build /src/.build/release/countersign /usr/local/bin/countersign\n"))
        let socket = try String(contentsOfFile: root + "/deploy/systemd/countersign.socket", encoding: .utf8)
        // The addresses that are listened on where nothing is said.
        for address in ["127.0.0.1:8080", "127.0.0.1:8081"] { #expect(socket.contains("\nListenStream=\(address)\n")) }
    }
}
