import Bytes
import Dispatch
import HTTP
import Testing

@testable import Net

/// Answers like `EchoHandler`, but for what begins with `/later`: that is finished by its path, from any thread.
final class ParkingHandler: RequestHandler {
    /// When the handler is at work.
    enum Moment: CaseIterable { case respond, refuses, error, abandon, tick, fill }

    private struct State {
        var asked: [String] = []
        var parked: [String: PendingResponse] = [:]
        var abandoned: [PendingResponse] = []
        /// When it was called, in monotonic milliseconds.
        var ticks: [Int64] = []
        var isWaiting = false
        var nextTick: Int64?
        var plans: [Moment: @Sendable () -> Void] = [:]
    }

    private let access: LoopAccess
    private let echo = EchoHandler()
    private let lock = Lock()
    // Guarded by the lock.
    private nonisolated(unsafe) var state = State()

    init(_ access: LoopAccess) { self.access = access }

    // MARK: What the loop calls

    func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering {
        carryOut(.respond)
        let path = String(decoding: request.path.array, as: UTF8.self)
        lock.withLock { state.asked.append(path) }
        guard path.hasPrefix("/later") else {
            return echo.respond(to: request, as: pending, at: instant, into: &response)
        }
        // Nobody waits before this returns.
        #expect(!access.answers.finish(pending) { _ in Issue.record("filled in too early") })
        lock.withLock { state.parked[path] = pending }
        return .later
    }

    func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        carryOut(.refuses)
        return false
    }

    func respond(
        to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
        into response: inout Response
    ) {
        carryOut(.error)
        echo.respond(to: error, from: client, by: listener, at: instant, into: &response)
    }

    func abandon(_ pending: PendingResponse) {
        lock.withLock { state.abandoned.append(pending) }
        #expect(!access.answers.finish(pending) { _ in Issue.record("filled in too late") })
        carryOut(.abandon)
    }

    func tick(at instant: Instant) {
        lock.withLock {
            state.ticks.append(instant.monotonic)
            if let next = state.nextTick, instant.monotonic >= next { state.nextTick = nil }
        }
        carryOut(.tick)
    }

    var isWaiting: Bool { lock.withLock { state.isWaiting } }
    var nextTick: Int64? { lock.withLock { state.nextTick } }

    // MARK: What tests call, from their own threads

    var asked: [String] { lock.withLock { state.asked } }
    var abandoned: [PendingResponse] { lock.withLock { state.abandoned } }
    var ticks: Int { tickTimes.count }
    var tickTimes: [Int64] { lock.withLock { state.ticks } }
    /// How many were parked, ever.
    var parkedCount: Int { lock.withLock { state.parked.count } }

    /// The pending of a request that has come, or is about to.
    func pending(_ path: String) throws -> PendingResponse {
        var pending: PendingResponse?
        #expect(
            soon {
                pending = lock.withLock { state.parked[path] }
                return pending != nil
            })
        return try #require(pending)
    }

    /// Has the answer to `path` say it.
    /// - Returns: whether it was still waited for.
    @discardableResult
    func finish(_ path: String) throws -> Bool { try finish(pending(path), path) }

    func finish(_ pending: PendingResponse, _ text: String) throws -> Bool {
        try onLoop { $0.answer(pending, text) }
    }

    /// On the loop's thread.
    func answer(_ pending: PendingResponse, _ text: String) -> Bool {
        access.answers.finish(pending) { response in
            carryOut(.fill)
            response.contentType = .text
            response.body.append(text: text)
        }
    }

    /// Runs `body` on the loop's thread, and waits for it.
    func onLoop<Value: Sendable>(_ body: @escaping @Sendable (ParkingHandler) -> Value) throws -> Value {
        let bell = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var value: Value?
        access.clients.mailbox.post { [self] in
            let made = body(self)
            lock.withLock { value = made }
            bell.signal()
        }
        guard bell.wait(timeout: .now() + 60) == .success else { throw ClientLoop.Late() }
        return try #require(lock.withLock { value })
    }

    func wait(_ isWaiting: Bool) throws { try onLoop { $0.set(isWaiting) } }

    /// Has the loop call `tick` so much later, though nothing happens.
    /// - Returns: from when to when nothing calls for a tick.
    func rest(milliseconds: Int64) throws -> Range<Int64> {
        try onLoop { handler in
            let now = SystemClock.monotonicMilliseconds()
            handler.lock.withLock { handler.state.nextTick = now + milliseconds }
            return now..<now + milliseconds
        }
    }

    private func set(_ isWaiting: Bool) { lock.withLock { state.isWaiting = isWaiting } }

    /// Has `plan` carried out the next time that the handler is at work so.
    func plan(_ moment: Moment, _ plan: @escaping @Sendable () -> Void) {
        lock.withLock { state.plans[moment] = plan }
    }

    private func carryOut(_ moment: Moment) { lock.withLock { state.plans.removeValue(forKey: moment) }?() }
}

// Its state is guarded by a lock; the loop's own is touched on the loop's thread only.
extension ParkingHandler: @unchecked Sendable {}

/// Runs `body` with a server whose answers come later, and which is stopped afterwards, whatever happens.
func withParking(
    _ transport: TransportKind, _ adjust: (inout Server.Settings) -> Void = { _ in },
    _ body: (TestServer, ParkingHandler) throws -> Void
) throws {
    var handler: ParkingHandler?
    let server = try TestServer(transport, adjust) {
        let made = ParkingHandler($0)
        handler = made
        return made
    }
    defer { #expect(server.stop()) }
    try body(server, try #require(handler))
}
