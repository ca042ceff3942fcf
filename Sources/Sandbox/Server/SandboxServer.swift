import Bytes
import Net

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The sandbox at a port of its own, on loopback only. Each connection has a thread, which reads, verifies and writes in turn: uploads
/// go from the socket to the disk, and nothing here has to be fast for thousands of clients.
package final class SandboxServer: Sendable {
    private struct Connections {
        var descriptors: Set<Int32> = []
    }

    /// Connections that are served at once; the next one waits until another ends.
    static let mostConnections = 256
    /// Seconds that a client may send or take nothing.
    static let patience = 60

    private let socket: LoopbackSocket
    private let sandbox: Sandbox
    private let now: Clock
    private let connections = Guarded(Connections())

    /// Opens the port; clients can connect from now on, and are answered by `run`.
    package init(_ sandbox: Sandbox, on address: HostPort, by now: @escaping Clock = SystemClock.now) throws {
        socket = try LoopbackSocket(address)
        self.sandbox = sandbox
        self.now = now
    }

    /// Where it listens, with the port that the system chose if none was given.
    package var address: SocketAddress { socket.address }
    package var port: UInt16 { address.port }

    /// Answers clients, and returns after `stop`, when the last connection has ended.
    package func run() {
        while let descriptor = socket.next(patience: SandboxServer.patience) {
            admit(descriptor)
            let thread = SystemThread {
                var connection = SandboxConnection(descriptor)
                connection.serve(self.sandbox, by: self.now)
                self.release(descriptor)
            }
            guard let thread else {
                release(descriptor)
                continue
            }
            thread.detach()
        }
        // Those that wait for their clients are woken.
        connections.withLock { all in
            for descriptor in all.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        wait { $0.descriptors.isEmpty }
    }

    /// From any thread.
    package func stop() { socket.stop() }

    /// Waits for room among the connections.
    private func admit(_ descriptor: Int32) {
        wait { $0.descriptors.count < SandboxServer.mostConnections }
        connections.withLock { _ = $0.descriptors.insert(descriptor) }
    }

    private func release(_ descriptor: Int32) {
        // Closed under the lock, so that `run` never shuts down another socket that has got the number.
        connections.withLock { all in
            all.descriptors.remove(descriptor)
            close(descriptor)
        }
    }

    private func wait(until holds: @Sendable (borrowing Connections) -> Bool) {
        while !connections.withLock({ holds($0) }) { usleep(1_000) }
    }
}
