import Bytes
import HTTP

/// The client of one event loop: exchanges under way, and connections that are kept for the next ones.
///
/// Everything is called on the loop's thread, and completions are too.
package final class ClientPool {
    package struct Settings: Sendable {
        /// Connections kept for one origin, and for all together.
        package var idlePerOrigin = 8
        package var idle = 64
        /// Milliseconds that a connection is kept without use.
        package var idleTime: Int64 = 30_000
        /// Exchanges under way at once; one more is an error.
        package var exchanges = 1024

        package init() {}
    }

    /// What is remembered of an origin.
    private struct KnownOrigin {
        /// The connection that was used last comes last, and is used first.
        var idle: [UInt64] = []
        var resumption: TLSResumption?
        /// The address that answered last is tried first.
        var address: SocketAddress?
    }

    /// Tokens with this bit are a pool's; the loop's own have not.
    static let tokenBit: UInt64 = 1 << 62
    private static let mostOrigins = 256

    package let mailbox: Mailbox
    private let transport: any Transport
    private let resolver: Resolver
    private let settings: Settings
    private var connections: [ClientConnection?] = []
    private var free: [Int] = []
    private var generation: UInt64 = 0
    private var alive = 0
    private var idle = 0
    private var started: [ClientConnection.PendingExchange] = []
    /// Exchanges that were ever started.
    private var exchangeCount: UInt64 = 0
    private var origins: [Origin: KnownOrigin] = [:]
    private var input = [UInt8](repeating: 0, count: 32 * 1024)
    private var isRetired = false
    private var isClosed = false

    init(
        _ transport: any Transport, _ mailbox: Mailbox, _ resolver: Resolver, _ settings: Settings = Settings()
    ) {
        self.transport = transport
        self.mailbox = mailbox
        self.resolver = resolver
        self.settings = settings
    }

    /// Begins an exchange at the end of the loop's pass. `completion` is called once, and never before this returns.
    /// - Returns: what to cancel it by.
    @discardableResult
    package func start(
        _ exchange: Exchange, completion: @escaping (Result<ExchangeAnswer, ExchangeError>) -> Void
    ) -> UInt64 {
        exchangeCount &+= 1
        started.append(
            ClientConnection.PendingExchange(number: exchangeCount, exchange: exchange, completion: completion))
        if started.count == 1 { mailbox.post { [weak self] in self?.beginStarted() } }
        return exchangeCount
    }

    /// Ends an exchange and its connection, if it is still under way; its completion is not called.
    package func cancel(_ number: UInt64) {
        started.removeAll { $0.number == number }
        for case let connection? in connections where connection.pending?.number == number { remove(connection) }
    }

    /// Whether nothing needs to be looked after: no exchange, no connection.
    var isEmpty: Bool { alive == 0 && started.isEmpty }

    /// Exchanges under way and idle connections together.
    var connectionCount: Int { alive }

    /// - Returns: whether bytes came, so that there may be more.
    func readable(_ token: UInt64) -> Bool {
        guard let connection = connection(token) else { return false }
        let step = connection.advance(at: now, &input)
        let hasReceived = connection.hasReceived
        settle(connection, step)
        return hasReceived
    }

    func writable(_ token: UInt64) { _ = readable(token) }

    /// Ends what has had its time.
    func sweep(at now: Int64) {
        for case let connection? in connections where now >= connection.deadline {
            // A completion may have ended others.
            guard self.connection(connection.token) === connection else { continue }
            settle(connection, connection.expire(at: now, &input))
        }
        if origins.count > ClientPool.mostOrigins { origins = origins.filter { !$0.value.idle.isEmpty } }
    }

    /// Keeps no connections any more; exchanges go on.
    func retire() {
        isRetired = true
        for case let connection? in connections where connection.pending == nil { remove(connection) }
        origins = [:]
    }

    /// Ends everything, now. What is started later ends at the end of the loop's pass, or in the next, if there is one.
    func cancelAll() {
        retire()
        isClosed = true
        var exchanges = started
        started = []
        for case let connection? in connections {
            if let pending = connection.pending { exchanges.append(pending) }
            remove(connection)
        }
        for pending in exchanges { pending.completion(.failure(.cancelled)) }
    }

    // MARK: Exchanges

    private var now: Int64 { SystemClock.monotonicMilliseconds() }

    private func beginStarted() {
        let exchanges = started
        started = []
        for pending in exchanges { begin(pending) }
    }

    private func begin(_ pending: ClientConnection.PendingExchange) {
        guard !isClosed else { return pending.completion(.failure(.cancelled)) }
        guard alive - idle < settings.exchanges else { return pending.completion(.failure(.busy)) }
        let origin: Origin
        do throws(ExchangeError) { origin = try Origin(pending.exchange) } catch {
            return pending.completion(.failure(error))
        }
        let now = now
        guard now < pending.exchange.deadline else { return pending.completion(.failure(.timeout(.resolving))) }
        if !pending.isRetry, let connection = takeIdle(origin) {
            return settle(connection, connection.send(pending, at: now, &input))
        }
        let connection = open(origin, pending, at: now)
        if let addresses = origin.knownAddresses {
            found(connection, .success(addresses))
        } else {
            resolve(connection)
        }
    }

    private func resolve(_ connection: ClientConnection) {
        let token = connection.token
        let outcome = resolver.resolve(connection.origin.host) { [mailbox, weak self] outcome in
            mailbox.post { [weak self] in
                // The exchange may be over by now.
                guard let self, let connection = self.connection(token), connection.isResolving else { return }
                self.found(connection, outcome)
            }
        }
        if let outcome { found(connection, outcome) }
    }

    private func found(_ connection: ClientConnection, _ outcome: Resolver.Outcome) {
        switch outcome {
        case .failure(let fault): settle(connection, .failed(.resolve(fault)))
        case .success(let found):
            var addresses = found.map { SocketAddress($0, port: connection.origin.port) }
            if let good = origins[connection.origin]?.address?.description,
                let index = addresses.firstIndex(where: { $0.description == good })
            {
                addresses.insert(addresses.remove(at: index), at: 0)
            }
            settle(connection, connection.connect(to: addresses, at: now, &input))
        }
    }

    private func settle(_ connection: ClientConnection, _ step: ClientConnection.Step) {
        switch step {
        case .waiting: return
        case .answered(let answer, let isReusable):
            let pending = connection.pending
            remember(connection)
            if !isReusable || !keep(connection) { remove(connection) }
            pending?.completion(.success(answer))
        case .failed(let error):
            let isRetried = connection.mayBeRetried(after: error)
            let pending = connection.pending
            if case .tls = error { origins[connection.origin]?.resumption = nil }
            remove(connection)
            guard var pending else { return }
            guard isRetried else { return pending.completion(.failure(error)) }
            pending.isRetry = true
            begin(pending)
        }
    }

    // MARK: Connections

    private func open(_ origin: Origin, _ pending: ClientConnection.PendingExchange, at now: Int64) -> ClientConnection
    {
        let slot = free.popLast() ?? connections.count
        if slot == connections.count { connections.append(nil) }
        generation = (generation + 1) & 0x3FFF_FFFF
        let token = ClientPool.tokenBit | generation << 32 | UInt64(slot)
        var resumption = origins[origin]?.resumption
        if resumption?.isUsable(at: now) == false { resumption = nil }
        let connection = ClientConnection(origin, pending, token: token, over: transport, resuming: resumption)
        connections[slot] = connection
        alive += 1
        return connection
    }

    /// The connection of an event, unless it was closed while the event was on its way.
    private func connection(_ token: UInt64) -> ClientConnection? {
        let slot = Int(token & 0xFFFF_FFFF)
        guard slot < connections.count, let connection = connections[slot], connection.token == token else {
            return nil
        }
        return connection
    }

    private func remember(_ connection: ClientConnection) {
        guard !isRetired else { return }
        origins[connection.origin, default: KnownOrigin()].address = connection.address
        // A connection that was kept for long knows less than one that verified later.
        if let resumption = connection.remainder,
            resumption.since >= origins[connection.origin]?.resumption?.since ?? .min
        {
            origins[connection.origin]?.resumption = resumption
        }
    }

    private func keep(_ connection: ClientConnection) -> Bool {
        guard !isRetired, idle < settings.idle else { return false }
        let kept = origins[connection.origin]?.idle.count ?? 0
        guard kept < settings.idlePerOrigin else { return false }
        connection.rest(until: now + settings.idleTime)
        origins[connection.origin, default: KnownOrigin()].idle.append(connection.token)
        idle += 1
        return true
    }

    private func takeIdle(_ origin: Origin) -> ClientConnection? {
        guard let token = origins[origin]?.idle.popLast() else { return nil }
        idle -= 1
        return connection(token)
    }

    private func remove(_ connection: ClientConnection) {
        let slot = Int(connection.token & 0xFFFF_FFFF)
        guard connections[slot] === connection else { return }
        connections[slot] = nil
        free.append(slot)
        alive -= 1
        if connection.pending == nil, let index = origins[connection.origin]?.idle.firstIndex(of: connection.token) {
            origins[connection.origin]?.idle.remove(at: index)
            idle -= 1
        }
        connection.close()
    }
}

// Unsafe: confined to its loop's thread; others know only of the mailbox, and work in the mailbox is run by the loop.
extension ClientPool: @unchecked Sendable {}
