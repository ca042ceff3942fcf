import Bytes
import Foundation
import Glibc
import HTTP
import TestTraits
import Testing

@testable import Net

@Suite(.waiting, .serialized, .timeLimit(.minutes(20))) struct UnixSocketTests {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/countersign-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    private func address(_ name: String) -> SocketAddress { SocketAddress(.unix(path: "\(folder)/\(name)")) }

    private func removeFolder() { try? FileManager.default.removeItem(atPath: folder) }

    @Test(arguments: TransportKind.allCases, [1, 3])
    func `clients are served by all loops, and have no address`(transport: TransportKind, workers: Int) throws {
        defer { removeFolder() }
        let address = address("a")
        let path = try #require(address.path)
        #expect(address.description == "unix:\(path)" && address.port == 0)
        try withServer(
            transport,
            {
                $0.listeners = [Server.Listener(address)]
                $0.workers = workers
            }
        ) { _ in
            let clients = try (0..<40).map { _ in try Client(path: path) }
            for client in clients { #expect(try client.get("/from").text == "none") }
            for client in clients { #expect(try client.get("/big/200000").body.count == 200_000) }
            #expect(throws: Server.Failure.self) {
                try Server(Server.Settings(addresses: [address], workers: 1)) { EchoHandler() }
            }
            #expect(try Client(path: path).get("/").status == 200, "the second has taken nothing away")
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func `one that never ran, or could not be made, leaves no file`() throws {
        defer { removeFolder() }
        let address = address("b")
        let path = try #require(address.path)
        _ = try Server(Server.Settings(addresses: [address], workers: 2)) { EchoHandler() }
        #expect(access(path, F_OK) != 0)
        let missing = SocketAddress(.unix(path: "\(folder)/nothing/c"))
        #expect(throws: Server.Failure.self) {
            try Server(Server.Settings(addresses: [address, missing], workers: 2)) { EchoHandler() }
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func `the file of another service that came later is left alone`() throws {
        defer { removeFolder() }
        let address = address("d")
        let path = try #require(address.path)
        let first = try Server(Server.Settings(addresses: [address], workers: 1)) { EchoHandler() }
        // It listens no more, but has not come to its end.
        unlink(path)
        let second = try Server(Server.Settings(addresses: [address], workers: 1)) { EchoHandler() }
        first.stop()
        first.run()
        #expect(access(path, F_OK) == 0)
        second.stop()
        second.run()
        #expect(access(path, F_OK) != 0)
    }
}
