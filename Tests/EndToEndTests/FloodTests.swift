import Foundation
import TestTraits
import Testing

@testable import TestService

/// One address that takes all it can of what is there for all.
@Suite("Floods of one address", .waiting, .timeLimit(.minutes(20)))
struct FloodTests {
    private static let hostile: UInt32 = 0x7F00_0002
    private static let grants = """
        grants: { "files": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
            bucket: "files", unscoped: true } },
        """

    /// So that none of them ends anything.
    private static let times = #"headerTimeout: "5m", requestTimeout: "5m", idleTimeout: "10m""#

    /// Has the loops read what was sent before.
    private static func settle(_ service: Service) throws {
        for _ in 0..<16 { #expect(try service.get("/livez").status == 200) }
    }

    /// Sends each request in two packets, the second when the first of all has been read.
    /// - Returns: the answers' status.
    private static func askInTwo(
        _ service: Service, _ count: Int, _ request: String, from source: UInt32 = Client.loopback
    ) throws -> [Int] {
        let clients = try (0..<count).map { _ in try Client(service.port, from: source) }
        let half = request.utf8.count / 2
        for client in clients { try client.send(Array(request.utf8.prefix(half))) }
        try settle(service)
        return try clients.map { client in
            try client.send(Array(request.utf8.dropFirst(half)))
            return try client.answer().status
        }
    }

    @Test(arguments: Transport.allCases)
    func `600 unfinished heads of 37 KiB cost their own address its connections, and others no request`(
        _ transport: Transport
    ) throws {
        let setup = Setup(name: "heads", server: "limits: { buffers: \"8MiB\", \(Self.times) }", rest: Self.grants)
        try Service.run(setup, transport) { service in
            let lines = (0..<30).map { "X-\($0): " + String(repeating: "b", count: 970) }
            let head = "GET /livez?\(String(repeating: "a", count: 7900)) HTTP/1.1\r\nHost: localhost\r\n"
            let long = head + lines.joined(separator: "\r\n") + "\r\n"
            #expect(long.utf8.count > 37_000)
            var floods: [Client] = []
            for number in 0..<660 {
                let client = try Client(service.port, from: Self.hostile)
                // Small ones fill what is left.
                try? client.send(
                    number < 600 ? long : "GET /livez HTTP/1.1\r\nX: " + String(repeating: "c", count: 2000))
                floods.append(client)
            }
            try Self.settle(service)
            let small = service.text("GET", "/livez", ["X-Padding: " + String(repeating: "d", count: 1000)])
            let others = try Self.askInTwo(service, 100, small)
            #expect(others == Array(repeating: 200, count: 100))
            // What is small is taken of the hostile address, too.
            #expect(try Self.askInTwo(service, 10, small, from: Self.hostile) == Array(repeating: 200, count: 10))
            // What is large is taken of those who hold little in all.
            let body = #"{"object": "a"}"# + String(repeating: " ", count: 100_000)
            let large = service.text("POST", "/nos/token", ["Content-Type: application/json"], body: body)
            #expect(try Self.askInTwo(service, 10, large) == Array(repeating: 200, count: 10))
            let refused = floods.filter { $0.hasNews(within: 0) }
            #expect(refused.count >= 300, "\(refused.count)")
            for client in refused.prefix(20) { #expect(try client.answer().status == 503) }
        }
    }

    @Test(arguments: Transport.allCases)
    func `addresses that have taken all connections, one each, lose those that are idle for longest to others`(
        _ transport: Transport
    ) throws {
        let setup = Setup(name: "many", server: "limits: { connections: 10, \(Self.times) }", rest: Self.grants)
        try Service.run(setup, transport) { service in
            let livez = service.text("GET", "/livez")
            let idle = try (0..<10).map { number in
                let client = try Client(service.port, from: Self.hostile + UInt32(number))
                try client.send(livez)
                #expect(try client.answer().status == 200)
                return client
            }
            // The server tells no times apart that are in one millisecond: the last one asks on until the others are older.
            let end = ContinuousClock.now + .milliseconds(3)
            while ContinuousClock.now < end {
                try idle[9].send(livez)
                #expect(try idle[9].answer().status == 200)
            }
            let others = try (0..<5).map { number in
                let client = try Client(service.port, from: 0x7F00_0101 + UInt32(number))
                try client.send(livez)
                #expect(try client.answer().status == 200)
                return client
            }
            var ended: [Client] = []
            for _ in 0..<200 where ended.count < 5 { ended = idle.filter { $0.hasNews(within: 0.01) } }
            #expect(ended.count == 5)
            for client in others {
                try client.send(livez)
                #expect(try client.answer().status == 200)
            }
            for client in ended { #expect(try client.isClosed()) }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an address that has taken all connections loses those without progress to others, and gets no more`(
        _ transport: Transport
    ) throws {
        let setup = Setup(name: "room", server: "limits: { connections: 20, \(Self.times) }", rest: Self.grants)
        try Service.run(setup, transport) { service in
            let livez = service.text("GET", "/livez")
            let active = try Client(service.port, from: Self.hostile)
            let idle = try (0..<10).map { _ in try Client(service.port, from: Self.hostile) }
            let begun = try (0..<9).map { _ in try Client(service.port, from: Self.hostile) }
            for client in begun { try client.send("GET /livez HTTP/1.1\r\n") }
            // It gets on for longer than the others took to come.
            let end = ContinuousClock.now + .milliseconds(100)
            while ContinuousClock.now < end {
                try active.send(livez)
                #expect(try active.answer().status == 200)
            }
            let refused = try Client(service.port, from: Self.hostile)
            try refused.answer().expectProblem(503, "overloaded")
            var others: [Client] = []
            for _ in 0..<10 {
                let client = try service.connect()
                try client.send(livez)
                #expect(try client.answer().status == 200)
                others.append(client)
            }
            // Then both have ten.
            let tooMany = try service.connect()
            try tooMany.answer().expectProblem(503, "overloaded")
            try active.send(livez)
            #expect(try active.answer().status == 200)
            for client in others {
                try client.send(livez)
                #expect(try client.answer().status == 200)
            }
            var ended: [Client] = []
            for _ in 0..<200 where ended.count < 10 { ended = (idle + begun).filter { $0.hasNews(within: 0.01) } }
            #expect(ended.count == 10)
            for client in ended {
                // One in the middle of a request is told.
                let isTold = begun.contains { $0 === client }
                #expect(try !isTold || client.answer().status == 503)
                #expect(try client.isClosed())
            }
            let metrics = try service.admin.get("/metrics").text
            #expect(metrics.contains("countersign_connections_displaced_total{listener=\"public\"} 10\n"))
        }
    }
}
