import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("countersign brake, release and brakes", .waiting, .timeLimit(.minutes(20)))
struct BrakeCommandTests {
    private static let operatorKey = APIKey(key: "key-of-the-operator-0123456789", id: "operator")

    private static func setup(_ name: String = "braked") -> Setup {
        var setup = Setup(
            name: name,
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)] },
                grants: {
                  "files": { route: "nos.token", credential: "nos", callers: ["authenticated"],
                    bucket: "demo-files", keyPrefix: "f/", lifetime: "1h" },
                  "media": { route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"],
                    bucket: "media", keyPrefix: "m/", lifetime: "10m" },
                },
                brake: { file: "brakes.json" },
                """
        ).audited()
        // Each event loop hears of a brake by itself: with one, whatever comes after the first refusal is refused.
        setup.server = "workers: 1,"
        setup.admin += ", auth: [\(operatorKey.entry)]"
        return setup
    }

    /// Without the variables that the service has: the command needs none.
    private static func run(_ service: Service, _ words: String...) throws -> Program.Outcome {
        try Program(Program.countersign, words + ["--config", service.configuration], environment: [:]).wait()
    }

    private static func ask(_ service: Service, _ key: APIKey = .alice) throws -> Answer {
        try service.get("/nos/token?object=f/a", key.bearer)
    }

    /// Asks until the answer is of this status, for a minute at most.
    private static func waitFor(_ status: Int, of service: Service) throws -> Bool {
        let deadline = Date.now.addingTimeInterval(60)
        while deadline > .now {
            if try ask(service).status == status { return true }
            usleep(5000)
        }
        return false
    }

    @Test func `what a command stops is refused and on record, and outlasts the process, until it is released`() throws
    {
        let service = try Service(BrakeCommandTests.setup(), .epoll)
        defer { service.stop() }
        for _ in 0..<3 { #expect(try BrakeCommandTests.ask(service).status == 200) }
        #expect(try service.get("/qiniu/uptoken?key=m/a", APIKey.alice.bearer).status == 200)

        let stopped = try BrakeCommandTests.run(service, "brake", "grant", "files", "--reason", "a leak", "--for", "1h")
        #expect(stopped.code == 0, "\(stopped.err)")
        #expect(stopped.out.hasPrefix("stopped: grant files, by "), "\(stopped.out)")
        #expect(stopped.out.contains("credential nos (NetEase NOS): 3, the last until "), "\(stopped.out)")
        #expect(stopped.out.contains("the access key \(Setup.nosAccessKey): ") && !stopped.out.contains("qiniu"))
        #expect(try BrakeCommandTests.waitFor(403, of: service))
        try BrakeCommandTests.ask(service).expectProblem(403, "stopped")
        #expect(try service.get("/qiniu/uptoken?key=m/a", APIKey.alice.bearer).status == 200)
        let listed = try BrakeCommandTests.run(service, "brakes")
        #expect(
            listed.code == 0 && listed.out.hasPrefix("grant files, by ") && listed.out.hasSuffix(": a leak\n"),
            "\(listed.out)")

        // A process that starts knows it before it answers anything.
        let again = try Service(serving: service.configuration, in: service.folder)
        defer { _ = again.process.stop(within: 5) }
        try BrakeCommandTests.ask(again).expectProblem(403, "stopped")
        let mint = try Program(
            Program.countersign,
            [
                "mint", "--caller", "apiKey:alice", "--grant", "files", "--parameter", "object=f/a", "--config",
                service.configuration,
            ],
            environment: Setup.environment
        ).wait()
        #expect(mint.code == 1 && mint.err.contains("stopped"), "\(mint.err)")

        let released = try BrakeCommandTests.run(service, "release", "grant", "files", "--reason", "found")
        #expect(released.code == 0 && released.out.hasPrefix("released: grant files"), "\(released.out)")
        for process in [service, again] { #expect(try BrakeCommandTests.waitFor(200, of: process)) }
        #expect(try BrakeCommandTests.run(service, "brakes").out == "nothing is stopped\n")
        for process in [service, again] {
            process.process.signal(SIGTERM)
            _ = try process.process.wait()
        }
        let trail = try AuditTrail(service)
        let told = trail.lines.filter { ["stopped", "released"].contains($0["event"]?.string) }
        // The one that began later has also told what it found.
        #expect(told.count == 4)
        #expect(
            told.allSatisfy { $0["kind"] == "grant" && $0["name"] == "files" && $0["by"]?.string?.isEmpty == false })
        #expect(Set(told.compactMap { $0["reason"]?.string }) == ["a leak", "found"])
        #expect(told.first?["until"]?.string != nil)
        #expect(try trail.verify().code == 0)
    }

    @Test func `the admin listener stops and releases by an operator's key, and says what is still out`() throws {
        let service = try Service(BrakeCommandTests.setup("braked by admin"), .epoll)
        defer { service.stop() }
        let (admin, key) = (service.admin, BrakeCommandTests.operatorKey.bearer)
        try admin.get("/brakes").expectProblem(401, "unauthenticated")
        try admin.post("/brakes", json: "{}").expectProblem(401, "unauthenticated")
        #expect(try admin.get("/brakes", key).text == "{\"brakes\":[]}\n")
        #expect(try BrakeCommandTests.ask(service).status == 200)
        let stopped = try admin.post(
            "/brakes", json: #"{"kind":"caller","name":"apiKey:alice","reason":"a leak","for":"1h"}"#, key)
        #expect(stopped.status == 200, "\(stopped.text)")
        #expect(stopped.json["brake"]?["by"] == "apiKey:operator" && stopped.json["brake"]?["state"] == "inForce")
        #expect(stopped.text.contains(#""credential":"nos","provider":"nos","count":1"#), "\(stopped.text)")
        // Its loop knows when it answers; another is told at the same moment.
        #expect(try BrakeCommandTests.waitFor(403, of: service))
        #expect(try BrakeCommandTests.ask(service, .bob).status == 200)
        let explained = try admin.post(
            "/explain", json: #"{"caller":"apiKey:alice","route":"nos.token","parameters":{"object":"f/a"}}"#, key)
        #expect(explained.json["refusal"]?["code"] == "stopped" && explained.json["brake"]?["reason"] == "a leak")
        #expect(explained.json["permitted"] == .null)
        #expect(try admin.get("/metrics", key).text.contains("countersign_brakes{kind=\"caller\"} 1\n"))
        #expect(try admin.get("/brakes", key).text.contains("\"state\":\"inForce\""))
        let released = try admin.post(
            "/brakes", json: #"{"kind":"caller","name":"apiKey:alice","reason":"found","release":true}"#, key)
        #expect(released.status == 200, "\(released.text)")
        #expect(try BrakeCommandTests.waitFor(200, of: service))
        for (body, reason) in [
            (#"{"kind":"caller","name":"apiKey:alice","reason":"x","release":true}"#, "is not stopped"),
            (#"{"kind":"grant","name":"file","reason":"x"}"#, "did you mean files?"),
            (#"{"kind":"grant","name":"files"}"#, "reason must be"),
            (#"{"kind":"key","name":"x","reason":"x"}"#, "kind must be"),
            (#"{"kind":"all","name":"x","reason":"x"}"#, "name must be empty"),
            (#"{"kind":"all","reason":"x","for":"1y"}"#, "for must be"), ("[]", "must be a JSON object"),
            (#"{"kind":"all","reason":"x","release":1}"#, "release must be"),
        ] {
            try admin.post("/brakes", json: body, key).expectProblem(400, "invalid_parameter", reason)
        }
        try admin.post("/brakes", json: #"{"kind":"all","reason":"x","until":1}"#, key).expectProblem(
            400, "unknown_parameter")
    }

    @Test func `a name that is not known, a missing reason and another kind are refused, and nothing is stopped`()
        throws
    {
        let service = try Service(BrakeCommandTests.setup("braked badly"), .epoll)
        defer { service.stop() }
        for (words, reason) in [
            (["grant", "filez", "--reason", "x"], "the configuration has no grant filez; did you mean files?"),
            (["credential", "nox", "--reason", "x"], "did you mean nos?"),
            (["issuer", "a", "--reason", "x"], "has no issuer a"),
            (["caller", "alice", "--reason", "x"], "name must be a caller"),
            (["grant", "files"], "--reason is missing"),
            (["all", "files", "--reason", "x"], "name must be empty for all"),
            (["grant", "--reason", "x"], "name must be"),
            (["grants", "files", "--reason", "x"], "did you mean grant?"),
            (["grant", "a", "b", "--reason", "x"], "b cannot stand here"),
            (["grant", "files", "--reason", "x", "--for", "1w"], "--for must be"),
        ] {
            let refused = try Program(
                Program.countersign, ["brake"] + words + ["--config", service.configuration], environment: [:]
            ).wait()
            #expect(refused.code == 2 && refused.err.contains(reason), "\(words): \(refused.err)")
        }
        let release = try BrakeCommandTests.run(service, "release", "grant", "files", "--reason", "x")
        #expect(release.code == 1 && release.err.contains("grant files is not stopped"), "\(release.err)")
        #expect(!FileManager.default.fileExists(atPath: service.folder + "/brakes.json"))
    }

    @Test func `the service does not start by a broken file, and goes on with what it knows when it breaks later`()
        throws
    {
        let service = try Service(BrakeCommandTests.setup("braked and broken"), .epoll)
        defer { service.stop() }
        #expect(try BrakeCommandTests.run(service, "brake", "grant", "files", "--reason", "a leak").code == 0)
        #expect(try BrakeCommandTests.waitFor(403, of: service))
        try service.replace("brakes.json", with: "{")
        _ = try service.process.waitForError(holding: "the file of the brakes cannot be used")
        try BrakeCommandTests.ask(service).expectProblem(403, "stopped")
        #expect(
            try service.admin.get("/metrics", BrakeCommandTests.operatorKey.bearer).text.contains(
                "countersign_brake_file_ready 0\n"))
        #expect(try service.admin.get("/readyz").json["parts"]?["brakes"] == "failing")
        let check = try Program(
            Program.countersign, ["check", "--config", service.configuration], environment: Setup.environment
        ).wait()
        #expect(check.code == 0 && check.err.contains("the service does not start by it"), "\(check.err)")
        let other = try Program(
            Program.countersign, ["serve", "--config", service.configuration], environment: Setup.environment
        ).wait()
        #expect(
            other.code == 1 && other.err.contains("brake.file: ") && other.err.contains("move it away"), "\(other.err)")
        try FileManager.default.removeItem(atPath: service.folder + "/brakes.json")
        _ = try service.process.waitForError(holding: "the file of the brakes can be used again")
        #expect(try BrakeCommandTests.run(service, "brakes").out.hasPrefix("grant files"))
    }
}
