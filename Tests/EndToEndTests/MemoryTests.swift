import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("Out of memory", .alone, .unwatched, .timeLimit(.minutes(20)))
struct MemoryTests {
    private static let megabyte = 1 << 20

    /// Whose bodies of a megabyte may take so many in all.
    private static func setup(buffers: Int) -> Setup {
        Setup(
            name: "memory", server: "workers: 2, limits: { body: \"1MiB\", buffers: \"\(buffers)MiB\" },",
            rest: """
                grants: { "files": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
                    bucket: "files", unscoped: true } },
                """)
    }

    /// Bytes of a line of `/proc/PID/status`.
    private func size(_ name: String, of service: Service) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(service.process.identifier)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return try #require(Int(line.filter(\.isNumber))) * 1024
    }

    /// Has clients begin bodies of a megabyte, and end none, until one of them is not connected any more.
    /// - Returns: those who are.
    private func begin(_ count: Int, at service: Service) -> [Client] {
        let head = service.text("POST", "/nos/token", ["Content-Type: application/json", "Content-Length: 1000000"])
        let unfinished = head + String(repeating: " ", count: 999_000)
        var clients: [Client] = []
        for _ in 0..<count {
            guard let client = try? service.connect() else { break }
            // Those beyond the limit are answered before they have sent it all.
            try? client.send(unfinished)
            clients.append(client)
        }
        return clients
    }

    @Test(arguments: Transport.allCases)
    func `what clients send takes no more memory than limits.buffers says, and others are served`(
        _ transport: Transport
    ) throws {
        try Service.run(MemoryTests.setup(buffers: 8), transport) { service in
            try service.get("/nos/token?object=a").expectSuccess()
            let before = try size("VmRSS", of: service)
            let clients = begin(150, at: service)
            #expect(clients.count == 150)
            try service.get("/nos/token?object=a").expectSuccess()
            let grown = try size("VmHWM", of: service) - before
            // What the allocator keeps, and what each connection has of its own, comes on top.
            #expect(grown < 40 * MemoryTests.megabyte, "\(grown / MemoryTests.megabyte) MiB more than before")
            var answered: [Client] = []
            // All have sent, and the last of it may not have been read.
            for _ in 0..<200 where answered.count < 140 { answered = clients.filter { $0.hasNews(within: 0.01) } }
            let refused = try answered.count { try $0.answer().status == 503 }
            #expect(refused >= 140, "\(refused)")
        }
    }

    @Test func `a process that is refused memory ends at once and says why, and the next one serves`() throws {
        let service = try Service(MemoryTests.setup(buffers: 1024), .epoll)
        defer { service.stop() }
        try service.get("/nos/token?object=a").expectSuccess()
        // What can be written to: addresses that the allocator has put by for each thread are no limit to it.
        let most = try size("VmData", of: service) + 48 * MemoryTests.megabyte
        let limited = try Program(
            "/usr/bin/prlimit", ["--pid", "\(service.process.identifier)", "--data=\(most)"]
        ).wait()
        try #require(limited.code == 0, "\(limited.err)")
        // Four times what it may have: what it does not come to take, the system's buffers hold for it.
        let clients = begin(200, at: service)
        let outcome = try withExtendedLifetime(clients) { try service.process.wait() }
        #expect(outcome.code == 128 + SIGABRT, "\(outcome.code)")
        #expect(outcome.err.contains("failed to allocate"), "\(outcome.err.suffix(500))")
        #expect(!outcome.err.contains(Setup.nosSecret) && !outcome.err.contains("rax"))
        let next = try Service(serving: service.configuration, in: service.folder)
        defer { next.stop() }
        try next.get("/nos/token?object=a").expectSuccess()
    }

    @Test func `whoever ends so is started anew by its unit`() throws {
        let unit = URL(filePath: #filePath).appending(path: "../../../deploy/systemd/countersign.service").standardized
        let text = try String(contentsOf: unit, encoding: .utf8)
        // A signal is a failure to systemd, as is the kernel's oom-kill.
        #expect(text.contains("\nRestart=on-failure\n") && text.contains("\nRestartSec=1\n"))
    }
}
