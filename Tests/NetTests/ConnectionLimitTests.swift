import Bytes
import Glibc
import HTTP
import TestTraits
import Testing

@testable import Net

/// Which connection gives way at `server.limits.connections`, where every connection has an address of its own.
@Suite(.waiting, .serialized, .timeLimit(.minutes(20))) struct ConnectionLimitTests {
    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }

    /// Runs `body` with room for so many connections, and with what connects from an address of its own, by its number, and asks.
    private func withRoom(
        for count: Int, _ transport: TransportKind,
        _ body: (TestServer, ParkingHandler, (_ number: Int, _ path: String) throws -> Client) throws -> Void
    ) throws {
        func few(_ settings: inout Server.Settings) {
            settings.limits.connections = count
            settings.proxies = TrustedProxies([AddressBlock("127.0.0.1")].compactMap { $0 }, includesLocal: false)
            settings.usesProxyProtocol = true
        }
        try withParking(transport, few) { server, handler in
            try body(server, handler) { number, path in
                let client = try Client(server.port)
                try client.write("PROXY TCP4 203.0.113.\(number) 127.0.0.1 1234 80\r\n" + get(path))
                return client
            }
        }
    }

    /// Waits until whoever has been answered by now has not only just come.
    private func passMoment() {
        let now = SystemClock.monotonicMilliseconds()
        #expect(soon { SystemClock.monotonicMilliseconds() > now + 1 })
    }

    @Test(arguments: TransportKind.allCases)
    func `beyond the bound for connections no client loses the answer that it waits for`(transport: TransportKind)
        throws
    {
        try withRoom(for: 2, transport) { server, handler, connect in
            var waiting: [Client] = []
            for number in 1...2 {
                waiting.append(try connect(number, "/later/\(number)"))
                _ = try handler.pending("/later/\(number)")
            }
            // However many come, there is no room beyond the bound.
            for _ in 0..<5 {
                let newcomer = try Client(server.port)
                #expect(try newcomer.answer().status == 503)
                #expect(try newcomer.isClosed())
                // The client may hear of it a moment before.
                #expect(soon { server.connections.counts(reserved: false).open == 2 })
            }
            #expect(server.connections.counts(reserved: false).refused == 5)
            #expect(handler.abandoned.isEmpty)
            #expect(try handler.finish("/later/1"))
            #expect(try waiting[0].answer().text == "/later/1")
            passMoment()
            let third = try connect(3, "/c")
            #expect(try third.answer().text == "/c?")
            #expect(try waiting[0].isClosed())
            #expect(try handler.finish("/later/2"))
            #expect(try waiting[1].answer().text == "/later/2")
            #expect(try third.get("/d").text == "/d?")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `beyond the bound an idle connection ends, though older ones wait for their answers`(
        transport: TransportKind
    ) throws {
        try withRoom(for: 10, transport) { server, handler, connect in
            let waiting = try (1...2).map { number in
                let client = try connect(number, "/later/\(number)")
                _ = try handler.pending("/later/\(number)")
                return client
            }
            let idle = try (3...10).map { number in
                let client = try connect(number, "/a")
                #expect(try client.answer().text == "/a?")
                return client
            }
            passMoment()
            func countEnded() -> Int {
                idle.count { client in
                    var event = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
                    return poll(&event, 1, 0) == 1
                }
            }
            // One of them ends for each that comes.
            let newcomers = try (1...3).map { number in
                let client = try connect(10 + number, "/b")
                #expect(try client.answer().text == "/b?")
                #expect(soon { countEnded() == number })
                return client
            }
            for client in newcomers { #expect(try client.get("/c").text == "/c?") }
            #expect(server.connections.counts(reserved: false).open <= 10)
            #expect(handler.abandoned.isEmpty)
            for number in 1...2 {
                #expect(try handler.finish("/later/\(number)"))
                #expect(try waiting[number - 1].answer().text == "/later/\(number)")
            }
        }
    }
}
