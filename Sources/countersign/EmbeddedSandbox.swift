import Bytes
import Dispatch
import Sandbox
import Service

/// The stand-in for the vendors that comes with the program, for `endpoints: ["sandbox"]`.
enum EmbeddedSandbox {
    enum Failure: Error { case noAddress }

    /// Starts it on a free port of this machine, with a thread of its own.
    static func start(_ guests: [SandboxGuest]) throws -> RunningSandbox {
        guard let address = HostPort("127.0.0.1:0") else { throw Failure.noAddress }
        let settings = SandboxSTS.Settings(
            callers: guests.map { SandboxCaller(accessKeyID: $0.accessKeyID, secret: $0.secret) },
            roles: guests.map(\.roleARN))
        let server = try SandboxServer(settings, on: address)
        let isOver = DispatchSemaphore(value: 0)
        DispatchQueue(label: "countersign.sandbox").async {
            server.run()
            isOver.signal()
        }
        return RunningSandbox(port: server.port) {
            server.stop()
            isOver.wait()
        }
    }
}
