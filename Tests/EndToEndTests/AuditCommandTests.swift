import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("countersign audit verify", .waiting)
struct AuditCommandTests {
    /// An audit of three files, by a service that has ended, with the configuration that wrote it.
    private final class Trail {
        let service: Service
        let trail: AuditTrail

        init() throws {
            let setup = Setup(
                name: "verified",
                rest: """
                    grants: { "files": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
                      bucket: "demo-files", keyPrefix: "f/" } },
                    """
            ).audited()
            service = try Service(setup, .epoll)
            for round in 0..<3 {
                for _ in 0..<4 { #expect(try service.get("/nos/token?object=f/a").status == 200) }
                guard round < 2 else { break }
                let count = try AuditTrail(service).files.count
                service.process.signal(SIGUSR1)
                let deadline = Date.now.addingTimeInterval(60)
                while try AuditTrail(service).files.count == count, deadline > .now { usleep(5000) }
            }
            service.process.signal(SIGTERM)
            _ = try service.process.wait()
            trail = try AuditTrail(service)
        }

        deinit { service.stop() }

        /// Writes another text into a file for the time of `body`.
        func changing<Result>(
            _ file: Int, _ change: (inout [Substring]) -> Void, _ body: () throws -> Result
        ) throws -> Result {
            let path = trail.files[file]
            let text = try String(contentsOfFile: path, encoding: .utf8)
            var lines = text.split(separator: "\n")
            change(&lines)
            try Keeper.write(lines.map { $0 + "\n" }.joined(), to: path)
            defer { _ = try? Keeper.write(text, to: path) }
            return try body()
        }
    }

