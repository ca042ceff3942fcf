import Foundation
import TestTraits
import Testing

@testable import TestService

/// What other processes can see of the service's environment, while it runs and while another process replaces it.
@Suite("Nobody reads secrets out of the environment", .waiting, .timeLimit(.minutes(20)))
struct SealingTests {
    /// Signs by a secret that the environment alone has.
    static func setup() throws -> Setup {
        Setup(
            name: "sealed",
            credentials: """
                credentials: { "oss": { provider: "oss", accessKey: "\(Setup.ossAccessKey)",
                    secretKey: { env: "E2E_OSS_SECRET" }, region: "cn-hangzhou" } }
                """,
            rest: """
                grants: { "links": { route: "oss.presigned-url", credential: "oss", callers: ["anonymous"], public: true,
                    bucket: "demo-bucket", keyPrefix: "demo/", methods: ["GET"], lifetime: "10m" } },
                reload: { watch: false },
                """, listen: "\"127.0.0.1:\(try Listener.freePort())\"", admin: "listen: []")
    }

    static let path = "/oss/presigned-url?method=GET&key=demo/a"

    static func environment(of process: pid_t) -> String? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/environ") else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func heirs(in log: String) -> [pid_t] {
        log.matches(of: #/handed over process=([0-9]+)/#).compactMap { pid_t($0.output.1) }
    }

    @Test func `the environment of a process shows no secret even to root, and the process goes on to sign by it`()
        throws
    {
        let service = try Service(SealingTests.setup(), .epoll)
        defer { service.stop() }
        // Nobody but root can read it at all.
        let shown = SealingTests.environment(of: service.process.identifier)
        #expect(shown?.contains(Setup.ossSecret) != true && shown?.contains("E2E_OSS_SECRET") != true)
        if geteuid() == 0 { #expect(shown?.contains("PATH=") == true) }
        try service.get(SealingTests.path).expectSuccess()
        service.process.signal(SIGHUP)
        _ = try service.process.waitForError(holding: "configuration reloaded")
        try service.get(SealingTests.path).expectSuccess()
    }

    /// Reads the environment of every process that another one starts, over and over.
    private final class Spy: @unchecked Sendable {
        private let lock = NSLock()
        private var isOver = false
        private var seen: [pid_t: Set<String>] = [:]
        private let done = DispatchSemaphore(value: 0)

        init(on parent: pid_t) {
            Thread { [self] in
                while !lock.withLock({ isOver }) {
                    for process in SealingTests.children(of: parent) {
                        guard let text = SealingTests.environment(of: process), !text.isEmpty else { continue }
                        lock.withLock { _ = seen[process, default: []].insert(text) }
                    }
                }
                done.signal()
            }.start()
        }

        /// What each of the processes has shown.
        func end() -> [pid_t: Set<String>] {
            lock.withLock { isOver = true }
            done.wait()
            return seen
        }
    }

    /// The processes that the threads of another have started.
    private static func children(of parent: pid_t) -> [pid_t] {
        let tasks = "/proc/\(parent)/task"
        return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).flatMap { task in
            let list = try? String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)
            return (list ?? "").split(separator: " ").compactMap { pid_t($0) }
        }
    }

    @Test func `who takes the place of a process never has a secret in its environment, from exec on`() throws {
        let service = try Service(SealingTests.setup(), .epoll)
        defer { service.stop() }
        var process = service.process.identifier
        defer { if process != service.process.identifier { kill(process, SIGTERM) } }
        // The first moments are short: some heirs are through with them before anybody looks.
        var wasSeen = false
        for turn in 1...20 where !wasSeen {
            let spy = Spy(on: process)
            kill(process, SIGUSR2)
            let log = try service.process.waitForError(holding: "handed over process=", times: turn)
            let heirs = SealingTests.heirs(in: log)
            let seen = spy.end()
            for texts in seen.values { for text in texts { #expect(!text.contains(Setup.ossSecret), "\(text)") } }
            process = try #require(heirs.last)
            wasSeen = seen[process]?.contains { $0.contains("COUNTERSIGN_ENVIRONMENT=") } == true
        }
        // By root, since others are let in for a shorter time.
        if geteuid() == 0 { #expect(wasSeen) }
        // It has the secret nevertheless.
        try service.get(SealingTests.path).expectSuccess()
        #expect(SealingTests.environment(of: process)?.contains(Setup.ossSecret) != true)
    }

    @Test func `healthcheck needs no secret: neither its variable nor its file, nor the right to read it`() throws {
        var setup = Setup.open
        setup.listen = "\"127.0.0.1:\(try Listener.freePort())\""
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        let secret = service.folder + "/secrets/qiniu"
        let with = try Program.run("healthcheck", "--config", service.configuration)
        #expect(with.code == 0, "\(with.err)")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: secret)
        let unreadable = try Program.run("healthcheck", "--config", service.configuration)
        #expect(unreadable.code == 0, "\(unreadable.err)")
        try FileManager.default.removeItem(atPath: service.folder + "/secrets")
        let without = try Program.run("healthcheck", "--config", service.configuration)
        #expect(without.code == 0, "\(without.err)")
        // Others do.
        #expect(try Program.run("check", "--config", service.configuration).code == 3)
    }

    @Test(arguments: [
        ["check"], ["explain", "--caller", "anonymous", "--route", "qiniu.uptoken"], ["inspect"],
        ["audit", "verify", "/dev/null"], ["mint", "--caller", "anonymous", "--route", "qiniu.uptoken"],
        ["ticket", "--caller", "apiKey:alice", "--grant", "photos"],
    ])
    func `every command that reads secrets is sealed before it reads the first one`(_ command: [String]) throws {
        let folder = try Keeper.makeFolder()
        let path = try Setup.open.audited().write(to: folder, transport: .epoll)
        // A secret that comes by a pipe makes it wait in the midst of reading secrets.
        let secret = folder + "/secrets/qiniu"
        try FileManager.default.removeItem(atPath: secret)
        try #require(mkfifo(secret, 0o600) == 0)
        let process = try Program(
            Program.countersign, command + ["--config", path], environment: Setup.environment)
        defer { _ = process.stop(within: 0) }
        // Opens when the other side has opened it to read.
        let writing = open(secret, O_WRONLY | O_CLOEXEC)
        try #require(writing >= 0)
        defer { close(writing) }
        let status = try String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
        #expect(status.contains("\nNoNewPrivs:\t1\n"))
        let limits = try String(contentsOfFile: "/proc/\(process.identifier)/limits", encoding: .utf8)
        #expect(limits.contains(#/Max core file size +0 +0 /#))
        // What may not be dumped belongs to root there, whoever runs it.
        var info = stat()
        #expect(stat("/proc/\(process.identifier)/environ", &info) == 0 && info.st_uid == 0)
        #expect(SealingTests.environment(of: process.identifier)?.contains(Setup.ossSecret) != true)
    }
}
