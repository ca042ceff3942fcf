import Foundation
import Glibc
import TestTraits
import Testing

@testable import TestService

@Suite("Out of descriptors", .timed, .timeLimit(.minutes(20)))
struct ExhaustionTests {
    /// Nobody who has a connection gives it back, however long it takes.
    private static let setup = Setup(
        name: "few", server: #"workers: 2, limits: { idleTimeout: "1h" },"#,
        rest: "grants: {},")

    /// Milliseconds of CPU that a process has used.
    private func used(_ process: pid_t) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last.map { $0.split(separator: " ") } ?? []
        let ticks = [11, 12].compactMap { fields.indices.contains($0) ? Int(fields[$0]) : nil }.reduce(0, +)
        return ticks * 1000 / sysconf(Int32(_SC_CLK_TCK))
    }

    @Test(arguments: Transport.allCases)
    func `with 64 descriptors and 200 clients it neither dies nor spins, and serves all within 3 s of the end`(
        _ transport: Transport
    ) throws {
        let service = try Service(Self.setup, transport, by: Service.shell("ulimit -n 64"))
        defer { service.stop() }
        let first = try service.connect()
        try first.send(service.text("GET", "/livez"))
        #expect(try first.answer().status == 200)
        let scraper = try service.admin.connect()
        // It has its descriptor before the others come.
        try scraper.send(service.admin.text("GET", "/metrics"))
        #expect(try scraper.answer().status == 200)
        var clients = try (0..<200).map { _ in try service.connect() }
        for client in clients { try client.send(service.text("GET", "/livez")) }
        // Which loop a client falls to is the kernel's choice, so nobody in particular is served.
        var (served, before) = (0, -1)
        for _ in 0..<60 where served == 0 || served != before {
            before = served
            poll(nil, 0, 1000)
            served = clients.count { $0.hasNews(within: 0) }
        }
        #expect(served > 0)
        let waiting = try #require(clients.first { !$0.hasNews(within: 0) })
        let start = try used(service.process.identifier)
        // There is no room for it all this time.
        let hasRoom = waiting.hasNews(within: 2)
        #expect(!hasRoom)
        let spent = try used(service.process.identifier) - start
        #expect(spent < 1000, "\(spent) ms of CPU in 2 s")
        try first.send(service.text("GET", "/livez"))
        #expect(try first.answer().status == 200, "who has a connection is served")
        try scraper.send(service.admin.text("GET", "/metrics"))
        // One that a connection has just given back may not have been taken again.
        let open = try scraper.answer().text.firstMatch(of: #/\nprocess_open_fds ([0-9]+)\n/#).flatMap {
            Int($0.output.1)
        }
        #expect((62...64).contains(open ?? 0), "the metrics say that none are left: \(open ?? 0)")
        clients = []
        let end = ContinuousClock.now
        #expect(try service.get("/livez").status == 200)
        #expect(end.duration(to: .now) < .seconds(3))
        let outcome = service.process.stop()
        #expect(outcome.code == 0)
        // What could not be opened for a look is not taken for changed.
        #expect(!outcome.err.contains("reloaded"), "\(outcome.err)")
    }
}
