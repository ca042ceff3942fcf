import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// `countersign mint` where a vendor is asked.
@Suite("Commands: mint asks vendors", .waiting)
struct MintVendorTests {
    private func mint(_ configuration: String, _ arguments: [String]) throws -> Program.Outcome {
        try Program(
            Program.countersign, ["mint", "--config", configuration] + arguments, environment: Setup.environment
        ).wait()
    }

    @Test func `a session is fetched and waited for, and a vendor that fails is 4`() throws {
        let sandbox = try Service.shared(.sandbox, .epoll)
        let minted = try mint(
            sandbox.configuration, ["--caller", "apiKey:alice", "--grant", "own", "--format", "json"])
        #expect(minted.code == 0, "\(minted.err)")
        let names = ["StatusCode", "Code", "AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration", "Scope"]
        #expect(try JSON(minted.out).names.sorted() == names.sorted())
        let text = try mint(sandbox.configuration, ["--caller", "apiKey:alice", "--grant", "own"])
        #expect(text.out.contains("grant            own\nlimitedBy        grant\n"), "\(text.out)")
        let folder = try Keeper.makeFolder()
        let peer = try ClientPeer({ peer, _ in
            try peer.request()
            try peer.answer("no", status: "500 No")
        })
        defer { _ = peer.stop() }
        let failing = try Setup.vendor("failing", ["http://127.0.0.1:\(peer.port)"]).write(
            to: folder, transport: .epoll)
        for format in ["text", "json"] {
            let outcome = try mint(failing, ["--caller", "anonymous", "--grant", "app", "--format", format])
            #expect(outcome.code == 4, "\(outcome.code): \(outcome.out)\(outcome.err)")
            #expect((outcome.out + outcome.err).contains("upstream_"), "\(outcome.err)")
            // The reason that the service would log; an explanation knows nothing of vendors.
            #expect(outcome.err.contains("warning: no credential from the vendor "), "\(outcome.err)")
            #expect(outcome.err.contains(" reason=127.0.0.1:\(peer.port): "), "\(outcome.err)")
            #expect(!outcome.err.contains("countersign explain"), "\(outcome.err)")
        }
    }

    @Test func `what only the vendor knows is asked and cut to the grant`() throws {
        let kodo = try FakeKodo()
        let setup = Setup.fetches("command fetches", kodo.url, limits: Setup.patientFetches)
        let path = try setup.write(to: Keeper.makeFolder(), transport: .epoll)
        let outcome = try mint(path, ["--caller", "anonymous", "--route", "qiniu.files", "--format", "json"])
        #expect(outcome.code == 0, "\(outcome.err)")
        let keys = ["photos/a.jpg", "photos/sub/b.jpg", "photos/中 文.jpg"]
        #expect(outcome.out == "{\"items\":[\(keys.map(FakeKodo.item).joined(separator: ","))]}\n", "\(outcome.out)")
        let refused = try mint(
            path, ["--caller", "anonymous", "--route", "qiniu.files", "--parameter", "prefix=private/"])
        #expect(refused.code == 1 && refused.err.contains("not_in_grant"), "\(refused.err)")
        #expect(kodo.seen.count == 1)
    }

    @Test func `a vendor that cannot be reached is named, with the reason`() throws {
        let port = try Listener.freePort()
        let path = try Setup.fetches("command unreached", "http://127.0.0.1:\(port)").write(
            to: Keeper.makeFolder(), transport: .epoll)
        let outcome = try mint(path, ["--caller", "anonymous", "--route", "qiniu.files"])
        #expect(outcome.code == 4 && outcome.out.isEmpty, "\(outcome)")
        let reason = "reason=127.0.0.1:\(port): cannot connect: Connection refused"
        #expect(outcome.err.contains(reason) && !outcome.err.contains("countersign explain"), "\(outcome.err)")
        #expect(outcome.err.contains("countersign mint: upstream_unavailable: "), "\(outcome.err)")
    }
}
