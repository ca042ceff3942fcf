import Bytes
import HTTP
import Net

/// The sandbox with an event loop and a port of its own, on loopback only.
package final class SandboxServer: Sendable {
    package enum Failure: Error, CustomStringConvertible {
        case notLoopback
        case server(Server.Failure)

        package var description: String {
            switch self {
            case .notLoopback: "the sandbox listens on loopback only"
            case .server(let failure): failure.description
            }
        }
    }

    /// Where it listens, with the port that the system chose if none was given.
    package let address: SocketAddress
    private let server: Server

    /// Whatever STS documents as allowed fits: the longest policy and ExternalId, all of it percent-encoded in the query.
    static let limits: Limits = {
        var limits = Limits()
        limits.requestLine = 32 * 1024
        limits.body = 64 * 1024
        return limits
    }()

    /// Opens the port; callers can connect from now on, and are answered by `run`.
    package init(_ settings: SandboxSTS.Settings, on address: HostPort) throws(Failure) {
        guard address.address.isLoopback else { throw .notLoopback }
        var server = Server.Settings(addresses: [SocketAddress(address)], workers: 1)
        server.limits = SandboxServer.limits
        server.limits.drainTimeout = 1_000
        do throws(Server.Failure) {
            self.server = try Server(server) { SandboxHandler(settings) }
        } catch {
            throw .server(error)
        }
        self.address = self.server.addresses.first ?? SocketAddress(address)
    }

    /// Where it listens on this machine.
    package var port: UInt16 { address.port }

    /// Answers callers on the calling thread, and returns after `stop`.
    package func run() { server.run() }

    /// From any thread.
    package func stop() { server.stop() }
}
