import Bytes
import COpenSSL
import Glibc
import HTTP
import TestTraits
import Testing

@testable import Net

/// Proxies that say whom they speak for before anything else.
@Suite(.waiting, .serialized, .timeLimit(.minutes(20))) struct ServerProxyTests {
    private static func settings(_ settings: inout Server.Settings) {
        let loopback = [AddressBlock("127.0.0.1")].compactMap { $0 }
        settings.proxies = TrustedProxies(loopback, includesLocal: true)
        settings.usesProxyProtocol = true
    }

    private static let text = Array("PROXY TCP4 203.0.113.9 127.0.0.1 1234 80\r\n".utf8)
    private static let textV6 = Array("PROXY TCP6 2001:db8::9 ::1 1234 80\r\n".utf8)
    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let binary = signature + [0x21, 0x11, 0, 12, 203, 0, 113, 10, 127, 0, 0, 1, 4, 210, 0, 80]
    private static let local = signature + [0x20, 0, 0, 0]
    private static let from = Array("GET /from HTTP/1.1\r\nHost: h\r\n\r\n".utf8)

    @Test(arguments: TransportKind.allCases)
    func `the client is whom the proxy names, however the bytes are cut`(transport: TransportKind) throws {
        try withServer(transport, Self.settings) { server in
            for (header, name) in [
                (Self.text, "203.0.113.9"), (Self.textV6, "2001:db8::9"), (Self.binary, "203.0.113.10"),
                (Self.local, "127.0.0.1"), (Array("PROXY UNKNOWN\r\n".utf8), "127.0.0.1"),
            ] {
                let whole = try Client(server.port)
                try whole.write(header + Self.from + Self.from)
                for _ in 0..<2 { #expect(try whole.answer().text == name) }
                #expect(try whole.get("/from").text == name, "it holds for the whole connection")
                let bytewise = try Client(server.port)
                for byte in header + Self.from { try bytewise.write([byte]) }
                #expect(try bytewise.answer().text == name)
                let half = try Client(server.port)
                try half.write(header + Self.from)
                half.finishWriting()
                #expect(try half.answer().text == name)
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `it comes before TLS, of which it takes no byte`(transport: TransportKind, version: TLSVersion) throws {
        try withTLSServer(transport, [], Self.settings) { server in
            for (header, name) in [(Self.text, "203.0.113.9"), (Self.binary, "203.0.113.10")] {
                let client = try TLSClient(to: server.port, version.offer, shakesHands: false)
                try client.writeRaw(header)
                try client.handshake()
                #expect(try client.get("/from").text == name)
                // With the ClientHello in one piece.
                let hasty = try TLSClient(to: server.port, version.offer, shakesHands: false)
                try hasty.writeRaw(header + hasty.clientHello())
                try hasty.handshake()
                #expect(try hasty.get("/from").text == name)
            }
            #expect(throws: (any Error).self) { try TLSClient(to: server.port, version.offer) }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a handshake counts for whom the proxy names, and no more when it is over`(transport: TransportKind) throws {
        try withTLSServer(transport, [], Self.settings) { server in
            for header in [Self.text, Self.binary] {
                let client = try TLSClient(to: server.port, TLSVersion.allCases[0].offer, shakesHands: false)
                try client.writeRaw(Array(header.prefix(20)))
                // By then the server has read it, and no handshake has begun.
                let other = try TLSClient(to: server.port, TLSVersion.allCases[0].offer, shakesHands: false)
                try other.writeRaw(Self.local)
                try other.handshake()
                #expect(try other.get("/from").text == "127.0.0.1")
                #expect(server.connections.countedHandshakes == 0)
                try client.writeRaw(Array(header.dropFirst(20)) + client.clientHello())
                try client.handshake()
                #expect(try !client.get("/from").text.isEmpty)
                #expect(server.connections.countedHandshakes == 0)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `what is none is closed without a word, and so is what does not come in time`(transport: TransportKind) throws
    {
        try withServer(transport, Self.settings) { server in
            for wrong in [
                Self.from, Array("PROXY TCP4 203.0.113.9\r\n".utf8), Self.signature + [0x22, 0, 0, 0],
                Array(repeating: UInt8(ascii: "P"), count: 5000), [0x16, 3, 1, 0, 5],
            ] {
                let client = try Client(server.port)
                try client.write(wrong)
                #expect((try? client.isClosed()) != false, "it was answered")
            }
        }
        func hasty(_ settings: inout Server.Settings) {
            Self.settings(&settings)
            settings.limits.headerTimeout = 400
        }
        try withServer(transport, hasty) { server in
            for start in [[], Array("PROXY TCP4 203.0.113.9 ".utf8), Self.signature + [0x21, 0x11, 0, 12, 203]] {
                let begin = SystemClock.monotonicMilliseconds()
                let client = try Client(server.port)
                try client.write(start)
                #expect((try? client.isClosed()) != false, "it was answered")
                #expect((400..<30_000).contains(SystemClock.monotonicMilliseconds() - begin))
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `beyond the bound for connections each counts for whom the proxy names`(transport: TransportKind) throws {
        func few(_ settings: inout Server.Settings) {
            Self.settings(&settings)
            settings.limits.connections = 4
        }
        try withServer(transport, few) { server in
            let greedy = try (0..<4).map { _ in
                let client = try Client(server.port)
                try client.write(Self.text + Self.from)
                #expect(try client.answer().text == "203.0.113.9")
                return client
            }
            var others: [Client] = []
            for _ in 0..<2 {
                let client = try Client(server.port)
                try client.write(Self.binary + Self.from)
                #expect(try client.answer().text == "203.0.113.10")
                others.append(client)
            }
            // They may be ended by another loop, a moment later.
            var events = greedy.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            var ended = 0
            while ended < 2, poll(&events, nfds_t(events.count), 20_000) > 0 {
                for index in events.indices where events[index].revents != 0 {
                    ended += 1
                    events[index].fd = -1
                }
            }
            #expect(ended == 2 && poll(&events, nfds_t(events.count), 0) == 0)
            for client in others { #expect(try client.get("/from").text == "203.0.113.10") }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `from others nothing of the kind is understood`(transport: TransportKind) throws {
        func untrusted(_ settings: inout Server.Settings) {
            Self.settings(&settings)
            settings.proxies = TrustedProxies([AddressBlock("192.0.2.1")].compactMap { $0 }, includesLocal: true)
        }
        try withServer(transport, untrusted) { server in
            #expect(try Client(server.port).get("/from").text == "127.0.0.1")
            for header in [Self.text, Self.binary, Self.local] {
                let client = try Client(server.port)
                try client.write(header + Self.from)
                #expect(try client.answer().status == 400)
                #expect(try client.isClosed())
            }
        }
    }
}
