import Bytes
import Foundation
import TestPeers
import Testing

@testable import Sandbox

/// NetEase's own SDK, and apps that upload by token, at the sandbox's port.
@Suite(.timeLimit(.minutes(20))) struct NOSServerTests {
    /// Skipped in a bare `swift test`; scripts/test names a Python that has the vendor's packages, and accepts no skipped test.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"] != nil))
    func `the vendor's SDK uploads, reads, lists and deletes, and gets its refusals`() throws {
        let python = try #require(ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"])
        let peer = try NOSPeer()
        let server = try SandboxServer(Sandbox([peer.side]), on: try #require(HostPort("127.0.0.1:0")))
        Thread { server.run() }.start()
        defer { server.stop() }
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Python/sandbox_nos.py")
        let said = try Shell.run([python, script.path, "\(server.address)", NOSPeer.keyID, NOSPeer.secret])
        let text = String(decoding: said, as: UTF8.self)
        #expect(text.contains("all SDK checks passed"), "\(text)")
    }
}
