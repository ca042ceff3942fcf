import Bytes
import Foundation
import HTTP
import TestTraits
import Testing

@testable import Net

/// When a handler is told that there is nothing more to do at once.
@Suite(.waiting, .timeLimit(.minutes(20))) struct PauseTests {
    @Test(arguments: TransportKind.allCases)
    func `a handler that awaits a pause has it when all requests that there are have been dealt with`(
        transport: TransportKind
    ) throws {
        let gate = DispatchedGate()
        let handler = Handler(gate)
        let server = try TestServer(transport, makeHandler: { _ in handler })
        defer { #expect(server.stop()) }
        let clients = try (0..<3).map { _ in try Client(server.port) }
        for client in clients { #expect(try client.get("/first").status == 200) }
        try clients[0].write("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        handler.slow.wait()
        for client in clients[1...] { try client.write("GET /next HTTP/1.1\r\nHost: h\r\n\r\n") }
        gate.open()
        for client in clients { #expect(try client.answer().status == 200) }
        handler.paused.wait()
        let events = handler.events
        let end = try #require(events.lastIndex(of: "/next"))
        #expect(events[end...].contains("pause"))
        // Dispatch does not tell whether there is more.
        guard transport == .epoll else { return }
        let slow = try #require(events.firstIndex(of: "/slow"))
        #expect(events[slow...] == ["/slow", "/next", "/next", "pause"])
    }

    /// Notes the requests, and the pauses that it awaits after each; `/slow` takes until the gate is open.
    private final class Handler: RequestHandler {
        let slow = DispatchSemaphore(value: 0)
        let paused = DispatchSemaphore(value: 0)
        private let gate: DispatchedGate
        private let noted = Guarded<[String]>([])
        private(set) var awaitsPause = false
        var events: [String] { noted.withLock { $0 } }

        init(_ gate: DispatchedGate) { self.gate = gate }

        func respond(
            to request: borrowing Request, as pending: PendingResponse, at instant: Instant,
            into response: inout Response
        ) -> Answering {
            let path = request.path.text
            noted.withLock { $0.append(path) }
            awaitsPause = true
            guard path == "/slow" else { return .done }
            slow.signal()
            gate.wait()
            return .done
        }

        func pause() {
            awaitsPause = false
            let isLast = noted.withLock { events in
                defer { events.append("pause") }
                return events.count { $0 == "/next" } == 2
            }
            if isLast { paused.signal() }
        }

        func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool { false }
        func respond(
            to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
            into response: inout Response
        ) {}
    }
}
