import Foundation
import TestTraits
import Testing

@testable import TestService

/// What a stop and a start leave on record, and what is found that was done between them.
@Suite("The audit at start and stop", .waiting, .timeLimit(.minutes(20)))
struct AuditStartTests {
    /// A service that is stopped and started anew with the same files.
    private final class Fixture {
        let folder: String
        let configuration: String

        init(listen: String = #"["127.0.0.1:0"]"#) throws {
            let setup = Setup(
                name: "audit starts",
                rest: """
                    grants: { "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "photos/" } },
                    """, listen: listen
            ).audited()
            folder = try Keeper.makeFolder()
            configuration = try setup.write(to: folder, transport: .epoll)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        var file: String { folder + "/audit/a.jsonl" }

        /// Serves so many requests.
        /// - Returns: what it has logged.
        func run(_ requests: Int = 3, ending signal: Int32 = SIGTERM) throws -> String {
            let service = try Service(serving: configuration, in: folder)
            for _ in 0..<requests { #expect(try service.get("/qiniu/uptoken?key=photos/a").status == 200) }
            service.process.signal(signal)
            let outcome = try service.process.wait()
            #expect(signal == SIGKILL || outcome.code == 0)
            return outcome.err
        }

        /// Takes lines off the end, as somebody does who may write the file and has no key.
        func cut(_ count: Int) throws {
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            try Keeper.write(lines.dropLast(count).map { $0 + "\n" }.joined(), to: file)
        }
    }

    @Test func `a stop has its line, and the log has the head at start and at stop`() throws {
        let fixture = try Fixture()
        var log = try fixture.run()
        for _ in 0..<2 {
            let lines = try AuditTrail(folder: fixture.folder).lines
            let (first, last) = (lines[lines.count - 5], lines[lines.count - 1])
            #expect(first["event"] == "segment" && first["reason"] == "start" && last["event"] == "stop")
            for (what, line) in [("the audit begins", first), ("the audit ends", last)] {
                let told = try #require(log.split(separator: "\n").first { $0.contains(what) })
                let number = try #require(line["seq"]?.integer)
                #expect(told.contains("sequence=\(number) ") || told.hasSuffix("sequence=\(number)"), "\(told)")
                #expect(told.contains("head=\(line["mac"]?.string ?? "?")"), "\(told)")
            }
            #expect(!log.contains("audit: "), "\(log)")
            log = try fixture.run()
        }
        try AuditTrail(folder: fixture.folder).expectWhole()
    }

    // A run leaves five lines: its start, three requests, its stop.
    @Test(arguments: [1, 2, 5, 7])
    func `a tail that was cut off while the service was stopped is reported at start`(_ count: Int) throws {
        let fixture = try Fixture()
        _ = try fixture.run()
        _ = try fixture.run()
        try fixture.cut(count)
        #expect(try AuditTrail(folder: fixture.folder).verify().code == 0, "the lines that are left hold")
        let log = try fixture.run()
        #expect(
            log.contains("ends with line \(10 - count), and its lines went up to 10: its end was cut off"), "\(log)")
        let trail = try AuditTrail(folder: fixture.folder)
        #expect(trail.lines.contains { $0["reason"] == "unverified" && $0["seq"] == 11 })
        let outcome = try trail.verify()
        let what = count == 1 ? "line 10 is missing" : "lines \(11 - count) to 10 are missing"
        #expect(outcome.code == 1 && outcome.out.contains(what), "\(outcome.out)")
    }

    @Test func `an audit that was deleted while the service was stopped is reported at start`() throws {
        let fixture = try Fixture()
        _ = try fixture.run()
        try FileManager.default.removeItem(atPath: fixture.file)
        let log = try fixture.run()
        #expect(log.contains("was not there, and its lines went up to 5"), "\(log)")
    }

    @Test func `a process that was killed is reported at the next start, and only there`() throws {
        let fixture = try Fixture()
        _ = try fixture.run(ending: SIGKILL)
        #expect(try fixture.run().contains("does not end with a recorded stop: the process was killed"))
        let trail = try AuditTrail(folder: fixture.folder)
        #expect(trail.lines.compactMap { $0["reason"]?.string } == ["start", "unstopped"])
        #expect(try !fixture.run().contains("recorded stop"))
        try AuditTrail(folder: fixture.folder).expectWhole()
    }

    @Test func `a start without an audit that can be written takes nobody, and leaves no socket`() throws {
        let fixture = try Fixture(listen: #"["127.0.0.1:0", "unix:SOCKET"]"#)
        let path = fixture.folder + "/public.sock"
        let text = try String(contentsOfFile: fixture.configuration, encoding: .utf8)
        try Keeper.write(text.replacing("unix:SOCKET", with: "unix:\(path)"), to: fixture.configuration)
        // What the configuration's check does not see, and what it does.
        for (file, code, reason) in [
            (fixture.file + "-head", Int32(1), "cannot start"), (fixture.file, 3, "audit.file: "),
        ] {
            try? FileManager.default.removeItem(atPath: fixture.file)
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
            let outcome = try Program.run("serve", "--config", fixture.configuration, environment: Setup.environment)
            #expect(outcome.code == code && outcome.err.contains(reason), "\(outcome.err)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a start that fails leaves no line`() throws {
        let port = try Listener.freePort()
        let fixture = try Fixture(listen: #"["127.0.0.1:\#(port)"]"#)
        let service = try Service(serving: fixture.configuration, in: fixture.folder)
        let before = try String(contentsOfFile: fixture.file, encoding: .utf8)
        let second = try Program.run("serve", "--config", fixture.configuration, environment: Setup.environment)
        #expect(second.code == 1 && second.err.contains("cannot start"), "\(second.err)")
        #expect(try String(contentsOfFile: fixture.file, encoding: .utf8) == before)
        #expect(try service.get("/qiniu/uptoken?key=photos/a").status == 200)
        service.process.signal(SIGTERM)
        #expect(try service.process.wait().code == 0)
        let third = try fixture.run()
        #expect(!third.contains("recorded stop"), "\(third)")
    }
}
