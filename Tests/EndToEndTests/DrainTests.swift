import Foundation
import TestTraits
import Testing

@testable import TestService

/// Nobody is cut when the service ends.
@Suite("The end under load", .waiting, .timeLimit(.minutes(20)))
struct DrainTests {
    private static let grants = """
        grants: { "all": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
          bucket: "files", unscoped: true } },
        """

    @Test(arguments: Transport.allCases, [false, true])
    func `SIGTERM under load leaves no request without its answer`(
        _ transport: Transport, _ isAudited: Bool
    ) throws {
        let setup = Setup(name: "load", rest: DrainTests.grants)
        let service = try Service(isAudited ? setup.audited() : setup, transport)
        defer { service.stop() }
        let load = Load(8, on: service.port, mayBeRefused: true)
        try load.wait(forMore: 200)
        service.process.signal(SIGTERM)
        #expect(try service.process.wait().code == 0)
        let faults = load.end()
        #expect(faults.isEmpty, "\(faults)")
    }
}
