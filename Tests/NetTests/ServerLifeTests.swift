import Bytes
import HTTP
import TestTraits
import Testing

@testable import Net

/// How a server begins and ends, and what it leaves behind.
@Suite(.waiting, .serialized, .timeLimit(.minutes(20))) struct ServerLifeTests {
    @Test(arguments: TransportKind.allCases)
    func `a port has one server`(transport: TransportKind) throws {
        try withServer(transport) { server in
            let taken = try socketAddress("127.0.0.1:\(server.port)")
            for workers in 1...2 {
                var settings = Server.Settings(addresses: [taken], workers: workers)
                settings.transport = transport
                do {
                    _ = try Server(settings) { EchoHandler() }
                    Issue.record("two servers listen on one port")
                } catch Server.Failure.listening(let error) {
                    #expect(error.description == "cannot listen on \(taken): another process listens there")
                }
            }
            #expect(try Client(server.port).get("/").status == 200)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `stopping finishes what is under way, closes what is idle, and takes nothing new`(transport: TransportKind)
        throws
    {
        let server = try TestServer(transport)
        let idle = try Client(server.port)
        #expect(try idle.get("/").status == 200)
        let fresh = try Client(server.port)
        let head = try Client(server.port)
        try head.write("GET /head HTTP/1.1\r\n")
        let body = try Client(server.port)
        try body.write("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab")
        let reading = try Client(server.port, holdsLittle: true)
        try reading.write(String(repeating: "GET /big/150000 HTTP/1.1\r\nHost: h\r\n\r\n", count: 20))
        // The server has read what the others sent, since it answers what came after.
        #expect(try idle.get("/").status == 200)
        #expect(try reading.answer().status == 200)
        server.beginStop()
        #expect(try idle.isClosed())
        #expect(try fresh.isClosed())
        // At once, but for a process that is just being started and holds all descriptors until it runs.
        #expect(eventually { (try? Client(server.port)) == nil })
        #expect(!server.hasReturned(within: 0.01))
        try head.write("Host: h\r\n\r\n")
        let last = try head.answer()
        #expect(last.text == "/head?")
        #expect(last.closes)
        #expect(try head.isClosed())
        try body.write("cd")
        #expect(try body.answer().text == "abcd")
        #expect(try body.isClosed())
        // It was promised all its answers, or to be told which is the last.
        var closes = false
        while !closes {
            let answer = try reading.answer()
            #expect(Pattern.matches(answer.body, count: 150_000))
            closes = answer.closes
        }
        reading.finishWriting()
        #expect(server.hasReturned())
    }

    @Test(arguments: TransportKind.allCases)
    func `an answer on its way when the server stops is the last of its connection`(transport: TransportKind) throws {
        let server = try TestServer(transport)
        let idle = try Client(server.port)
        #expect(try idle.get("/").status == 200)
        let client = try Client(server.port, holdsLittle: true)
        try client.write("GET /big/200000 HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.read(atMost: 17) == Array("HTTP/1.1 200 OK\r\n".utf8))
        server.beginStop()
        // It has begun to stop when this one is closed, and cannot have sent everything.
        #expect(try idle.isClosed())
        #expect(try client.rest().count > 200_000)
        #expect(server.hasReturned())
    }

    @Test(arguments: TransportKind.allCases)
    func `a request that arrived before the stop is answered`(transport: TransportKind) throws {
        for _ in 0..<20 {
            let server = try TestServer(transport)
            let client = try Client(server.port)
            try client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
            server.beginStop()
            #expect(try client.answer().text == "/a?")
            #expect(try client.isClosed())
            #expect(server.hasReturned())
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `clients that do not finish are cut off when the time to drain is over`(transport: TransportKind) throws {
        let server = try TestServer(transport) { $0.limits.drainTimeout = 300 }
        let client = try Client(server.port)
        #expect(try client.get("/").status == 200)
        try client.write("GET / HTTP/1.1\r\n")
        let other = try Client(server.port)
        #expect(try other.get("/").status == 200)
        server.beginStop()
        #expect(try client.isClosed())
        #expect(server.hasReturned())
    }

    @Test func `addresses are tried before anything starts, and let go when one fails`() throws {
        try withServer(.standard) { server in
            let free = try socketAddress("127.0.0.1:0")
            let taken = try socketAddress("127.0.0.1:\(server.port)")
            #expect(throws: Server.Failure.self) {
                try Server(Server.Settings(addresses: [free, taken], workers: 2)) { EchoHandler() }
            }
            struct NoHandler: Error {}
            #expect(throws: Server.Failure.self) {
                try Server(Server.Settings(addresses: [free], workers: 2)) { throw NoHandler() }
            }
        }
    }

    /// Answers with the number of its loop.
    private final class NumberedHandler: RequestHandler {
        private let number: Int

        init(_ number: Int) { self.number = number }

        func respond(
            to request: borrowing Request, as pending: PendingResponse, at instant: Instant,
            into response: inout Response
        ) -> Answering {
            response.body.append(decimal: number)
            return .done
        }

        func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool { false }

        func respond(
            to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
            into response: inout Response
        ) {}
    }

    #if os(Linux) && !DISPATCH_ONLY
        @Test func `loops that share a socket take connections in turns, however few there are`() throws {
            var loops = 0
            let server = try TestServer(.epoll, { $0.workers = 4 }) { _ in
                defer { loops += 1 }
                return NumberedHandler(loops)
            }
            defer { #expect(server.stop()) }
            var clients: [Client] = []
            var counts: [String: Int] = [:]
            for _ in 0..<80 {
                let client = try Client(server.port)
                counts[try client.get("/").text, default: 0] += 1
                clients.append(client)
            }
            // One loop alone could serve them all, and each would have 20 if a loop always waited again before the next comes.
            #expect(counts.count == 4 && counts.values.allSatisfy { $0 >= 5 }, "\(counts)")
        }
    #endif
}
