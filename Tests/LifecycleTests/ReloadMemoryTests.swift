import Configuration
import Crypto
import Foundation
import Net
import Testing

@testable import Gateway
@testable import Lifecycle

/// What is left of a configuration in a service that has been started by it, as `serve` does, and goes on by another.
@Suite("The configuration before, after a reload", .timeLimit(.minutes(20)))
struct ReloadMemoryTests {
    /// What the service was started with, held by nobody here.
    private final class Trace {
        weak var snapshot: Snapshot?
        /// The vendor's key, which each loop signs with.
        weak var secret: Secret?
        let record: ReloadRecord

        init(_ snapshot: Snapshot) {
            self.snapshot = snapshot
            secret = snapshot.configuration.credentials.first?.key?.secret
            record = snapshot.record
        }

        var isGone: Bool { snapshot == nil && secret == nil }
    }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-reload-\(UUID())").path

    private func write(_ text: String, to name: String) throws {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func start() throws -> (StartedService, Trace) {
        let configuration = try Configuration.load(folder + "/c.json5")
        let snapshot = try Snapshot(configuration)
        let service = try StartedService(
            snapshot, from: folder + "/c.json5", on: [], SystemdNotifier([:]), snapshot.log
        )
        return (service, Trace(snapshot))
    }

    /// Until something holds that happens on another thread, for a minute at most.
    private func wait(until holds: () -> Bool) -> Bool {
        let deadline = Date.now.addingTimeInterval(60)
        while !holds(), deadline > .now { usleep(5000) }
        return holds()
    }

    @Test func `nobody holds the first configuration, or a secret of it, when another has taken its place`() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("the-secret-of-before", to: "secret")
        try write(
            """
            { version: 1, server: { listen: "127.0.0.1:0", workers: 2 }, admin: { listen: [] }, reload: { watch: false },
              log: { level: "error" },
              credentials: { q: { provider: "qiniu", accessKey: "AK", secretKey: { file: "secret" } } },
              grants: { u: { route: "qiniu.uptoken", credential: "q", callers: "anonymous", public: true,
                bucket: "media", keyPrefix: "up/" } } }
            """,
            to: "c.json5")
        let (service, first) = try start()
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [server = service.server] in
            server.run()
            isOver.signal()
        }
        defer {
            service.server.stop()
            isOver.wait()
        }
        #expect(!first.isGone)
        for generation in 2...3 {
            try write("the-secret-of-generation-\(generation)", to: "secret")
            service.reloader.reload()
            #expect(wait { first.record.standing.generation == generation })
            #expect(wait { first.isGone }, "generation \(generation)")
        }
        withExtendedLifetime(service) {}
    }
}
