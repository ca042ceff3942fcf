import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("The log", .waiting, .timeLimit(.minutes(20)))
struct LogTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "traceparent: 00-\(trace)-b7ad6b7169203331-01"

    private func setup(_ name: String, _ fields: String = "", format: String = "json") -> Setup {
        Setup(name: name, rest: Setup.open.rest, log: "requests: true, \(fields)", logFormat: format)
    }

    @Test(arguments: ["text", "json"])
    func `each request is a line, with its id and its trace, and without its query`(
        _ format: String
    ) throws {
        let service = try Service(setup("requests", format: format), .epoll)
        defer { service.stop() }
        try service.get("/qiniu/uptoken?key=photos/a.jpg", "X-Request-Id: one", LogTests.parent).expectSuccess()
        _ = try service.get("/photos/a.jpg", "X-Request-Id: two")
        _ = try service.post("/nos/token", json: #"{"object": "a.jpg"}"#, "X-Request-Id: three")
        _ = try service.admin.get("/readyz", "X-Request-Id: four", LogTests.parent)
        let log = service.stop().err
        let expected = [
            ("one", "/qiniu/uptoken", "200", "ok", "GET", LogTests.trace), ("two", "-", "404", "not_found", "GET", ""),
            ("three", "/nos/token", "200", "ok", "POST", ""), ("four", "/readyz", "200", "ok", "GET", LogTests.trace),
        ]
        for (id, path, status, code, method, trace) in expected {
            let lines = log.split(separator: "\n").filter { $0.contains("requestId") && $0.contains(id) }
            try #require(lines.count == 1, "\(lines)")
            if format == "json" {
                let line = try JSON(String(lines[0]))
                #expect(line["level"] == "info" && line["message"] == "answered")
                #expect(line["requestId"] == .string(id) && line["path"] == .string(path))
                #expect(line["status"]?.integer == Int64(status) && line["code"] == .string(code))
                #expect(line["method"] == .string(method) && line["client"] == "127.0.0.1")
                #expect(line["traceId"]?.string ?? "" == trace)
            } else {
                let traced = trace.isEmpty ? "" : " traceId=\(trace)"
                let end = "requestId=\(id) path=\(path) status=\(status) code=\(code) method=\(method) client=127.0.0.1"
                #expect(lines[0].hasSuffix(" info: answered \(end)\(traced)"), "\(lines[0])")
            }
        }
        #expect(!log.contains("a.jpg"))
    }

    @Test(arguments: [
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01", "", "x",
    ])
    func `what is no traceparent is not repeated`(_ value: String) throws {
        let service = try Service.shared(setup("traces"), .epoll)
        let id = "trace-\(abs(value.hashValue))"
        try service.get("/qiniu/uptoken?key=photos/a", "X-Request-Id: \(id)", "traceparent: \(value)").expectSuccess()
        let log = try service.process.waitForError(holding: id)
        let line = log.split(separator: "\n").last { $0.contains(id) }
        #expect(line?.contains("traceId") == false, "\(line ?? "")")
    }

    @Test
    func `a refused key and an exceeded rate are told with the reason and the caller, without a line for each request`()
        throws
    {
        var setup = Setup.closed
        setup.rest = #"rateLimit: { perCaller: "2/d" },"# + setup.rest
        setup.logFormat = "json"
        let service = try Service(setup, .epoll)
        defer { service.stop() }
        let target = "/qiniu/uptoken?key=users/alice/a"
        func ask(_ id: String, _ field: String) throws -> Int {
            try service.get(target, "X-Request-Id: \(id)", "Host: t.example.com", field).status
        }
        #expect(try ask("unknown-key", "X-API-Key: nobodys") == 401)
        #expect(try ask("ended-key", "X-API-Key: \(APIKey.ended.key)") == 401)
        for number in 1...3 { #expect(try ask("rate-\(number)", APIKey.alice.bearer) == (number == 3 ? 429 : 200)) }
        let lines = try service.stop().err.split(separator: "\n").map { try JSON(String($0)) }
        func line(_ id: String) throws -> JSON {
            let own = lines.filter { $0["requestId"] == .string(id) }
            return try #require(own.count == 1 ? own[0] : nil, "\(own)")
        }
        let (unknown, ended) = (try line("unknown-key"), try line("ended-key"))
        #expect(unknown["message"] == "credential refused" && unknown["reason"] == "the API key is not valid")
        #expect(ended["message"] == "credential refused" && ended["caller"] == "apiKey:ended")
        #expect(ended["reason"]?.string?.contains("has ended") == true)
        let limited = try line("rate-3")
        #expect(limited["message"] == "rate limited" && limited["level"] == "info")
        #expect(limited["limit"] == "perCaller" && limited["caller"] == "apiKey:alice")
        #expect(limited["client"] == "127.0.0.1")
        #expect(!lines.contains { $0["requestId"] == "rate-1" })
    }

    @Test(arguments: ["text", "json"])
    func `a start by a configuration with a mistake is told in the log's own format`(_ format: String) throws {
        var setup = setup("mistake", format: format)
        setup.rest = setup.rest.replacing("route: \"nos.token\"", with: "route: \"nos.tokens\"")
        let path = try setup.write(to: Keeper.makeFolder(), transport: .epoll)
        let outcome = try Program(
            Program.countersign, ["serve", "--config", path], environment: Setup.environment
        ).wait()
        #expect(outcome.code == 3 && outcome.err.contains("did you mean nos.token?"), "\(outcome.err)")
        for line in outcome.err.split(separator: "\n") {
            let json = try? JSON(String(line))
            #expect((json != nil) == (format == "json"), "\(line)")
            guard let json else { continue }
            #expect(json["level"] == "error" && json["message"] == "cannot start")
            #expect(json["configuration"] == .string(path) && json["problem"]?.string?.contains("line ") == true)
        }
    }

    @Test func `a log that nobody reads stops nobody, and what is lost of it is counted`() throws {
        // The pipe takes 64 KiB, the service keeps 4.
        let service = try Service(setup("unread", "buffer: \"4KiB\""), .epoll)
        defer { service.stop() }
        let client = try service.connect()
        for _ in 0..<1500 {
            try client.send(service.text("GET", "/qiniu/uptoken?key=photos/a"))
            #expect(try client.answer().status == 200)
        }
        let text = try service.admin.get("/metrics").text
        let lost = text.firstMatch(of: /\ncountersign_log_lines_lost_total (\d+)\n/).flatMap { Int($0.output.1) }
        #expect(lost ?? 0 > 100, "\(lost ?? -1)")
        // When somebody reads again, it goes on.
        _ = try service.process.waitForError(holding: "answered")
        let outcome = service.stop()
        #expect(outcome.code == 0)
        #expect(outcome.err.contains("stopped"))
        for line in outcome.err.split(separator: "\n") { #expect((try? JSON(String(line))) != nil, "\(line)") }
    }

    @Test(arguments: ["2> >(true)", "2>&-", ">&- 2>&- <&-"])
    func `a log that cannot be written stops nobody, and goes to nobody else`(_ redirection: String) throws {
        let folder = try Keeper.makeFolder()
        var setup = setup("closed log")
        let port = try Listener.freePort()
        setup.listen = "\"127.0.0.1:\(port)\""
        let path = try setup.write(to: folder, transport: .epoll)
        let process = try Program(
            "/bin/bash", ["-c", "exec \"$0\" serve --config \"$1\" \(redirection)", Program.countersign, path],
            environment: Setup.environment)
        defer { _ = process.stop() }
        let deadline = Date.now.addingTimeInterval(60)
        var answers: [Answer] = []
        while answers.count < 50, Date.now < deadline {
            guard let client = try? Client(port) else { continue }
            for _ in 0..<10 {
                try client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answers.append(try client.answer())
            }
        }
        #expect(answers.count >= 50 && answers.allSatisfy { $0.status == 200 && $0.text == "{\"status\":\"ok\"}\n" })
        #expect(process.stop().code == 0)
    }
}
