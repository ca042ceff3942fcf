import Bytes
import TestPeers
import TestTraits
import Testing

@testable import Net

@Suite(.waiting) struct BlockingExchangeTests {
    private let request = Array("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".utf8)

    @Test func `gets what the server says until it closes`() throws {
        try withServer(.standard) { server in
            let address = try socketAddress("127.0.0.1:\(server.port)")
            let answer = try #require(BlockingExchange.send(request, to: address, seconds: 60))
            #expect(answer.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.text.hasSuffix("\r\n\r\n/a?"))
        }
    }

    @Test func `gets it over TLS, whoever the server is`() throws {
        let identity = try TLSIdentity([entry(ClientCertificates.shared.get().selfSigned)])
        try withServer(.standard, { $0.identity = identity }) { server in
            let address = try socketAddress("127.0.0.1:\(server.port)")
            let answer = try #require(BlockingExchange.send(request, to: address, overTLS: true, seconds: 60))
            #expect(answer.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.text.hasSuffix("\r\n\r\n/a?"))
            #expect(BlockingExchange.send(request, to: address, seconds: 60)?.text.hasPrefix("HTTP") != true)
        }
    }

    @Test func `gets nothing where nobody listens or answers`() throws {
        let sockets = try ListeningSocket.open(socketAddress("127.0.0.1:0"), index: 0, count: 1)
        for socket in sockets {
            let start = SystemClock.monotonicMilliseconds()
            #expect(BlockingExchange.send(request, to: socket.address, seconds: 1) == nil)
            #expect(BlockingExchange.send(request, to: socket.address, overTLS: true, seconds: 1) == nil)
            #expect((1800..<60_000).contains(SystemClock.monotonicMilliseconds() - start))
            systemClose(socket.descriptor)
            #expect(BlockingExchange.send(request, to: socket.address, seconds: 1) == nil)
        }
    }
}