    @Test func `what was done to an audit is told, with file and line, and ends with 1`() throws {
        let fixture = try Trail()
        #expect(fixture.trail.files.count == 3 && fixture.trail.lines.count == 16)
        let whole = try fixture.trail.verify()
        #expect(whole.code == 0 && whole.out.hasPrefix("whole: lines 1 to 16, head "), "\(whole.out)")
        let head = String(try #require(fixture.trail.lines[15]["mac"]?.string))
        #expect(whole.out.contains(head))
        // What this cannot show is said, unless somebody has looked for it.
        #expect(whole.out.contains("name it with --expect-head"))
        let expected = try fixture.trail.verify("--expect-head", head)
        #expect(expected.code == 0 && !expected.out.contains("--expect-head"), "\(expected.out)")

        let edited = try fixture.changing(1, { $0[2] = Substring($0[2].replacing("f/a", with: "f/b")) }) {
            try fixture.trail.verify()
        }
        #expect(edited.code == 1)
        #expect(edited.out.contains("\(fixture.trail.files[1]):3: line 8 has been edited"), "\(edited.out)")
        #expect(edited.out.contains("NOT WHOLE"))

        let removed = try fixture.changing(0, { $0.remove(at: 2) }) { try fixture.trail.verify() }
        #expect(removed.code == 1 && removed.out.contains(":3: line 3 is missing before this one"), "\(removed.out)")

        let moved = try fixture.changing(2, { $0.swapAt(2, 3) }) { try fixture.trail.verify() }
        #expect(moved.code == 1 && moved.out.contains("is not where it was written"), "\(moved.out)")

        let cut = try fixture.changing(2, { $0.removeLast(2) }) {
            (try fixture.trail.verify(), try fixture.trail.verify("--expect-head", head))
        }
        #expect(cut.0.code == 0, "without the head nobody can tell")
        #expect(cut.1.code == 1 && cut.1.out.contains("the end is cut off"), "\(cut.1.out)")
        #expect(try fixture.trail.verify("--expect-head", head).code == 0)

        try fixture.changing(1, { $0 = [] }) {
            let gone = try fixture.trail.verify()
            #expect(gone.code == 1 && gone.out.contains("lines 6 to 10 are missing"), "\(gone.out)")
        }
    }

    @Test func `it reads the key of a configuration, and writes JSON`() throws {
        let fixture = try Trail()
        func verify(_ more: String...) throws -> Program.Outcome {
            try Program(
                Program.countersign,
                ["audit", "verify", "--config", fixture.service.configuration, "--format", "json"] + more,
                environment: Setup.environment
            ).wait()
        }
        let whole = try verify(fixture.trail.files[0], fixture.trail.files[1], fixture.trail.files[2])
        let report = try JSON(whole.out)
        #expect(whole.code == 0 && report["whole"] == true && report["problems"] == .list([]))
        #expect(report["lines"] == 16 && report["first"] == 1 && report["last"] == 16)
        #expect(report["head"] == fixture.trail.lines[15]["mac"])
        let wrong = try verify(fixture.trail.files[1], fixture.trail.files[0])
        let problems = try JSON(wrong.out)["problems"]
        guard case .list(let list)? = problems, let first = list.first else {
            Issue.record("no problems: \(wrong.out)")
            return
        }
        #expect(wrong.code == 1 && first["kind"] == "broken" && first["line"] == 1)
        #expect(first["file"]?.string == fixture.trail.files[0] && first["reason"]?.string?.isEmpty == false)
    }

    @Test func `nothing is not whole: no file, an empty one, and one without a line end with 1 and say why`() throws {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = try Keeper.write(AuditTrail.key + "\n", to: folder + "/key")
        let empty = try Keeper.write("", to: folder + "/empty.jsonl")
        let blank = try Keeper.write("\n", to: folder + "/blank.jsonl")
        func verify(_ files: String...) throws -> Program.Outcome {
            try Program(Program.countersign, ["audit", "verify", "--key-file", key] + files).wait()
        }
        let none = try verify()
        #expect(none.code == 1 && none.out.isEmpty && none.err.contains("no file is named"), "\(none.err)")
        for files in [[empty], [empty, empty]] {
            let outcome = try Program(
                Program.countersign, ["audit", "verify", "--key-file", key] + files
            ).wait()
            #expect(outcome.code == 1 && outcome.out.contains("\(empty):0: there is no line"), "\(outcome.out)")
            #expect(outcome.out.contains("NOT WHOLE: no lines"))
        }
        let other = try verify(blank)
        #expect(other.code == 1 && other.out.contains("\(blank):1: this is no line of an audit"), "\(other.out)")
        let json = try verify("--format", "json", empty)
        #expect(json.code == 1)
        guard case .list(let problems)? = try JSON(json.out)["problems"] else {
            Issue.record("no problems: \(json.out)")
            return
        }
        #expect(try JSON(json.out)["whole"] == false && problems.first?["kind"] == "empty")
    }

    @Test func `several keys in the order of use find whole what was written over a change of the key`() throws {
        let setup = Setup(name: "two keys", rest: "grants: {},").audited()
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let configuration = try setup.write(to: folder, transport: .epoll)
        let (old, new) = (AuditTrail.key, String(AuditTrail.key.reversed()))
        for key in [old, new] {
            try Keeper.write(key, to: folder + "/secrets/audit")
            try Keeper.write(key, to: folder + "/\(key == old ? "old" : "new")")
            let service = try Service(serving: configuration, in: folder)
            service.process.signal(SIGTERM)
            #expect(try service.process.wait().code == 0)
        }
        let files = try AuditTrail(folder: folder).files
        #expect(files.count == 2 && files[0].hasSuffix("-000000000002"), "\(files)")
        func verify(_ keys: String...) throws -> Program.Outcome {
            let options = keys.flatMap { ["--key-file", "\(folder)/\($0)"] }
            return try Program(Program.countersign, ["audit", "verify"] + options + files).wait()
        }
        let both = try verify("old", "new")
        #expect(both.code == 0 && both.out.contains("whole: lines 1 to 4"), "\(both.out)")
        #expect(try verify("new", "old").code == 1 && verify("old").code == 1 && verify("new").code == 1)
    }

    @Test func `what it cannot read, and a key that is not the audit's, are told`() throws {
        let fixture = try Trail()
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (file, key) = (fixture.trail.files[0], folder + "/key")
        func verify(_ arguments: String...) throws -> Program.Outcome {
            try Program(Program.countersign, ["audit"] + arguments).wait()
        }
        try Keeper.write(String(repeating: "x", count: 40), to: key)
        let other = try verify("verify", "--key-file", key, file)
        #expect(other.code == 1 && other.out.contains("lines 1 to 5 have been edited"), "\(other.out)")
        #expect(other.out.contains("(or under an earlier key: give `--key-file` of it as well)"), "\(other.out)")
        #expect(try verify("verify", "--key-file", key, folder + "/nothing").code == 1)
        try Keeper.write(AuditTrail.key, to: key, mode: 0o644)
        let open = try verify("verify", "--key-file", key, file)
        #expect(open.code == 3 && open.err.contains("chmod 600"), "\(open.err)")
        // The rules are those of a configuration's own secret files: who may change it, and how its line may end.
        try Keeper.write(AuditTrail.key, to: key, mode: 0o620)
        let writable = try verify("verify", "--key-file", key, file)
        #expect(writable.code == 3 && writable.err.contains("chmod g-w"), "\(writable.err)")
        try Keeper.write(AuditTrail.key + "\r\n", to: key, mode: 0o600)
        let windows = try verify("verify", "--key-file", key, file)
        #expect(!windows.out.contains("edited"), "\(windows.out)")
        try Keeper.write(AuditTrail.key + "\nmore\n", to: key, mode: 0o600)
        let lines = try verify("verify", "--key-file", key, file)
        #expect(lines.code == 3 && lines.err.contains("on one line"), "\(lines.err)")
        #expect(try verify("verify", "--config", folder + "/none.json5", file).code == 3)
        for arguments in [
            [], ["verif", file], ["verify", "--expect-head", "12", file], ["verify", "-x", file],
        ] {
            let outcome = try Program(Program.countersign, ["audit"] + arguments).wait()
            #expect(outcome.code == 2 && outcome.out.isEmpty && !outcome.err.isEmpty, "\(arguments)")
        }
        #expect(try verify("--help").code == 0)
    }

    @Test func `a name of a file shows as an escape what a terminal would do, and begins no line`() throws {
        let fixture = try Trail()
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = try Keeper.write(AuditTrail.key, to: folder + "/key")
        let name = "a\u{1B}[2J\u{7F}\u{202E}\nwhole: lines 1 to 9"
        let shown = "a\\u{1b}[2J\\u{7f}\\u{202e}\\u{a}whole: lines 1 to 9"
        let empty = try Keeper.write("", to: "\(folder)/\(name)")
        func run(_ arguments: String...) throws -> Program.Outcome {
            try Program(Program.countersign, arguments).wait()
        }
        let told = [
            try run("audit", "verify", "--key-file", key, empty),
            try run("audit", "verify", "--key-file", key, empty + ".gone"),
            try run("audit", "verify", "--key-file", empty, fixture.trail.files[0]),
            try run("check", "--config", empty), try run("check", "--config", empty + ".gone"),
            try run("explain", "--config", empty), try run("inspect", "--config", empty + ".gone"),
            try run(name), try run("check", "--\(name)"),
        ]
        for outcome in told {
            let text = outcome.out + outcome.err
            #expect(outcome.code != 0 && text.contains(shown), "\(text)")
            #expect(!text.contains("\u{1B}") && !text.contains("\nwhole"), "\(text)")
        }
        let json = try run("audit", "verify", "--format", "json", "--key-file", key, empty)
        guard case .list(let problems)? = try JSON(json.out)["problems"] else {
            Issue.record("no problems: \(json.out)")
            return
        }
        #expect(problems.first?["file"]?.string == empty && !json.out.contains("\u{1B}"))
    }

    @Test func `what is no ordinary file is refused, and a pipe that nobody writes to keeps no command waiting`() throws
    {
        let fixture = try Trail()
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = try Keeper.write(AuditTrail.key, to: folder + "/key")
        let pipe = folder + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        func run(_ arguments: String...) throws -> Program.Outcome {
            try Program(Program.countersign, arguments).wait()
        }
        for path in [pipe, folder, "/dev/null"] {
            let outcome = try run("audit", "verify", "--key-file", key, fixture.trail.files[0], path)
            #expect(outcome.code == 1 && outcome.out.isEmpty, "\(outcome.out)")
            #expect(outcome.err.contains("cannot read \(path): it is no ordinary file"), "\(outcome.err)")
        }
        // By a link it is the file that the link leads to.
        let link = folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.trail.files[0])
        #expect(try run("audit", "verify", "--key-file", key, link).code == 0)

        #expect(try run("audit", "verify", "--key-file", pipe, fixture.trail.files[0]).code == 3)
        for command in ["check", "explain", "inspect", "healthcheck", "mint"] {
            let outcome = try run(command, "--config", pipe)
            #expect(outcome.code != 0 && !outcome.err.isEmpty, "\(command): \(outcome.err)")
        }
        let text = """
            { version: 1, grants: {},
              credentials: { s: { provider: "sts", roleArn: "acs:ram::1:role/a", accessKey: "LTAI5tests",
                secretKey: { file: "FILE" }, region: "cn-hangzhou" } } }
            """
        let configuration = try Keeper.write(text.replacing("FILE", with: pipe), to: folder + "/c.json5")
        let secret = try run("check", "--config", configuration)
        #expect(secret.code == 3 && secret.err.contains("secretKey.file: the file \(pipe) is empty"), "\(secret.err)")
        let asked = try Program(
            Program.countersign,
            [
                "explain", "--config", fixture.service.configuration, "--caller", "anonymous", "--route", "nos.token",
                "--claims", "@\(pipe)", "--parameter", "object@\(pipe)",
            ], environment: Setup.environment
        ).wait()
        #expect(asked.code == 2 && asked.err.contains("--claims"), "\(asked.err)")
    }
}
