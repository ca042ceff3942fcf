import Bytes
import Crypto
import Foundation
import HTTP
import Net
import TestPeers

@testable import Sandbox

/// The sandbox on a port of the system's choice, in the process of the tests.
final class RunningSandbox: Sendable {
    private let server: SandboxServer
    var port: UInt16 { server.port }

    init(_ sandbox: Sandbox, by clock: @escaping Clock = SystemClock.now) throws {
        let address = try HostPort("127.0.0.1:0") ?? { throw Program.Failure(description: "no address") }()
        server = try SandboxServer(sandbox, on: address, by: clock)
        let server = server
        Thread { server.run() }.start()
    }

    /// With the accounts of a folder, its clock, and the role of the demonstration.
    convenience init(data folder: String) throws {
        try self.init(
            Sandbox(AccountFolder(folder), roles: [Array(Setup.roleARN.utf8)], data: folder),
            by: SandboxClock.reading(folder))
    }

    deinit { server.stop() }

    // MARK: The one that set-ups name

    private static let accessKey = "LTAI5sandbox"
    private static let secret = "secret-of-the-sandbox-of-the-end-to-end-tests"

    /// Who may call it, and the role there.
    static let settings = SandboxSTS.Settings(
        callers: [SandboxCaller(accessKeyID: Array(accessKey.utf8), secret: Secret(Array(secret.utf8)))],
        roles: [Array(Setup.roleARN.utf8)])

    /// For services that are processes; those in the process of the tests have a `FakeSandbox` at its port.
    static let shared: RunningSandbox = {
        do { return try RunningSandbox(Sandbox([STSSide(settings)])) } catch {
            preconditionFailure("no sandbox: \(error)")
        }
    }()

    /// The fields of a credential that is asked for sessions there.
    static let credential = """
        provider: "sts", sandbox: true, accessKey: "\(accessKey)", secretKey: "\(secret)", roleArn: "\(Setup.roleARN)",
              endpoints: "http://127.0.0.1:\(shared.port)"
        """
}

/// The sandbox without a port, by the clock of the test, asked in the words of HTTP.
final class FakeSandbox {
    private let sandbox = Sandbox([STSSide(RunningSandbox.settings)])
    private let clock: TestClock

    init(by clock: TestClock) { self.clock = clock }

    func answer(_ request: [UInt8]) -> [UInt8] {
        let clock = clock
        return SocketPair.exchange(request) { descriptor in
            var connection = SandboxConnection(descriptor)
            connection.serve(sandbox) { clock.now() }
        }
    }
}
