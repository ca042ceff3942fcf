import Foundation

/// Debian's Redis on a port of its own, which keeps nothing on the disk.
final class RedisProcess: @unchecked Sendable {
    let port: UInt16
    private let folder: String
    private let arguments: [String]
    private let lock = NSLock()
    private var program: Program?

    /// - Parameter arguments: what it is told beside, such as `--requirepass`.
    init(_ arguments: String...) throws {
        port = try Listener.freePort()
        self.arguments = arguments
        folder = try Keeper.makeFolder()
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts it again, with nothing in it, and waits until it answers.
    func start() throws {
        let program = try Program(
            "/usr/bin/redis-server",
            [
                "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder,
                "--daemonize", "no",
            ] + arguments)
        _ = try program.waitForOutput(holding: "Ready to accept connections")
        lock.withLock { self.program = program }
    }

    /// Ends it at once.
    func kill() {
        let program = lock.withLock { self.program.take() }
        _ = program?.stop(within: 0)
    }

    /// Has it stand still, or go on.
    func signal(_ number: Int32) { lock.withLock { program?.signal(number) } }

    /// What `redis-cli` says to a command.
    @discardableResult
    func ask(_ words: String...) throws -> String {
        let outcome = try Program("/usr/bin/redis-cli", ["-p", "\(port)"] + words).wait()
        return outcome.out.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
