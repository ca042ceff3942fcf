import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("server.limits: every key takes effect", .waiting)
struct LimitsTests {
    @Test(arguments: Transport.allCases)
    func `a client that is refused while it still sends gets to read why`(_ transport: Transport) throws {
        let client = try Service.shared(Setup.small, transport).connect()
        let body = String(repeating: "b", count: 1_000_000)
        // The refusal may come, and the connection end, before all is sent.
        try? client.send("POST /nos/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + body)
        try client.answer().expectProblem(413, "body_too_large")
    }

    @Test(arguments: Transport.allCases)
    func `connections: one too many is 503, and where one has left there is room again`(
        _ transport: Transport
    ) throws {
        let setup = Setup(name: "full", server: "limits: { connections: 3 }", rest: Setup.limitedGrants)
        try Service.run(setup, transport) { service in
            var clients = try (0..<3).map { _ in try service.connect() }
            for client in clients {
                try client.send(service.text("GET", "/livez"))
                #expect(try client.answer().status == 200)
            }
            let refused = try service.connect()
            let answer = try refused.answer()
            answer.expectProblem(503, "overloaded")
            #expect(answer["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
            #expect(answer.closes)
            #expect(try refused.isClosed())
            clients.removeLast()
            // The server may not have heard of it yet.
            let deadline = Date.now.addingTimeInterval(60)
            var status = 0
            while status != 200, deadline > .now { status = (try? service.get("/livez").status) ?? 0 }
            #expect(status == 200)
        }
    }

    /// Asserts that something took not less than so long, and less than it would by standard.
    private static func expectDuration(
        _ seconds: Double, below standard: Double, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) rethrows {
        let start = ContinuousClock.now
        try body()
        let taken = ContinuousClock.now - start
        let isAsSaid = taken > .seconds(seconds * 0.95) && taken < .seconds(standard * 0.95)
        #expect(isAsSaid, "\(taken)", sourceLocation: sourceLocation)
    }

    /// Sends a piece again and again, until something comes or a minute is over. It may be over while one is sent.
    private static func drip(_ piece: String, by client: Client) {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while !client.hasNews(within: 0.05), .now < end { try? client.send(piece) }
    }

    @Test(arguments: Transport.allCases)
    func `headerTimeout: a head that does not end is 408, even when bytes keep coming`(_ transport: Transport) throws {
        let service = try Service.shared(Setup.hasty("headerTimeout: \"400ms\""), transport)
        try LimitsTests.expectDuration(0.4, below: 10) {
            let client = try service.connect()
            try client.send("GET /livez HTTP/1.1\r\n")
            let answer = try client.answer()
            answer.expectProblem(408, "request_timeout")
            #expect(answer.closes)
        }
        try LimitsTests.expectDuration(0.4, below: 10) {
            let client = try service.connect()
            try client.send("GET /livez HTTP/1.1\r\nX: ")
            LimitsTests.drip("a", by: client)
            try client.answer().expectProblem(408, "request_timeout")
        }
    }

    @Test(arguments: Transport.allCases)
    func `requestTimeout: a body that does not end is 408, even when bytes keep coming`(_ transport: Transport) throws {
        let service = try Service.shared(Setup.hasty("requestTimeout: \"900ms\""), transport)
        for fields in [["Content-Length: 4000"], ["Transfer-Encoding: chunked"]] {
            try LimitsTests.expectDuration(0.9, below: 25) {
                let client = try service.connect()
                try client.send(service.text("POST", "/nos/token", fields))
                LimitsTests.drip(fields[0].hasSuffix("chunked") ? "1\r\na\r\n" : "a", by: client)
                let answer = try client.answer()
                answer.expectProblem(408, "request_timeout")
                #expect(answer.closes)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `idleTimeout: a connection that says nothing is closed without a word`(_ transport: Transport) throws {
        let service = try Service.shared(Setup.hasty("idleTimeout: \"600ms\""), transport)
        try LimitsTests.expectDuration(0.6, below: 60) {
            let silent = try service.connect()
            let isClosed = try silent.isClosed()
            #expect(isClosed)
        }
        // Who is held up before it speaks is too late, and comes again.
        var isAnswered = false
        for _ in 0..<20 where !isAnswered {
            try LimitsTests.expectDuration(0.6, below: 60) {
                let client = try service.connect()
                try client.send(service.text("GET", "/livez"))
                isAnswered = (try? client.answer().status) == 200
                let isClosed = try client.isClosed()
                #expect(isClosed)
            }
        }
        #expect(isAnswered)
    }

    @Test(arguments: Transport.allCases)
    func `writeTimeout: a client that does not take its answers is cut off, though they have left the service`(
        _ transport: Transport
    ) throws {
        let service = try Service.shared(Setup.hasty("writeTimeout: \"500ms\""), transport)
        try LimitsTests.expectDuration(0.5, below: 15) {
            let reader = try Client(service.port, holdsLittle: true)
            try reader.send(String(repeating: service.text("GET", "/livez"), count: 40))
            // It goes by a reset, since what it has not taken is thrown away.
            #expect(try reader.isResetUnread())
        }
        // One that has taken all of its answer only waits.
        let client = try Client(service.port, holdsLittle: true)
        for _ in 0..<2 {
            try client.send(service.text("GET", "/livez"))
            #expect(try client.answer().status == 200)
            #expect(!client.hasNews(within: 1.5))
        }
    }

    @Test(arguments: Transport.allCases)
    func `buffers: what all clients together have not finished is bounded, beyond it 503, and others are served`(
        _ transport: Transport
    ) throws {
        let setup = Setup(
            name: "buffers", server: #"limits: { buffers: "1MiB" }"#, rest: Setup.limitedGrants)
        try Service.run(setup, transport) { service in
            let head = service.text("POST", "/nos/token", ["Content-Type: application/json", "Content-Length: 200000"])
            let holders = try (0..<12).map { _ in
                let client = try service.connect()
                try? client.send(head + String(repeating: " ", count: 199_000))
                return client
            }
            var refused: [Client] = []
            for _ in 0..<20 where refused.count < 7 { refused = holders.filter { $0.hasNews(within: 0.5) } }
            for client in refused {
                let answer = try client.answer()
                answer.expectProblem(503, "overloaded")
                #expect(answer["Retry-After"] != nil && answer.closes)
            }
            // What a buffer has beyond its bytes counts, too.
            #expect((7...10).contains(refused.count), "\(refused.count)")
            try service.post("/nos/token", json: #"{"object": "a"}"#).expectSuccess()
            // Those who were in time may finish, and make room.
            for client in holders where !refused.contains(where: { $0 === client }) {
                try client.send(#"{"object":"a"}"# + String(repeating: " ", count: 986))
                try client.answer().expectSuccess()
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `connectionBuffer: so much is taken of each connection and not counted, more is`(
        _ transport: Transport
    ) throws {
        for (limit, isRefused) in [("64KiB", false), ("4KiB", true)] {
            let setup = Setup(
                name: "small", server: "limits: { buffers: \"1MiB\", connectionBuffer: \"\(limit)\" }",
                rest: Setup.limitedGrants)
            try Service.run(setup, transport) { service in
                let head = service.text(
                    "POST", "/nos/token", ["Content-Type: application/json", "Content-Length: 30015"])
                let holders = try (0..<60).map { _ in
                    let client = try service.connect()
                    try client.send(head + String(repeating: " ", count: 30_000))
                    return client
                }
                for _ in 0..<16 { #expect(try service.get("/livez").status == 200) }
                #expect(holders.contains { $0.hasNews(within: 0) } == isRefused)
                guard !isRefused else { return }
                for client in holders {
                    try client.send(#"{"object": "a"}"#)
                    try client.answer().expectSuccess()
                }
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `drainTimeout: requests under way at the end have so long, and no longer`(_ transport: Transport) throws {
        let setup = Setup(name: "drain", server: #"limits: { drainTimeout: "500ms" }"#, rest: Setup.limitedGrants)
        let service = try Service(setup, transport)
        defer { service.stop() }
        let client = try service.connect()
        try client.send("POST /nos/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        // An answer on another connection of the same loop shows that the request has been seen.
        for _ in 0..<8 { #expect(try service.get("/livez").status == 200) }
        try LimitsTests.expectDuration(0.5, below: 10) {
            service.process.signal(SIGTERM)
            let outcome = try service.process.wait()
            #expect(outcome.code == 0)
        }
    }
}
