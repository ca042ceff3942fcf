import Bytes
import Foundation
import HTTP
import Testing

@testable import Net

/// An event loop that serves `EchoHandler`'s answers and has a client, on a thread of its own.
final class ClientLoop {
    let port: UInt16
    let loop: EventLoop
    private let returned = DispatchSemaphore(value: 0)

    /// What an exchange brings, once it has.
    final class Promise: Sendable {
        private let lock = Lock()
        private let bell = DispatchSemaphore(value: 0)
        private nonisolated(unsafe) var results: [Result<ExchangeAnswer, ExchangeError>] = []

        func keep(_ result: Result<ExchangeAnswer, ExchangeError>) {
            lock.withLock { results.append(result) }
            bell.signal()
        }

        /// How often it was kept.
        var count: Int { lock.withLock { results.count } }

        func result(within seconds: Double = 60) throws -> Result<ExchangeAnswer, ExchangeError> {
            guard bell.wait(timeout: .now() + seconds) == .success else { throw Late() }
            return try #require(lock.withLock { results.first })
        }

        func answer() throws -> ExchangeAnswer { try result().get() }

        func error() throws -> ExchangeError? {
            switch try result() {
            case .success: nil
            case .failure(let error): error
            }
        }
    }

    struct Late: Error {}

    init(
        _ kind: TransportKind, resolver: Resolver = Resolver(), _ adjust: (inout ClientPool.Settings) -> Void = { _ in }
    ) throws {
        let address = try socketAddress("127.0.0.1:0")
        var settings = Server.Settings(addresses: [address], workers: 1)
        // Longer than anybody waits for the end, so that nothing ends by this alone.
        settings.limits.drainTimeout = 120_000
        var limits = ClientPool.Settings()
        adjust(&limits)
        let transport = try kind.make()
        let clients = ClientPool(transport, Mailbox(waking: transport), resolver, limits)
        let access = LoopAccess(clients, OpenConnections())
        let sockets = try ListeningSocket.open(address, index: 0, count: 1)
        port = try #require(sockets.first).address.port
        loop = EventLoop(
            0, EventLoop.Part(transport: transport, access: access, handler: EchoHandler()), settings, sockets,
            BufferedBytes())
        let (loop, returned) = (loop, returned)
        Thread {
            loop.run(); returned.signal()
        }.start()
    }

    func start(_ exchange: Exchange) -> Promise {
        let promise = Promise()
        loop.post { [loop] in loop.clients.start(exchange) { promise.keep($0) } }
        return promise
    }

    func answer(_ exchange: Exchange) throws -> ExchangeAnswer { try start(exchange).answer() }

    func error(_ exchange: Exchange) throws -> ExchangeError? { try start(exchange).error() }

    /// Runs `body` on the loop's thread, and waits for it.
    func onLoop<Value: Sendable>(_ body: @escaping @Sendable (EventLoop) -> Value) throws -> Value {
        let (lock, bell) = (Lock(), DispatchSemaphore(value: 0))
        nonisolated(unsafe) var value: Value?
        loop.post { [loop] in
            let made = body(loop)
            lock.withLock { value = made }
            bell.signal()
        }
        guard bell.wait(timeout: .now() + 60) == .success else { throw Late() }
        return try #require(lock.withLock { value })
    }

    func beginStop() { loop.stop() }

    func stop(within seconds: Double = 60) -> Bool {
        loop.stop()
        return returned.wait(timeout: .now() + seconds) == .success
    }
}

/// Runs `body` with a loop that is stopped afterwards, whatever happens.
func withClient(
    _ kind: TransportKind, resolver: Resolver = Resolver(),
    _ adjust: (inout ClientPool.Settings) -> Void = { _ in }, _ body: (ClientLoop) throws -> Void
) throws {
    let client = try ClientLoop(kind, resolver: resolver, adjust)
    defer { #expect(client.stop()) }
    try body(client)
}

/// A GET that has `milliseconds` from now.
func exchange(
    _ scheme: Exchange.Scheme, _ host: String, _ port: UInt16, _ request: String? = nil,
    within milliseconds: Int64 = 60_000, limit: Int = 1 << 20
) -> Exchange {
    let text = request ?? "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    return Exchange(
        scheme, host: host, port: port, request: Array(text.utf8),
        deadline: SystemClock.monotonicMilliseconds() + milliseconds, answerLimit: limit)
}

/// A GET by plain http that has `milliseconds` from now.
func exchange(
    _ port: UInt16, _ request: String? = nil, within milliseconds: Int64 = 60_000, limit: Int = 1 << 20
) -> Exchange {
    exchange(.http, "127.0.0.1", port, request, within: milliseconds, limit: limit)
}

/// A resolver that knows these names, and no others.
func resolver(_ names: [String: [String]]) -> Resolver {
    let lookup: @Sendable (String) -> Resolver.Outcome = { name in
        let addresses = (names[name] ?? []).compactMap { IPAddress($0) }
        return addresses.isEmpty ? .failure(.unknown) : .success(addresses)
    }
    return Resolver(lookup: lookup)
}

/// Whether `condition` comes true within a minute.
func soon(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = SystemClock.monotonicMilliseconds() + 60_000
    while try !condition() {
        guard SystemClock.monotonicMilliseconds() < end else { return false }
        poll(nil, 0, 5)
    }
    return true
}

/// Something that threads wait for, for at most a minute.
final class DispatchedGate: Sendable {
    private let bell = DispatchSemaphore(value: 0)
    func open() { bell.signal() }
    func wait() { _ = bell.wait(timeout: .now() + 60) }
}
