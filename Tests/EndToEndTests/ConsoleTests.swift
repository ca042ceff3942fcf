import Foundation
import TestTraits
import Testing

@testable import TestService

/// What the page for operators asks that needs a process: an audit's file, a configuration's.
@Suite("The page for operators, of a process", .waiting, .timeLimit(.minutes(20)))
struct ConsoleTests {
    private static let operatorKey = APIKey(key: "key-of-who-looks-0123456789abc", id: "looker")

    private static let shown: Setup = {
        var setup = Setup(name: "console", rest: ReloadTests.quiet + Setup.open.rest)
        setup.admin += ", console: true, auth: [\(operatorKey.entry)]"
        return setup
    }()

    @Test func `a configuration that is refused is told by line and column while the one before serves`() throws {
        let key = Self.operatorKey.bearer
        try Service.run(Self.shown, .epoll) { service in
            func configuration() throws -> JSON? {
                try service.admin.get("/console/status", key).json["configuration"]
            }
            #expect(try configuration()?["refusal"] == .null)
            try service.replace("countersign.json5", with: "{\n  version: 1,\n  servr: {},\n}\n")
            service.process.signal(SIGHUP)
            _ = try service.process.waitForError(holding: "not reloaded")
            let told = try configuration()
            #expect(told?["generation"] == 1)
            let problem = try #require(told?["refusal"]?["problems"]?.list?.first { $0["path"] == "servr" })
            #expect(problem["line"] == 3 && problem["column"] == 3)
            #expect(problem["reason"]?.string?.contains("did you mean server?") == true)
            try service.get("/qiniu/uptoken?key=hers/a", APIKey.alice.bearer).expectSuccess()
            var other = Self.shown
            other.server = "workers: 3,"
            try service.replaceConfiguration(with: other, .epoll)
            service.process.signal(SIGHUP)
            _ = try service.process.waitForError(holding: "server.workers: cannot change")
            let fixed = try #require(try configuration()?["refusal"]?["problems"]?.list?.first)
            #expect(fixed["path"] == "server.workers" && fixed["line"] != .null && fixed["column"] != .null)
            try service.reload(Self.shown, .epoll, generation: 2)
            #expect(try configuration()?["refusal"] == .null)
        }
    }

    @Test func `grants are told in words, a page at a time, and are searched`() throws {
        let key = Self.operatorKey.bearer
        let names = (1...120).map { "team-\($0)-end" }
        let grants = names.map {
            "\"\($0)\": { route: \"nos.token\", credential: \"nos\", callers: [\"anonymous\"], public: true, "
                + "bucket: \"bucket-of-all\", keyPrefix: \"\($0)/\" },"
        }
        var setup = Setup(name: "console-grants", rest: "grants: { \(grants.joined(separator: "\n")) },")
        setup.admin = Self.shown.admin
        try Service.run(setup, .epoll) { service in
            func page(_ query: String) throws -> (names: [String], after: JSON?, first: JSON?) {
                let answer = try service.admin.get("/console/grants" + query, key)
                answer.expectSuccess()
                let list = answer.json["grants"]?.list ?? []
                return (list.compactMap { $0["name"]?.string }, answer.json["after"], list.first)
            }
            var found: [String] = []
            var query = ""
            repeat {
                let next = try page(query)
                #expect(next.names.count <= 50)
                found += next.names
                query = next.after?.integer.map { "?after=\($0)" } ?? ""
            } while !query.isEmpty
            #expect(found.count == names.count && Set(found) == Set(names), "no grant is missing, and none comes twice")
            let one = try page("?search=team-77-end/")
            #expect(one.names == ["team-77-end"] && one.after == .null)
            #expect(one.first?["words"]?.string?.hasPrefix("anonymous: ") == true)
            #expect(one.first?["words"]?.string?.contains("Keys that begin with team-77-end/.") == true)
            #expect(one.first?["enforcement"]?.list?.isEmpty == false)
            #expect(try page("?search=no-such-grant-anywhere").names.isEmpty)
        }
    }

    /// With an audit, and a grant of a sandbox.
    private static let recorded: Setup = {
        var setup = Setup(
            name: "console-recorded",
            rest: """
                grants: {
                    "tokens": { route: "nos.token", credential: "try", callers: ["anonymous"], public: true,
                      bucket: "demo-files", unscoped: true },
                  },
                """
        ).audited()
        setup.credentials = """
            credentials: { "try": { provider: "nos", sandbox: true, accessKey: "tried", secretKey: "a-secret-that-opens-nothing" } }
            """
        setup.admin += ", console: true, auth: [\(operatorKey.entry)]"
        return setup
    }()

