import Bytes
import Foundation
import Glibc
import HTTP
import TestTraits
import Testing

@testable import Net

/// What one client, or many, may take of what is there for all.
@Suite(.waiting, .serialized, .timeLimit(.minutes(20))) struct FairnessTests {
    @Test(arguments: TransportKind.allCases)
    func `others have their turn between the requests of one`(transport: TransportKind) throws {
        // It may happen to be seen late that another is there, but not each time.
        #expect(try (0..<3).contains { _ in try greedyRequests(beforeAnother: transport) < 4 * ServerConnection.turn })
    }

    /// How many requests of one, who has sent 1,500, are answered before the one of another.
    private func greedyRequests(beforeAnother transport: TransportKind) throws -> Int {
        let gate = DispatchedGate()
        let order = Order(gate)
        let server = try TestServer(transport, makeHandler: { _ in order })
        defer { #expect(server.stop()) }
        let greedy = try Client(server.port)
        let modest = try Client(server.port)
        #expect(try modest.get("/first").status == 200)
        // The loop is busy with the first request while all the others arrive.
        try greedy.write("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        try greedy.write(String(repeating: "GET /greedy HTTP/1.1\r\nHost: h\r\n\r\n", count: 1500))
        try modest.write("GET /modest HTTP/1.1\r\nHost: h\r\n\r\n")
        // Dispatch sees it a moment after it has come.
        usleep(100_000)
        gate.open()
        #expect(try modest.answer().status == 200)
        for _ in 0...1500 { try #require(try greedy.answer().status == 200) }
        #expect(order.paths.count { $0 == "/greedy" } == 1500)
        return try #require(order.paths.firstIndex(of: "/modest"))
    }

    /// Notes in which order requests are answered; `/slow` takes until the gate is open.
    private final class Order: RequestHandler {
        private(set) var paths: [String] = []
        private let gate: DispatchedGate

        init(_ gate: DispatchedGate) { self.gate = gate }

        func respond(
            to request: borrowing Request, as pending: PendingResponse, at instant: Instant,
            into response: inout Response
        ) -> Answering {
            if request.path.equals("/slow") { gate.wait() }
            paths.append(request.path.text)
            return .done
        }

        func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool { false }
        func respond(
            to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
            into response: inout Response
        ) {}
    }

    @Test(arguments: TransportKind.allCases)
    func `a pipeline that a stop finds waiting for its turn is answered to its end`(transport: TransportKind) throws {
        let gate = DispatchedGate()
        let server = try TestServer(transport, makeHandler: { _ in Order(gate) })
        let client = try Client(server.port)
        try client.write("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        try client.write(String(repeating: "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", count: 200))
        server.beginStop()
        gate.open()
        // The server is free to close after any answer then, but it says so.
        var isLast = false
        while !isLast { isLast = try client.answer().closes }
        client.finishWriting()
        #expect(server.hasReturned())
    }

    @Test(arguments: TransportKind.allCases)
    func `an answer that the system keeps for a client who does not read it is thrown away in time`(
        transport: TransportKind
    ) throws {
        try withServer(transport, { $0.limits.writeTimeout = 300 }) { server in
            // It fits the system's buffers, so that the server itself has nothing left to send.
            let stuck = try Client(server.port, holdsLittle: true)
            try stuck.write("GET /big/60000 HTTP/1.1\r\nHost: h\r\n\r\n")
            var event = pollfd(fd: stuck.descriptor, events: 0, revents: 0)
            #expect(poll(&event, 1, 60_000) == 1 && event.revents & Int16(POLLERR) != 0)
            // Who reads is left alone.
            let reader = try Client(server.port)
            #expect(try reader.get("/big/60000").body.count == 60_000)
            reader.wait(atMost: 1)
            #expect(throws: Client.Failure.self) { try reader.isClosed() }
            reader.wait(atMost: 60)
            #expect(try reader.get("/").status == 200)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `beyond the bound for all, the largest without progress for longest ends, and room is made by those who go`(
        transport: TransportKind
    ) throws {
        func bounded(_ settings: inout Server.Settings) {
            settings.limits.buffers = 300_000
            settings.limits.body = 1_000_000
        }
        try withServer(transport, bounded) { server in
            func holder() throws -> Client {
                let client = try Client(server.port)
                try client.write("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 101000\r\n\r\n")
                // Who is refused meanwhile may not get through with all of it.
                try? client.write([UInt8](repeating: 97, count: 100_000))
                return client
            }
            /// Whether it has been told something. Others have had their answers since, so that the server has read it all.
            func isAnswered(_ client: Client) throws -> Bool {
                for _ in 0..<8 { #expect(try Client(server.port).get("/").status == 200) }
                var event = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
                return poll(&event, 1, 0) == 1
            }
            var holders = [try holder()]
            // Until one is ended: by the fourth at the latest, and it is one that was there before.
            var ended: Int?
            while ended == nil, holders.count < 5 {
                holders.append(try holder())
                ended = try holders.firstIndex { try isAnswered($0) }
            }
            let first = try #require(ended)
            #expect(first < holders.count - 1)
            #expect(try holders.remove(at: first).answer().status == 503)
            #expect((1...3).contains(holders.count))
            #expect(server.connections.endedFigures.buffers >= 1)
            // A request that comes whole needs no room.
            #expect(try Client(server.port).get("/").status == 200)
            // An answer that does not leave at once is held, too: the last has room for it when the others have gone.
            let last = holders.removeLast()
            holders = []
            #expect(try !isAnswered(last))
            try last.write([UInt8](repeating: 97, count: 1000))
            #expect(try last.answer().body.count == 101_000)
            let next = try holder()
            try next.write([UInt8](repeating: 97, count: 1000))
            #expect(try next.answer().status == 200)
        }
    }
}
