import Foundation
import TestPeers
import Testing

@testable import Bytes
@testable import Sandbox

/// The vendor's own SDKs against a sandbox that runs.
@Suite(.timeLimit(.minutes(20))) struct OSSServerTests {
    /// Skipped in a bare `swift test`; scripts/test names a Python that has the vendor's packages, and accepts no skipped test.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"] != nil))
    func `the vendor's SDKs use OSS and STS, and get the vendor's refusals`() throws {
        let python = try #require(ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"])
        let folder =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
            + "/countersign-sandbox-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sandbox = try Sandbox(try AccountFolder(folder), roles: [Array(Fixture.role.utf8)], data: folder)
        let server = try SandboxServer(sandbox, on: try #require(HostPort("127.0.0.1:0")))
        let thread = Thread { server.run() }
        thread.start()
        defer { server.stop() }
        let keyID = "demo-oss-access-key"
        let secret = try String(contentsOfFile: "\(folder)/keys/alibaba/\(keyID)", encoding: .utf8)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Python/sandbox_oss.py")
        let said = try Shell.run([python, script.path, "\(server.address)", keyID, secret, Fixture.role])
        let text = String(decoding: said, as: UTF8.self)
        #expect(text.contains("all SDK checks passed"), "\(text)")
    }
}
