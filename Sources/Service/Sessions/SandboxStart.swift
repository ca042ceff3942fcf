import Crypto
import Dispatch

/// One that may call the sandbox, and the role that it may assume there.
package struct SandboxGuest: Sendable {
    package let accessKeyID: [UInt8]
    package let secret: Secret
    package let roleARN: [UInt8]
}

/// The vendors' stand-in while it runs.
package struct RunningSandbox: Sendable {
    /// Where it listens, on this machine.
    package let port: UInt16
    package let stop: @Sendable () -> Void

    package init(port: UInt16, stop: @escaping @Sendable () -> Void) {
        self.port = port
        self.stop = stop
    }
}

/// Starts the stand-in. The service does not know it: it comes with the program, and is spoken to as the vendor is.
package typealias SandboxStart = @Sendable ([SandboxGuest]) throws -> RunningSandbox

/// The sandbox of one configuration: it is stopped when that is gone.
final class SandboxLease: Sendable {
    private let sandbox: RunningSandbox
    var port: UInt16 { sandbox.port }

    init(_ guests: [SandboxGuest], _ start: SandboxStart) throws(SessionAccounts.Failure) {
        do { sandbox = try start(guests) } catch {
            throw SessionAccounts.Failure(description: "the sandbox cannot be started: \(error)")
        }
    }

    deinit {
        // It waits for its threads, which no event loop must.
        let sandbox = sandbox
        DispatchQueue(label: "countersign.sandbox.end").async { sandbox.stop() }
    }
}
