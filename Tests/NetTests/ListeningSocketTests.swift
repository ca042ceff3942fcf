import Foundation
import Testing

@testable import Net

@Suite struct ListeningSocketTests {
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
}
