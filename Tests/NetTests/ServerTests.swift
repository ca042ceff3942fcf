import Glibc
import HTTP
import TestTraits
import Testing

@testable import Net

private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

/// What one client, or several, get from a running server. In turns, since they measure time and fill the machine.
@Suite(.waiting, .serialized, .timeLimit(.minutes(20))) struct ServerTests {
    @Test(arguments: TransportKind.allCases)
    func `a connection serves one request after the other`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let client = try Client(server.port)
            for number in 0..<20 {
                let answer = try client.get("/a?\(number)")
                #expect(answer.status == 200)
                #expect(answer.text == "/a?\(number)")
                #expect(!answer.closes)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `100 requests in one write are answered in order`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let client = try Client(server.port)
            try client.write((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
            for number in 0..<100 { #expect(try client.answer().text == "/\(number)?") }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a request that comes byte by byte is answered`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let client = try Client(server.port)
            for byte in get.utf8 { try client.write([byte]) }
            #expect(try client.answer().status == 200)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a body of 200 KiB comes back, by length and in chunks`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let client = try Client(server.port)
            let body = Pattern.bytes(200 * 1024)
            try client.write("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n")
            try client.write(body)
            #expect(Pattern.matches(try client.answer().body, count: body.count))
            try client.write("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            for start in stride(from: 0, to: body.count, by: 3000) {
                let chunk = body[start..<min(start + 3000, body.count)]
                try client.write(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10])
            }
            try client.write("0\r\n\r\n")
            #expect(Pattern.matches(try client.answer().body, count: body.count))
            #expect(try client.get("/after").text == "/after?")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a body is invited`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let client = try Client(server.port)
            try client.write("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try client.answer().status == 100)
            try client.write("ab")
            #expect(try client.answer().text == "ab")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a slow reader loses nothing of answers that no buffer holds`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let client = try Client(server.port, holdsLittle: true)
            let other = try Client(server.port)
            let count = 30
            let size = 150_000
            try client.write((0..<count).map { "GET /big/\(size + $0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
            // The server waits for this reader, but not the others.
            #expect(try other.get("/other").status == 200)
            for number in 0..<count { #expect(Pattern.matches(try client.answer().body, count: size + number)) }
            #expect(try client.get("/after").text == "/after?")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a client that closed its half after its requests gets all answers`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let quick = try Client(server.port)
            try quick.write(get)
            quick.finishWriting()
            #expect(try quick.answer().status == 200)
            #expect(try quick.isClosed())

            let slow = try Client(server.port, holdsLittle: true)
            try slow.write(String(repeating: "GET /big/150000 HTTP/1.1\r\nHost: h\r\n\r\n", count: 20))
            slow.finishWriting()
            for _ in 0..<20 { #expect(try slow.answer().body.count == 150_000) }
            #expect(try slow.isClosed())
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a refusal is readable by a client that is still sending`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let piece = [UInt8](repeating: 97, count: 500_000)
            func sendOn() throws {
                let client = try Client(server.port)
                try client.write("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n")
                for _ in 0..<8 { try client.write(piece) }
                let answer = try client.answer()
                #expect(answer.status == 413)
                #expect(answer.closes)
                for _ in 0..<8 { try client.write(piece) }
                #expect(try client.isClosed())
            }
            // It listens on for two seconds only, which a client may happen to let pass.
            #expect((0..<5).contains { _ in (try? sendOn()) != nil })
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a connection that its client ends is closed after the answer`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let client = try Client(server.port)
            try client.write("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(try client.answer().closes)
            #expect(try client.isClosed())
            let stranger = try Client(server.port)
            try stranger.write([0x16, 3, 1, 0, 0xA5])
            #expect(try stranger.answer().status == 400)
            #expect(try stranger.isClosed())
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a connection too many is answered 503`(transport: TransportKind) throws {
        try withServer(transport, { $0.limits.connections = 2 }) { server in
            var clients = [try Client(server.port), try Client(server.port)]
            for client in clients { #expect(try client.get("/").status == 200) }
            let third = try Client(server.port)
            try third.write(get)
            let answer = try third.answer()
            #expect(answer.status == 503)
            #expect(answer.closes)
            // One that ends makes room for another, as soon as the server has seen it.
            clients.removeLast()
            _ = try admitted(server)
        }
    }

    /// A client that has had an answer, of a server that may be full or hasty: it tries for a while.
    private func admitted(_ server: TestServer) throws -> Client {
        var client: Client?
        #expect(
            eventually {
                client = try? Client(server.port)
                return (try? client?.get("/").status) == 200
            })
        return try #require(client)
    }

    @Test(arguments: TransportKind.allCases)
    func `two workers serve together`(transport: TransportKind) throws {
        try withServer(transport, { $0.workers = 2 }) { server in
            let clients = try (0..<40).map { _ in try Client(server.port) }
            for client in clients { try client.write(get) }
            for client in clients { #expect(try client.answer().status == 200) }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a reset ends its own connection, at once, and no other`(transport: TransportKind) throws {
        try withServer(transport, { $0.limits.connections = 4 }) { server in
            let other = try Client(server.port)
            let idle = try Client(server.port)
            #expect(try idle.get("/").status == 200)
            idle.reset()
            let sending = try Client(server.port)
            try sending.write("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc")
            sending.reset()
            let receiving = try Client(server.port, holdsLittle: true)
            try receiving.write(String(repeating: "GET /big/150000 HTTP/1.1\r\nHost: h\r\n\r\n", count: 20))
            #expect(try receiving.read(atMost: 10)?.isEmpty == false)
            receiving.reset()
            for _ in 0..<10 { #expect(try other.get("/").status == 200) }
            // The three that ended make room for three others.
            let clients = try (0..<3).map { _ in try admitted(server) }
            for client in clients { #expect(try client.get("/").status == 200) }
        }
    }

    // MARK: Time

    private func milliseconds(_ body: () throws -> Void) rethrows -> Int64 {
        let start = SystemClock.monotonicMilliseconds()
        try body()
        return SystemClock.monotonicMilliseconds() - start
    }

    @Test(arguments: TransportKind.allCases)
    func `clients have their time and no more`(transport: TransportKind) throws {
        func hasty(_ settings: inout Server.Settings) {
            settings.limits.headerTimeout = 300
            settings.limits.requestTimeout = 600
        }
        try withServer(transport, hasty) { server in
            let time = try milliseconds {
                let head = try Client(server.port)
                let body = try Client(server.port)
                try head.write("GET / HTTP/1.1\r\nHost:")
                try body.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab")
                let answer = try head.answer()
                #expect(answer.status == 408)
                #expect(answer.closes)
                #expect(try head.isClosed())
                #expect(try body.answer().status == 408)
            }
            #expect((600..<60_000).contains(time))
        }
        try withServer(transport, { $0.limits.idleTimeout = 400 }) { server in
            let time = try milliseconds {
                let silent = try Client(server.port)
                let idle = try admitted(server)
                #expect(try silent.isClosed())
                #expect(try idle.isClosed())
            }
            #expect((400..<60_000).contains(time))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a reader that does not read is cut off`(transport: TransportKind) throws {
        try withServer(
            transport,
            {
                $0.limits.writeTimeout = 600
                $0.limits.connections = 1
            }
        ) { server in
            let reader = try Client(server.port, holdsLittle: true)
            try reader.write(String(repeating: "GET /big/150000 HTTP/1.1\r\nHost: h\r\n\r\n", count: 20))
            _ = try admitted(server)
            var received = 0
            while let more = try? reader.read(), !more.isEmpty { received += more.count }
            #expect((1..<20 * 150_000).contains(received))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `dripping does not prolong a head's time`(transport: TransportKind) throws {
        try withServer(transport, { $0.limits.headerTimeout = 300 }) { server in
            let client = try Client(server.port)
            client.wait(atMost: 0.05)
            var received: [UInt8]?
            let time = try milliseconds {
                try client.write("GET / HTTP/1.1\r\nX: ")
                // As long as nothing comes, each waits 50 ms.
                for _ in 0..<1200 where received == nil {
                    try? client.write("a")
                    received = try? client.read()
                }
            }
            #expect(received.map { String(decoding: $0.prefix(12), as: UTF8.self) } == "HTTP/1.1 408")
            #expect(time >= 300)
        }
    }
}
