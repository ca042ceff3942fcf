import Foundation
import TestTraits
import Testing

@testable import Net

@Suite(.waiting) struct ListeningSocketTests {
    /// Somebody who has begun to connect.
    private final class Newcomer {
        let descriptor: Int32

        init(to address: SocketAddress) throws {
            descriptor = systemSocket(address.family)
            try #require(systemConnect(descriptor, to: address) == 0 || errno == EINPROGRESS)
        }

        deinit { systemClose(descriptor) }

        /// Whether it is connected, or refused, within the time.
        func isTold(within milliseconds: Int32) -> Bool {
            var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&event, 1, milliseconds) == 1
        }

        var error: Int32 { ClientSocket.error(of: descriptor) }
    }

    private func connections(waitingAt socket: ListeningSocket) -> Int {
        var count = 0
        while true {
            let descriptor = accept(socket.descriptor, nil, nil)
            guard descriptor >= 0 else { return count }
            systemClose(descriptor)
            count += 1
        }
    }

    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func `whom a socket holds off is refused when it is closed, and whoever came before waits to be taken`(
        _ name: String
    ) throws {
        let socket = try #require(try ListeningSocket.open(socketAddress(name), index: 0, count: 1).first)
        let early = try Newcomer(to: socket.address)
        #expect(early.isTold(within: 60_000) && early.error == 0)
        #expect(socket.holdOff())
        let late = try Newcomer(to: socket.address)
        #expect(!late.isTold(within: 200))
        #expect(connections(waitingAt: socket) == 1)
        systemClose(socket.descriptor)
        #expect(late.isTold(within: 60_000) && late.error == ECONNREFUSED)
    }

    @Test func `a socket that others hold holds nobody off`() throws {
        let opened = try #require(try ListeningSocket.open(socketAddress("127.0.0.1:0"), index: 0, count: 1).first)
        defer { systemClose(opened.descriptor) }
        var handed = [dup(opened.descriptor)]
        let sockets = try ListeningSocket.take(opened.address, index: 0, count: 2, from: &handed)
        defer { for socket in sockets { systemClose(socket.descriptor) } }
        #expect(sockets.count == 2 && handed.isEmpty)
        for socket in sockets { #expect(!socket.holdOff()) }
        let newcomer = try Newcomer(to: opened.address)
        #expect(newcomer.isTold(within: 60_000) && newcomer.error == 0)
        #expect(connections(waitingAt: opened) == 1)
    }

    /// Tries to listen on a port as another process of the same user would, with every option that lets ports be shared.
    /// - Returns: 0, or the error by which the system refused it.
    private func join(_ address: SocketAddress) -> Int32 {
        let descriptor = systemSocket(address.family)
        defer { systemClose(descriptor) }
        var on: Int32 = 1
        for option in [SO_REUSEADDR, SO_REUSEPORT] { setsockopt(descriptor, SOL_SOCKET, option, &on, 4) }
        return systemBind(descriptor, to: address) == 0 && listen(descriptor, 16) == 0 ? 0 : errno
    }

    @Test(arguments: [
        ("127.0.0.1", ["127.0.0.1", "0.0.0.0"]), ("0.0.0.0", ["127.0.0.1", "0.0.0.0"]), ("[::1]", ["[::1]", "[::]"]),
        ("[::]", ["[::1]", "[::]"]),
    ])
    func `nobody of the same user can join a port that is listened on, be it with SO_REUSEPORT`(
        _ host: String, _ others: [String]
    ) throws {
        let sockets = try ListeningSocket.open(socketAddress("\(host):0"), index: 0, count: 4)
        defer { for socket in sockets { systemClose(socket.descriptor) } }
        #expect(sockets.filter { !$0.isCopy }.count == 1 && sockets.count == 4)
        for other in others { #expect(join(try socketAddress("\(other):\(sockets[0].address.port)")) == EADDRINUSE) }
    }

    @Test func `a socket with SO_REUSEPORT of the same user is not taken, since others of that user can join it`()
        throws
    {
        let address = try socketAddress("127.0.0.1:0")
        let descriptor = systemSocket(AF_INET)
        defer { systemClose(descriptor) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, 4)
        try #require(systemBind(descriptor, to: address) == 0 && listen(descriptor, 16) == 0)
        let bound = try #require(SocketAddress(boundBy: descriptor))
        // What is refused is shown first.
        #expect(join(bound) == 0)
        var handed = [dup(descriptor)]
        let error = try #require(throws: ListenError.self) {
            try ListeningSocket.take(bound, index: 0, count: 2, from: &handed)
        }
        #expect(error.reason.contains("SO_REUSEPORT"))
    }
}
