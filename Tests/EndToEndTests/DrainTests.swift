import Foundation
import Testing

/// Nobody is cut when the service ends.
@Suite("The end under load", .timeLimit(.minutes(10)))
struct DrainTests {
    private static let grants = """
        grants: { "all": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
          bucket: "files", unscoped: true } },
        """

    /// What became of a client that asks again and again, on connections that it keeps as long as it may.
    private enum Ending: Equatable {
        case refusedAfterTheEnd
        case cut(String)
    }

    private static func askUntilRefused(_ service: Service) -> Ending {
        let request = service.text("GET", "/nos/token?object=a")
        for _ in 0..<100_000 {
            guard let client = try? service.connect() else { return .refusedAfterTheEnd }
            do {
                while true {
                    try client.send(request)
                    let answer = try client.answer()
                    guard answer.status == 200 else { return .cut("status \(answer.status)") }
                    if answer.closes { break }
                }
            } catch { return .cut("\(error)") }
        }
        return .cut("it never ended")
    }

    @Test(arguments: Transport.allCases, [false, true])
    func `SIGTERM under load leaves no request without its answer`(
        _ transport: Transport, _ isAudited: Bool
    ) async throws {
        let setup = Setup(name: "load", rest: DrainTests.grants)
        let service = try Service(isAudited ? setup.audited() : setup, transport)
        defer { service.stop() }
        let endings = await withTaskGroup(of: Ending.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread { continuation.resume(returning: DrainTests.askUntilRefused(service)) }
                    }
                }
            }
            // The load is on when somebody else is served, too.
            for _ in 0..<200 { _ = try? service.get("/livez") }
            service.process.signal(SIGTERM)
            return await group.reduce(into: [Ending]()) { $0.append($1) }
        }
        #expect(endings.count == 8)
        for ending in endings { #expect(ending == .refusedAfterTheEnd) }
        #expect(try service.process.wait(within: 5).code == 0)
    }
}
