import Foundation
import TestTraits
import Testing

@testable import TestService

/// Nothing is issued that is not on record, whatever the disk does, and whenever the process dies.
@Suite("The audit, when things break", .waiting, .timeLimit(.minutes(20)))
struct AuditDiskTests {
    private static let setup = Setup(
        name: "audited disk",
        rest: """
            grants: {
                "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                  bucket: "demo-media", keyPrefix: "photos/" },
              },
            """)
    private static let target = "/qiniu/uptoken?key=photos/a"

    /// Has every write of the process beyond this many bytes of a file fail.
    private static func limit(_ service: Service, to bytes: String) throws {
        let outcome = try Program(
            "/usr/bin/prlimit", ["--pid", "\(service.process.identifier)", "--fsize=\(bytes):unlimited"]
        ).wait()
        try #require(outcome.code == 0, "\(outcome.err)")
    }

    private static func expectRecorded(_ answered: [String], in trail: AuditTrail) {
        let ids = Set(trail.lines.compactMap { $0["requestId"]?.string })
        let missing = answered.filter { !ids.contains($0) }
        #expect(missing.isEmpty, "\(missing.count) of \(answered.count) are missing")
    }

    @Test func `on a full disk nothing is issued that is not on record, and when there is room again all goes on`()
        throws
    {
        let service = try Service(AuditDiskTests.setup.audited(), .epoll)
        defer { service.stop() }
        let load = AuditLoad(service, AuditDiskTests.target, clients: 8)
        try load.wait(forMore: 100)
        for _ in 0..<3 {
            try AuditDiskTests.limit(service, to: "1")
            try load.wait(forMore: 50, of: 503)
            let answer = try service.get(AuditDiskTests.target)
            answer.expectProblem(503, "audit_unavailable", "cannot be written")
            #expect(answer["Retry-After"] == "1")
            let ready = try service.admin.get("/readyz")
            #expect(ready.status == 503 && ready.json["parts"]?["audit"] == "down", "\(ready.text)")
            #expect(try service.admin.get("/metrics").text.contains("\ncountersign_ready 0\n"))
            // What issues nothing is answered all the same.
            #expect(try service.get("/livez").status == 200)
            #expect(try service.ask("HEAD", AuditDiskTests.target).status == 200)
            try AuditDiskTests.limit(service, to: "unlimited")
            try load.wait(forMore: 50)
            #expect(try service.admin.get("/readyz").json["parts"]?["audit"] == "ok")
            #expect(try service.admin.get("/metrics").text.contains("\ncountersign_ready 1\n"))
        }
        let answered = load.stop()
        #expect(Set(load.refusals.keys) == [503])
        service.process.signal(SIGTERM)
        #expect(try service.process.wait().code == 0)
        let trail = try AuditTrail(service)
        AuditDiskTests.expectRecorded(answered, in: trail)
        try trail.expectWhole()
    }

    @Test func `where there is room for a few lines only, those and no others are issued`() throws {
        let service = try Service(AuditDiskTests.setup.audited(), .epoll)
        defer { service.stop() }
        try AuditDiskTests.limit(service, to: "1500")
        var answered: [String] = []
        var refused = 0
        for _ in 0..<200 {
            let answer = try service.get(AuditDiskTests.target)
            if answer.status == 200, let id = answer["X-Request-Id"] { answered.append(id) } else { refused += 1 }
        }
        #expect(answered.count > 0 && refused > 0)
        try AuditDiskTests.limit(service, to: "unlimited")
        // Half a line goes when the next file is begun.
        let deadline = Date.now.addingTimeInterval(60)
        while try service.get(AuditDiskTests.target).status != 200, deadline > .now { usleep(50_000) }
        let trail = try AuditTrail(service)
        AuditDiskTests.expectRecorded(answered, in: trail)
        try trail.expectWhole()
    }

    @Test func `a file that cannot be written at start keeps the service from starting`() throws {
        let setup = AuditDiskTests.setup.audited()
        let folder = try Keeper.makeFolder()
        let configuration = try setup.write(to: folder, transport: .epoll)
        // The first is found when the audit is opened, the others are before that.
        for (name, code, reason) in [
            ("a.jsonl-head", Int32(1), "cannot start"), ("a.jsonl", 3, "audit.file: "),
            ("a.jsonl/b", 3, "audit.file: "),
        ] {
            let file = folder + "/audit/" + name
            if name == "a.jsonl" { try FileManager.default.removeItem(atPath: file) }
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
            let outcome = try Program.run("serve", "--config", configuration, environment: Setup.environment)
            #expect(outcome.code == code && outcome.err.contains(reason), "\(name): \(outcome.err)")
            #expect(outcome.err.contains("a.jsonl"), "\(name): \(outcome.err)")
        }
    }

    /// Goal: of 20 kills none loses a line that somebody was answered by.
    @Test(arguments: Transport.allCases)
    func `after SIGKILL under load every acknowledged issuance is on record`(_ transport: Transport) throws {
        let folder = try Keeper.makeFolder()
        let setup = AuditDiskTests.setup.audited("batch", "maxSize: 65536")
        let configuration = try setup.write(to: folder, transport: transport)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var answered: [String] = []
        for round in 0..<10 {
            let service = try Service(serving: configuration, in: folder)
            let load = AuditLoad(service, AuditDiskTests.target, clients: 16)
            try load.wait(forMore: 50 + round * 31)
            service.process.signal(SIGKILL)
            answered += load.stop()
            _ = try service.process.wait()
        }
        // The next start sets aside what was torn.
        let last = try Service(serving: configuration, in: folder)
        _ = last.process.stop()
        let trail = try AuditTrail(folder: folder)
        #expect(answered.count > 1500)
        AuditDiskTests.expectRecorded(answered, in: trail)
        try trail.expectWhole()
        #expect(trail.lines.filter { $0["reason"]?.string == "start" }.count == 1)
        // Where the kill came while a new file was begun, the next start finds it empty, or the old one by two names.
        let killed = trail.lines.compactMap { $0["reason"]?.string }.filter { !["start", "size"].contains($0) }
        #expect(killed.count == 10 && Set(killed).isSubset(of: ["unstopped", "moved", "unverified"]), "\(killed)")
    }
}
