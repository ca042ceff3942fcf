import Bytes
import Foundation
import HTTP
import TestTraits
import Testing

@testable import Net

/// Requests whose answers come later.
@Suite(.waiting, .serialized, .timeLimit(.minutes(20))) struct ParkedTests {
    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }

    @Test(arguments: TransportKind.allCases)
    func `each connection has its answers in order, whichever is finished first`(transport: TransportKind) throws {
        try withParking(transport) { server, handler in
            let clients = try (0..<8).map { _ in try Client(server.port) }
            for (number, client) in clients.enumerated() {
                try client.write(
                    get("/a\(number)") + get("/later\(number).1") + get("/b\(number)") + get("/later\(number).2")
                        + get("/later\(number).3") + get("/c\(number)"))
                // What was answered before it does not wait.
                #expect(try client.answer().text == "/a\(number)?")
            }
            for turn in 1...3 {
                for number in clients.indices.shuffled() { #expect(try handler.finish("/later\(number).\(turn)")) }
            }
            for (number, client) in clients.enumerated() {
                let expected = [
                    "/later\(number).1", "/b\(number)?", "/later\(number).2", "/later\(number).3", "/c\(number)?",
                ]
                for text in expected { #expect(try client.answer().text == text) }
                #expect(try client.get("/after").text == "/after?")
            }
            #expect(handler.abandoned.isEmpty)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `an answer is finished once`(transport: TransportKind) throws {
        try withParking(transport) { server, handler in
            let client = try Client(server.port)
            try client.write(get("/later"))
            let pending = try handler.pending("/later")
            let isFinished = try handler.onLoop { ($0.answer(pending, "first"), $0.answer(pending, "second")).0 }
            #expect(isFinished)
            #expect(try client.answer().text == "first")
            #expect(try !handler.finish(pending, "third"))
            #expect(try client.get("/after").text == "/after?")
        }
    }

    @Test(arguments: TransportKind.allCases, ParkingHandler.Moment.allCases)
    func `an answer may be finished at any moment`(transport: TransportKind, moment: ParkingHandler.Moment) throws {
        try withParking(transport) { server, handler in
            let client = try Client(server.port)
            try client.write(get("/later") + get("/next"))
            let pending = try handler.pending("/later")
            handler.plan(moment) { [weak handler] in #expect(handler?.answer(pending, "late") == true) }
            let other = try Client(server.port)
            switch moment {
            case .respond: #expect(try other.get("/other").status == 200)
            case .refuses: try other.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
            case .error: try other.write("nonsense\r\n\r\n")
            case .abandon:
                try other.write(get("/later/other"))
                _ = try handler.pending("/later/other")
                other.reset()
            case .tick: break
            case .fill:
                try other.write(get("/later/other"))
                #expect(try handler.finish("/later/other"))
                #expect(try other.answer().text == "/later/other")
            }
            #expect(try client.answer().text == "late")
            #expect(try client.answer().text == "/next?")
        }
    }

    // MARK: Clients that go

    @Test(arguments: TransportKind.allCases)
    func `a reset abandons the pending, once`(transport: TransportKind) throws {
        try withParking(transport, { $0.limits.connections = 1 }) { server, handler in
            let client = try Client(server.port)
            try client.write(get("/later") + get("/b"))
            let pending = try handler.pending("/later")
            client.reset()
            #expect(soon { handler.abandoned == [pending] })
            #expect(try !handler.finish("/later"))
            // Its slot is free.
            let next = try Client(server.port)
            #expect(try next.get("/next").status == 200)
            #expect(handler.abandoned == [pending])
            #expect(!handler.asked.contains("/b"))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a stale pending does nothing to whoever has taken the slot`(transport: TransportKind) throws {
        try withParking(transport) { server, handler in
            let first = try Client(server.port)
            try first.write(get("/later/first"))
            let stale = try handler.pending("/later/first")
            first.reset()
            #expect(soon { !handler.abandoned.isEmpty })
            let second = try Client(server.port)
            try second.write(get("/later/second"))
            let pending = try handler.pending("/later/second")
            #expect(UInt32(truncatingIfNeeded: pending.connection) == UInt32(truncatingIfNeeded: stale.connection))
            #expect(pending != stale)
            #expect(try !handler.finish(stale, "wrong"))
            #expect(try !handler.finish(PendingResponse(connection: pending.connection, number: 1), "wrong"))
            #expect(try handler.finish(pending, "right"))
            #expect(try second.answer().text == "right")
            // A pending is used up with its answer.
            try second.write(get("/later/third"))
            _ = try handler.pending("/later/third")
            #expect(try !handler.finish(pending, "wrong"))
            #expect(try handler.finish("/later/third"))
            #expect(try second.answer().text == "/later/third")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a client that has closed its half gets its answers`(transport: TransportKind) throws {
        try withParking(transport) { server, handler in
            let client = try Client(server.port)
            try client.write(get("/later/a") + get("/b") + get("/later/c") + get("/d"))
            client.finishWriting()
            #expect(try handler.finish("/later/a"))
            #expect(try client.answer().text == "/later/a")
            #expect(try client.answer().text == "/b?")
            #expect(try handler.finish("/later/c"))
            #expect(try client.answer().text == "/later/c")
            #expect(try client.answer().text == "/d?")
            #expect(try client.isClosed())
            #expect(handler.abandoned.isEmpty)
        }
    }

    // MARK: Clients that do not read, or do not stop

    /// A client for which the system holds so little that the server cannot send `/big/60000` to it.
    private func deafClient(_ port: UInt16) throws -> Client {
        let client = try Client(unconnectedHoldingLittle: true)
        var size: Int32 = 2000
        setsockopt(client.descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        try client.connect(to: port)
        return client
    }

    @Test(arguments: TransportKind.allCases)
    func `an answer waits behind those that are not sent yet`(transport: TransportKind) throws {
        try withParking(transport) { server, handler in
            let client = try deafClient(server.port)
            try client.write(get("/big/60000") + get("/later/a") + get("/b") + get("/later/c"))
            #expect(try handler.finish("/later/a"))
            // Two passes later.
            _ = try handler.onLoop { _ in true }
            _ = try handler.onLoop { _ in true }
            #expect(handler.asked == ["/big/60000", "/later/a"])
            #expect(Pattern.matches(try client.answer().body, count: 60_000))
            #expect(try client.answer().text == "/later/a")
            #expect(try client.answer().text == "/b?")
            #expect(try handler.finish("/later/c"))
            #expect(try client.answer().text == "/later/c")
            #expect(try client.get("/after").text == "/after?")
        }
    }

    @Test(arguments: TransportKind.allCases, [true, false])
    func `a client that is gone before all is sent to it is noticed`(transport: TransportKind, isFinished: Bool) throws
    {
        try withParking(transport) { server, handler in
            let client = try deafClient(server.port)
            try client.write(get("/big/60000") + get("/later"))
            let pending = try handler.pending("/later")
            if isFinished { #expect(try handler.finish("/later")) }
            client.reset()
            // The server is empty when it has noticed, and may end at once.
            #expect(isFinished || soon { handler.abandoned == [pending] })
            server.beginStop()
            #expect(server.hasReturned())
            #expect(handler.abandoned == (isFinished ? [] : [pending]))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a client that goes on sending is not read before its answer`(transport: TransportKind) throws {
        try withParking(transport) { server, handler in
            let client = try Client(server.port)
            try client.write(get("/later"))
            _ = try handler.pending("/later")
            let sent = flood(client, with: Array(get("/more").utf8), atMost: 64 << 20)
            #expect(sent < 32 << 20)
            #expect(handler.asked == ["/later"])
            #expect(try handler.finish("/later"))
            #expect(try client.answer().text == "/later")
            for _ in 0..<5000 { #expect(try client.answer().text == "/more?") }
        }
    }

    /// Sends `piece` over and over until the other end takes nothing for a while.
    /// - Returns: how many bytes it took.
    private func flood(_ client: Client, with piece: [UInt8], atMost limit: Int) -> Int {
        var block: [UInt8] = []
        while block.count < 64 << 10 { block += piece }
        var (sent, start) = (0, 0)
        while sent < limit {
            let count = block[start...].withUnsafeBytes {
                send(client.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                sent += count
                start = (start + count) % block.count
            } else {
                var state = pollfd(fd: client.descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&state, 1, 300) > 0 else { break }
            }
        }
        return sent
    }

    // MARK: Time

    @Test(arguments: TransportKind.allCases)
    func `one that nobody answers ends with 503 when its time is over`(transport: TransportKind) throws {
        try withParking(transport, { $0.limits.answerTimeout = 300 }) { server, handler in
            let client = try Client(server.port)
            try client.write(get("/later") + get("/b"))
            let answer = try client.answer()
            #expect(answer.status == 503)
            #expect(answer.closes)
            #expect(try client.isClosed())
            let pending = try handler.pending("/later")
            #expect(handler.abandoned == [pending])
            #expect(try !handler.finish("/later"))
            #expect(handler.asked == ["/later"])
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a handler that waits is called without any client`(transport: TransportKind) throws {
        try withParking(transport) { server, handler in
            try handler.wait(true)
            let before = handler.ticks
            #expect(soon { handler.ticks >= before + 3 })
            try handler.wait(false)
            #expect(try Client(server.port).get("/").status == 200)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a handler that is due later is called then without any client, and a loop of epoll sleeps until then`(
        transport: TransportKind
    ) throws {
        try withParking(transport) { server, handler in
            // The system wakes whoever was halted, which is nobody's call but may happen once.
            let sleeps = try (0..<5).contains { _ in
                let rest = try handler.rest(milliseconds: 1_500)
                #expect(soon { handler.nextTick == nil })
                let early = handler.tickTimes.filter { rest.contains($0 - 100) && rest.contains($0) }
                return early.isEmpty || transport != .epoll
            }
            #expect(sleeps)
        }
    }

    // MARK: What it costs

    @Test(arguments: TransportKind.allCases.map(\.rawValue))
    func `1,000 that wait hold no thread, and are all answered`(transport: String) async {
        await #expect(processExitsWith: .success) { [transport] in
            let kind = try #require(TransportKind(rawValue: transport))
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            try withParking(kind) { server, handler in
                let first = try Client(server.port)
                #expect(try first.get("/").status == 200)
                let before = threadCount()
                let clients = try (0..<1000).map { _ in try Client(server.port) }
                for (number, client) in clients.enumerated() {
                    try client.write("GET /later/\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                }
                #expect(soon { handler.parkedCount == 1000 })
                // Dispatch has a few of its own, which come and go.
                #expect(threadCount() < before + 8)
                #expect(try first.get("/").status == 200)
                for number in clients.indices.shuffled() { #expect(try handler.finish("/later/\(number)")) }
                for (number, client) in clients.enumerated() {
                    #expect(try client.answer().text == "/later/\(number)")
                    #expect(try client.get("/after").text == "/after?")
                }
                #expect(handler.abandoned.isEmpty)
            }
        }
    }

    @Test(arguments: TransportKind.allCases.map(\.rawValue))
    func `nothing spins while an answer is waited for`(transport: String) async {
        await #expect(processExitsWith: .success) { [transport] in
            let kind = try #require(TransportKind(rawValue: transport))
            try withParking(kind, { $0.limits.drainTimeout = 100 }) { server, handler in
                let requests = ["sending", "halfClosed", "reset"].map { "GET /later/\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }
                let clients = try requests.map { request in
                    let client = try Client(server.port)
                    try client.write(request)
                    return client
                }
                for name in ["sending", "halfClosed", "reset"] { _ = try handler.pending("/later/\(name)") }
                try clients[0].write([UInt8](repeating: 97, count: 100_000))
                clients[1].finishWriting()
                clients[2].reset()
                #expect(soon { !handler.abandoned.isEmpty })
                #expect(isQuiet(while: clients[0]))
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `an answer leaves in the pass that finishes it`(transport: TransportKind) throws {
        try withParking(transport) { server, handler in
            let client = try Client(server.port)
            var left = 0
            for number in 0..<100 {
                try client.write(get("/later/\(number)"))
                let pending = try handler.pending("/later/\(number)")
                let before = handler.ticks
                #expect(try handler.finish(pending, "\(number)"))
                #expect(try client.answer().text == "\(number)")
                if handler.ticks == before { left += 1 }
            }
            // A tick would send it, too, and may come in between; what only ticks send never leaves without one.
            #expect(left > 0)
        }
    }

    // MARK: The end

    @Test(arguments: TransportKind.allCases)
    func `stopping waits for answers, each the last of its connection`(transport: TransportKind) throws {
        try withParking(transport) { server, handler in
            let idle = try Client(server.port)
            #expect(try idle.get("/").status == 200)
            let client = try Client(server.port)
            try client.write(get("/later") + get("/b"))
            let pending = try handler.pending("/later")
            server.beginStop()
            #expect(try idle.isClosed())
            #expect(!server.hasReturned(within: 0.01))
            #expect(try handler.finish(pending, "late"))
            let answer = try client.answer()
            #expect(answer.text == "late")
            #expect(answer.closes)
            #expect(try client.isClosed())
            client.finishWriting()
            #expect(server.hasReturned())
            #expect(handler.abandoned.isEmpty)
            #expect(!handler.asked.contains("/b"))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `what is not answered when the time to drain is over is abandoned`(transport: TransportKind) throws {
        try withParking(transport, { $0.limits.drainTimeout = 300 }) { server, handler in
            let clients = try (0..<3).map { _ in try Client(server.port) }
            var tickets: Set<PendingResponse> = []
            for (number, client) in clients.enumerated() {
                try client.write(get("/later/\(number)"))
                tickets.insert(try handler.pending("/later/\(number)"))
            }
            server.beginStop()
            for client in clients { #expect(try client.isClosed()) }
            #expect(server.hasReturned())
            #expect(handler.abandoned.count == 3)
            #expect(Set(handler.abandoned) == tickets)
        }
    }
}

private func threadCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}
