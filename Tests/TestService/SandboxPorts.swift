import Bytes
import Foundation
import HTTP

@testable import Sandbox
@testable import Service

/// Sandboxes of STS in memory, by ports that are no real ones, asked in the words of HTTP.
final class SandboxPorts: @unchecked Sendable {
    private final class Sandbox {
        var context: ServerConnection.Context

        init(_ settings: SandboxSTS.Settings) { context = ServerConnection.Context(handler: SandboxHandler(settings)) }
    }

    private let lock = NSLock()
    private var sandboxes: [UInt16: Sandbox] = [:]
    private var last: UInt16 = 0
    private let clock: TestClock

    init(by clock: TestClock) { self.clock = clock }

    /// Starts one for those who may call it.
    func start(_ guests: [SandboxGuest]) -> RunningSandbox {
        let settings = SandboxSTS.Settings(
            callers: guests.map { SandboxCaller(accessKeyID: $0.accessKeyID, secret: $0.secret) },
            roles: guests.map(\.roleARN))
        let port = lock.withLock {
            last += 1
            sandboxes[last] = Sandbox(settings)
            return last
        }
        return RunningSandbox(port: port) { [self] in lock.withLock { sandboxes[port] = nil } }
    }

    /// - Returns: nil where there is none.
    func answer(_ request: [UInt8], at port: UInt16) -> [UInt8]? {
        lock.withLock {
            guard let sandbox = sandboxes[port] else { return nil }
            let instant = clock.now()
            sandbox.context.instant = instant
            sandbox.context.date = HTTPDate.write(instant.unixSeconds)
            sandbox.context.out.reset()
            var connection = ServerConnection(limits: SandboxServer.limits, at: instant)
            _ = connection.receive(request.span, in: &sandbox.context)
            return sandbox.context.out.array
        }
    }
}
