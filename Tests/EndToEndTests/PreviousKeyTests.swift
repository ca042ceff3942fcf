import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("Keys that signed before", .waiting)
struct PreviousKeyTests {
    @Test func `inspect knows what it has signed until its end`() throws {
        let before = try Service.run(Setup.previousKeys(until: nil)) { try $0.get("/qiniu/uptoken").text }
        for (until, verdict) in [(now + 3600, "genuine"), (now - 10, "refused")] {
            let folder = try Keeper.makeFolder()
            let path = try Setup.previousKeys(until: until).write(to: folder, transport: .epoll)
            let input = try Keeper.write(before, to: folder + "/input")
            let outcome = try Program(
                Program.countersign, ["inspect", "--format", "json", "--config", path], environment: Setup.environment,
                input: input
            ).wait()
            #expect(try JSON(outcome.out)["verdict"] == .string(verdict), "\(outcome.out)\(outcome.err)")
            #expect(!(outcome.out + outcome.err).contains(Setup.oldSecret))
            let check = try Program.run("check", "--config", path, environment: Setup.environment)
            #expect(check.code == 0)
            #expect(check.err.contains("previous[0]: has ended") == (verdict == "refused"), "\(check.err)")
        }
    }
}