    @Test func `the audit is read a page at a time and searched, and has what an operator does`() throws {
        let key = Self.operatorKey.bearer
        try Service.run(Self.recorded, .epoll) { service in
            for number in 1...60 { try service.get("/nos/token?object=photo-\(number)").expectSuccess() }
            let inquiry = #"{"caller":"anonymous","route":"nos.token","parameters":{"object":"tried"}}"#
            let admin = service.admin
            let explained = try admin.post("/explain", json: inquiry, key)
            let token = try #require(try service.get("/nos/token?object=a").json["token"]?.string)
            let inspected = try admin.post("/console/inspect", json: "{\"text\":\"\(token)\"}", key)
            let minted = try admin.post("/console/mint", json: inquiry, key)
            #expect(explained.status == 200 && inspected.status == 200 && minted.status == 200)

            func page(_ query: String) throws -> (lines: [JSON], before: JSON?) {
                let answer = try admin.get("/console/asks" + query, key)
                answer.expectSuccess()
                let lines = answer.json["lines"]?.list ?? []
                return (try lines.map { try JSON($0.string ?? "") }, answer.json["before"])
            }
            let newest = try page("")
            #expect(newest.lines.count == 50)
            let numbers = newest.lines.compactMap { $0["seq"]?.integer }
            #expect(numbers == numbers.sorted(by: >), "the newest first")
            let older = try page("?before=\(try #require(newest.before?.integer))")
            #expect(older.lines.count == 66 - 50 && older.before == .null && older.lines.last?["event"] == "segment")

            let actions = try page("?search=%22event%22%3A%22operator%22").lines
            #expect(actions.allSatisfy { $0["principal"] == "apiKey:looker" })
            // Two event loops answered, and their lines may have changed places.
            let answers = [("mint", minted), ("inspect", inspected), ("explain", explained)]
            #expect(actions.count == answers.count)
            for (action, answer) in answers {
                let line = actions.first { $0["requestId"]?.string == answer["X-Request-Id"] }
                #expect(line?["action"]?.string == action)
            }
            let issued = try #require(try page("?search=tried").lines.first)
            #expect(issued["event"] == "issued" && issued["principal"] == "anonymous" && issued["key"] == "tried")
            #expect(issued["requestId"]?.string == minted["X-Request-Id"], "both lines of it have one id")
            #expect(try page("?search=photo-7%22").lines.map { $0["key"] } == ["photo-7"])
            let other = try page("?search=never-written")
            #expect(other.lines.isEmpty && other.before == .null)
            for line in try AuditTrail(service).text.split(separator: "\n") {
                #expect(!line.contains(token), "what was inspected is on no line")
            }
        }
    }

    @Test func `the audit is verified on demand, and the status tells what was found last`() throws {
        let key = Self.operatorKey.bearer
        try Service.run(Self.recorded, .epoll) { service in
            for number in 1...9 { try service.get("/nos/token?object=photo-\(number)").expectSuccess() }
            func last() throws -> JSON? {
                try service.admin.get("/console/status", key).json["audit"]?["verification"]
            }
            #expect(try last() == .null)
            let whole = try service.admin.post("/console/verify", json: "{}", key)
            whole.expectSuccess()
            #expect(whole.json["whole"] == true && whole.json["first"] == 1)
            // The line that it is verified may be there already.
            #expect((10...11).contains(try #require(whole.json["last"]?.integer)))
            #expect(whole.json["problems"]?.list?.isEmpty == true)
            #expect(
                try last()?["whole"] == true && last()?["last"] == whole.json["last"] && last()?["time"]?.string != nil)
            // In place: the service goes on with its file.
            let path = service.folder + "/audit/a.jsonl"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let start = try #require(text.range(of: "photo-3"))
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: UInt64(text[..<start.lowerBound].utf8.count))
            file.write(Data("photo-X".utf8))
            try file.close()
            let edited = try service.admin.post("/console/verify", json: "{}", key)
            #expect(edited.json["whole"] == false)
            let problem = try #require(edited.json["problems"]?.list?.first)
            #expect(problem["kind"] == "edited" && problem["line"] == 4 && problem["reason"]?.string != nil)
            #expect(try last()?["whole"] == false)
        }
    }
}
