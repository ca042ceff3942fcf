import COpenSSL
import Glibc
import HTTP
import TestPeers
import TestTraits
import Testing

@testable import Net

private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

/// What passes through a server's TLS, and how connections begin and end. In turns, since some measure time.
@Suite(.waiting, .serialized, .timeLimit(.minutes(20))) struct ServerTLSTransferTests {
    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `100 requests in one record are answered in order`(kind: TransportKind, version: TLSVersion) throws {
        try withTLSServer(kind) { (server) throws in
            let client = try TLSClient(to: server.port, version.offer)
            try client.write((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
            for number in 0..<100 { #expect(try client.answer().text == "/\(number)?") }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a handshake and requests that come byte by byte are served`(kind: TransportKind, version: TLSVersion) throws {
        try withTLSServer(kind) { (server) throws in
            let client = try TLSClient(to: server.port, version.offer, drips: true)
            for _ in 0..<3 { #expect(try client.get("/").status == 200) }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a request in a record for each byte, all in one segment, is answered`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withTLSServer(kind) { (server) throws in
            let client = try TLSClient(to: server.port, version.offer)
            for _ in 0..<3 {
                try client.writeRaw(get.flatMap { client.records(of: String($0)) })
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a body beyond what is read at once comes back`(kind: TransportKind, version: TLSVersion) throws {
        try withTLSServer(kind) { (server) throws in
            let client = try TLSClient(to: server.port, version.offer)
            let body = Pattern.bytes(256 * 1024)
            for _ in 0..<3 {
                try client.write(
                    Array("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
                #expect(Pattern.matches(try client.answer().body, count: body.count))
            }
            #expect(try client.get("/after").text == "/after?")
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a pipeline of 3,000 requests is answered, though its answers come to more than the socket holds`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withTLSServer(kind) { (server) throws in
            let client = try TLSClient(to: server.port, version.offer, holdsLittle: true)
            // Nothing is read while 100 KiB are written: the server must not want that.
            try client.write((0..<3000).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
            for number in 0..<3000 { #expect(try client.answer().text == "/\(number)?") }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `large answers come as they were, to one who reads slowly too`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withTLSServer(kind) { (server) throws in
            for holdsLittle in [false, true] {
                let client = try TLSClient(to: server.port, version.offer, holdsLittle: holdsLittle)
                let count = holdsLittle ? 100_000 : 2_000_000
                try client.write(String(repeating: "GET /big/\(count) HTTP/1.1\r\nHost: h\r\n\r\n", count: 3))
                for _ in 0..<3 { #expect(Pattern.matches(try client.answer().body, count: count)) }
                #expect(try client.get("/after").text == "/after?")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `who says farewell behind a request still gets the answer, and a farewell`(kind: TransportKind) throws {
        try withTLSServer(kind) { (server) throws in
            for version in TLSVersion.allCases {
                let client = try TLSClient(to: server.port, version.offer)
                try client.writeRaw(client.records(of: get))
                try client.sayFarewell()
                client.finishWriting()
                #expect(try client.answer().status == 200)
                #expect(try client.isClosed())
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `who closes its half without a farewell still gets the answer`(kind: TransportKind) throws {
        try withTLSServer(kind) { (server) throws in
            for version in TLSVersion.allCases {
                let client = try TLSClient(to: server.port, version.offer)
                try client.write(get)
                client.finishWriting()
                #expect(try client.answer().status == 200)
                #expect(try client.isClosed())
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `the server says farewell when it closes: after a last answer, a refusal, an idle time, and at its end`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withTLSServer(kind) { (server) throws in
            let last = try TLSClient(to: server.port, version.offer)
            try last.write("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(try last.answer().closes)
            #expect(try last.isClosed())
            let refused = try TLSClient(to: server.port, version.offer)
            try refused.write("nonsense\r\n\r\n and more")
            #expect(try refused.answer().status == 400)
            #expect(try refused.isClosed())
            let stopped = try TLSClient(to: server.port, version.offer)
            #expect(try stopped.get("/").status == 200)
            server.beginStop()
            #expect(try stopped.isClosed())
        }
        try withTLSServer(kind, [], { $0.limits.idleTimeout = 300 }) { (server) throws in
            #expect(try served(server, version).isClosed())
        }
    }

    /// A client that has had an answer, of a server that may be hasty: it tries for a while.
    private func served(_ server: TestServer, _ version: TLSVersion) throws -> TLSClient {
        var client: TLSClient?
        #expect(
            eventually {
                client = try? TLSClient(to: server.port, version.offer)
                return (try? client?.get("/").status) == 200
            })
        return try #require(client)
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a head and a body have their time in TLS as without`(kind: TransportKind, version: TLSVersion) throws {
        try withTLSServer(
            kind, [],
            {
                $0.limits.headerTimeout = 300
                $0.limits.requestTimeout = 500
            }
        ) { (server) throws in
            let head = try served(server, version)
            let body = try served(server, version)
            try head.write("GET / HTTP/1.1\r\nHost:")
            try body.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab")
            for client in [head, body] {
                let answer = try client.answer()
                #expect(answer.status == 408)
                #expect(answer.closes)
                #expect(try client.isClosed())
            }
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `a handshake has the time of a head, however slowly it comes`(
        kind: TransportKind, version: TLSVersion
    ) throws {
        try withTLSServer(kind, [], { $0.limits.headerTimeout = 400 }) { (server) throws in
            let start = SystemClock.monotonicMilliseconds()
            let silent = try Client(server.port)
            let dripping = try TLSClient(to: server.port, version.offer, shakesHands: false)
            dripping.wait(atMost: 0.05)
            let hello = dripping.clientHello()
            var sent = 0
            for byte in hello {
                guard (try? dripping.writeRaw([byte])) != nil else { break }
                sent += 1
                // Nothing comes: this waits 50 ms.
                do { if try dripping.readRaw() == nil { break } } catch {}
            }
            // All of it would take ten seconds and more.
            #expect(sent < hello.count)
            #expect(try silent.isClosed())
            #expect(SystemClock.monotonicMilliseconds() - start >= 400)
            // Who has shaken hands has its time for the head anew.
            _ = try served(server, version)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `what is no TLS is closed, cleanly and at once`(kind: TransportKind) throws {
        try withTLSServer(kind) { (server) throws in
            for text in [get, "PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n", "SSH-2.0-x\r\n", "\0\0\0\0\0\0\0\0\0"] {
                let client = try Client(server.port)
                try client.write(text)
                // A reset would be an error; an alert may come.
                let said = try client.rest()
                #expect(said.isEmpty || said.first == 21, "\(text): \(said)")
            }
            let garbled = try TLSClient(to: server.port)
            try garbled.writeRaw([23, 3, 3, 0, 40] + [UInt8](repeating: 7, count: 40))
            #expect(throws: TLSClient.Refused.self) { try garbled.read() }
            #expect(try TLSClient(to: server.port).get("/").status == 200)
        }
    }

    @Test(arguments: TransportKind.allCases, TLSVersion.allCases)
    func `connections that break off anywhere harm nobody`(kind: TransportKind, version: TLSVersion) throws {
        try withTLSServer(kind, [], { $0.limits.connections = 3 }) { (server) throws in
            let other = try TLSClient(to: server.port, version.offer)
            for length in stride(from: 0, through: 240, by: 24) {
                let begun = try TLSClient(to: server.port, version.offer, shakesHands: false)
                try begun.writeRaw(Array(begun.clientHello().prefix(length)))
                length % 48 == 0 ? begun.reset() : begun.finishWriting()
                let cut = try #require(try admitted(server, version))
                try cut.writeRaw(Array(cut.records(of: get).prefix(length / 2)))
                length % 48 == 0 ? cut.reset() : cut.finishWriting()
                #expect(try other.get("/").status == 200)
            }
        }
    }

    /// A connection, when there is room for one.
    private func admitted(_ server: TestServer, _ version: TLSVersion) throws -> TLSClient? {
        var client: TLSClient?
        #expect(
            eventually {
                client = try? TLSClient(to: server.port, version.offer)
                return client != nil
            })
        return client
    }

    @Test(arguments: TransportKind.allCases)
    func `renegotiation is refused, and new keys of TLS 1.3 are taken up`(kind: TransportKind) throws {
        try withTLSServer(kind) { (server) throws in
            let old = try TLSClient(to: server.port, TLSVersion.allCases[0].offer)
            #expect(try old.get("/").status == 200)
            #expect(throws: TLSClient.Refused(reason: "no renegotiation")) { try old.renegotiate() }
            let new = try TLSClient(to: server.port, TLSVersion.allCases[1].offer)
            for _ in 0..<3 {
                try new.renegotiate()
                #expect(try new.get("/").status == 200)
            }
        }
    }

    /// Whether the server has ended the connection without another word, be it by a reset; waits for it.
    private func isCutOff(_ client: TLSClient) -> Bool {
        do { return try client.readRaw() == nil } catch {
            return (error as? Client.Failure)?.number == ECONNRESET
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `who sends messages of TLS without end and no data is cut off, and others are served`(
        kind: TransportKind
    ) throws {
        try withTLSServer(kind) { (server) throws in
            let other = try TLSClient(to: server.port)
            #expect(try other.get("/").status == 200)
            let flooding = try TLSClient(to: server.port, TLSVersion.allCases[1].offer)
            #expect(try flooding.get("/").status == 200)
            let flood = (0..<40_000).flatMap { _ in flooding.newKeys() }
            do { try flooding.writeRaw(flood) } catch let error as Client.Failure {
                #expect([EPIPE, ECONNRESET].contains(error.number))
            }
            #expect(isCutOff(flooding))
            #expect(try other.get("/").status == 200)
        }
        // So many are allowed where the limit is higher.
        try withTLSServer(kind, [], { $0.limits.tlsMessages = 2_000_000 }) { (server) throws in
            let flooding = try TLSClient(to: server.port, TLSVersion.allCases[1].offer)
            #expect(try flooding.get("/").status == 200)
            let flood = (0..<10_000).flatMap { _ in flooding.newKeys() }
            #expect(flood.count > 128 * 1024)
            try flooding.writeRaw(flood)
            #expect(try flooding.get("/").status == 200)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `beyond the bound of handshakes the oldest ends, and who goes on with one is served`(
        kind: TransportKind
    ) throws {
        try withTLSServer(
            kind, [],
            {
                $0.limits.headerTimeout = 600_000; $0.limits.handshakes = 3
            }
        ) { (server) throws in
            // A message that says that it will have 131,056 bytes, of which OpenSSL makes room for all.
            let beginning: [UInt8] = [0x16, 3, 1, 0, 4, 1, 1, 0xFF, 0xF0]
            var stuck: [Client] = []
            for _ in 0..<5 {
                let client = try Client(server.port)
                try client.write(beginning)
                stuck.append(client)
                // By then it has been read.
                #expect(try TLSClient(to: server.port).get("/").status == 200)
            }
            for client in stuck.prefix(2) { #expect(try client.isClosed()) }
            #expect(server.connections.endedFigures.handshakes >= 2)
            #expect(try TLSClient(to: server.port).get("/").status == 200)
            var event = pollfd(fd: stuck[4].descriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&event, 1, 0) == 0)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `who breaks off within a message of TLS behind a request is not waited for`(kind: TransportKind) throws {
        try withTLSServer(kind, [], { $0.limits.writeTimeout = 600_000 }) { (server) throws in
            let client = try TLSClient(to: server.port, TLSVersion.allCases[0].offer)
            #expect(try client.get("/").status == 200)
            let request = client.records(of: get)
            let beginning = client.beginningOfRenegotiation()
            #expect(!beginning.isEmpty)
            try client.writeRaw(request + beginning)
            #expect(isCutOff(client))
            #expect(try TLSClient(to: server.port).get("/").status == 200)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `beyond its connections the server closes without a word`(kind: TransportKind) throws {
        try withTLSServer(kind, [], { $0.limits.connections = 1 }) { (server) throws in
            let first = try TLSClient(to: server.port)
            #expect(try first.get("/").status == 200)
            #expect(throws: (any Error).self) { try TLSClient(to: server.port) }
            #expect(try first.get("/").status == 200)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `an answer that comes later comes through TLS, and what waits behind it`(kind: TransportKind) throws {
        let identity = try TLSIdentity([entry(ClientCertificates.shared.get().good)])
        var handler: ParkingHandler?
        let server = try TestServer(kind, { $0.identity = identity }) { access in
            let made = ParkingHandler(access)
            handler = made
            return made
        }
        defer { #expect(server.stop()) }
        let parking = try #require(handler)
        for version in TLSVersion.allCases {
            let client = try TLSClient(to: server.port, version.offer)
            let path = "/later\(version.number)"
            // More than is read at once waits behind it.
            let waiting = (0..<4000).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
            try client.write("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" + waiting)
            #expect(try parking.finish(path))
            #expect(try client.answer().status == 200)
            for number in 0..<4000 { #expect(try client.answer().text == "/\(number)?") }
        }
    }
}
