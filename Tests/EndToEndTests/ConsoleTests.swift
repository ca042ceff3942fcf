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
            // What cannot change while the service runs is not wrong anywhere in the text.
            var other = Self.shown
            other.server = "workers: 3,"
            try service.replaceConfiguration(with: other, .epoll)
            service.process.signal(SIGHUP)
            _ = try service.process.waitForError(holding: "server.workers: cannot change")
            let fixed = try #require(try configuration()?["refusal"]?["problems"]?.list?.first)
            #expect(fixed["path"] == "server.workers" && fixed["line"] == .null && fixed["column"] == .null)
            try service.reload(Self.shown, .epoll, generation: 2)
            #expect(try configuration()?["refusal"] == .null)
        }
    }
}
