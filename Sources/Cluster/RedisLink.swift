import Bytes
import Net

/// What a `RedisLink` tells its owner, all of it on the link's thread.
package protocol RedisLinkOwner: AnyObject, Sendable {
    /// A connection may be used.
    /// - Parameter runID: what the server's process calls itself.
    func linkOpened(to runID: [UInt8])

    /// There is none any more, or there was none; called once for each attempt.
    func linkFailed(because fault: RedisFault)

    /// Called whenever the thread has nothing else to do. Commands that it sends leave at once.
    /// - Returns: when it is to be called again, in monotonic milliseconds.
    func linkTick(at now: Int64) -> Int64
}

/// The process's connection to Redis, on a thread of its own: no event loop waits for it. Commands leave in the order in which they
/// come, many together, and their replies come in that order.
///
/// An answer that does not come in time ends the connection, since those behind it will not come either; another is made, in turn to
/// each server, with a short pause after all have failed.
package final class RedisLink: Sendable {
    /// What came of a command; called once, on the link's thread, or at once where there is no connection.
    package typealias Completion = @Sendable (Result<RedisReply, RedisFault>) -> Void

    private typealias Command = (command: RedisCommand, completion: Completion)

    private struct State: Sendable {
        var queue: [(command: RedisCommand, completion: Completion)] = []
        var isUp = false
        /// Connections that there have been.
        var connections: UInt64 = 0
        /// Why the connection is to end.
        var dropped: RedisFault?
        var ends = false
        var thread: SystemThread?
    }

    private let settings: RedisSettings
    private let trust: TLSTrust?
    private let scripts: [RedisScript]
    private let bell: Bell
    private let state = Guarded(State())

    /// Commands that may wait to be sent.
    package static let mostQueued = 65_536
    /// Milliseconds between attempts to connect after all servers have failed.
    static let pause: Int64 = 250

    /// - Parameter trust: what certificates of servers with TLS are verified by.
    /// - Returns: nil when the system has no pipe for it.
    package init?(_ settings: RedisSettings, trusting trust: TLSTrust?, loading scripts: [RedisScript]) {
        guard let bell = Bell() else { return nil }
        self.bell = bell
        self.settings = settings
        self.trust = trust
        self.scripts = scripts
    }

    /// Begins. The owner is held until `stop`.
    /// - Returns: whether the system had a thread for it.
    package func start(for owner: any RedisLinkOwner) -> Bool {
        guard let thread = SystemThread({ [self] in run(for: owner) }) else { return false }
        state.withLock { $0.thread = thread }
        return true
    }

    /// Ends the thread when it has sent what waits, and waits for it for as long as one answer may take.
    package func stop() {
        let thread = state.withLock { state in
            state.ends = true
            return state.thread.take()
        }
        bell.ring()
        thread?.join()
    }

    /// Whether there is a connection.
    package var isUp: Bool { state.withLock { $0.isUp } }

    /// The number of the connection that there is, or was last.
    package var connections: UInt64 { state.withLock { $0.connections } }

    /// Ends the connection, and makes another; from any thread.
    package func drop(because fault: RedisFault) {
        state.withLock { $0.dropped = fault }
        bell.ring()
    }

    /// Sends a command; from any thread.
    /// - Parameter connection: the only one that it may go by; nil for any.
    package func send(_ command: RedisCommand, by connection: UInt64? = nil, then completion: @escaping Completion) {
        let fault: RedisFault? = state.withLock { state in
            guard state.isUp, connection ?? state.connections == state.connections else { return .gone }
            guard state.queue.count < RedisLink.mostQueued else { return .busy }
            state.queue.append((command, completion))
            return nil
        }
        if let fault { completion(.failure(fault)) } else { bell.ring() }
    }

    /// Has the owner's tick called soon; from any thread.
    package func wake() { bell.ring() }

    // MARK: The thread

    private func run(for owner: any RedisLinkOwner) {
        var failures = 0
        while !state.withLock({ $0.ends }) {
            let server = settings.servers[failures % settings.servers.count]
            do throws(RedisFault) {
                let connection = try RedisConnection(
                    to: server, settings, trusting: trust, loading: scripts, waking: bell,
                    until: SystemClock.now().monotonic + settings.timeout)
                failures = 0
                state.withLock { state in
                    state.isUp = true
                    state.connections &+= 1
                    state.dropped = nil
                }
                owner.linkOpened(to: connection.runID)
                try serve(connection, owner)
            } catch {
                owner.linkFailed(because: error)
                failures += 1
                // A server that was lost is tried again at once; it may only have been restarted.
                if failures % settings.servers.count == 0 { rest(owner) }
            }
        }
    }

    private func rest(_ owner: any RedisLinkOwner) {
        let end = SystemClock.now().monotonic + RedisLink.pause
        while !state.withLock({ $0.ends }), SystemClock.now().monotonic < end {
            let next = owner.linkTick(at: SystemClock.now().monotonic)
            bell.wait(until: min(end, next))
        }
    }

    /// Serves until the connection breaks, or the link is to end and nothing waits.
    private func serve(_ connection: RedisConnection, _ owner: any RedisLinkOwner) throws(RedisFault) {
        var pending = PendingReplies()
        var fault: RedisFault?
        do throws(RedisFault) {
            while true {
                let next = owner.linkTick(at: SystemClock.now().monotonic)
                let (commands, ends, dropped) = state.withLock { state in
                    defer { state.queue = [] }
                    return (state.queue, state.ends, state.dropped)
                }
                let now = SystemClock.now().monotonic
                pending.add(commands.lazy.map(\.completion), until: now + settings.timeout)
                if let dropped { throw dropped }
                if !commands.isEmpty {
                    try connection.send(commands.lazy.map(\.command), until: now + settings.timeout)
                }
                if ends, pending.isEmpty { break }
                try connection.receive(until: min(next, pending.deadline)) { reply throws(RedisFault) in
                    guard let completion = pending.removeFirst() else { throw .protocolBroken }
                    completion(.success(reply))
                }
                if SystemClock.now().monotonic >= pending.deadline { throw .stream(.timeout) }
            }
        } catch {
            fault = error
        }
        // Nobody may add to the queue of a connection that is over.
        let left = state.withLock { state in
            defer { state.queue = [] }
            state.isUp = false
            return state.queue
        }
        pending.add(left.lazy.map(\.completion), until: .max)
        while let completion = pending.removeFirst() { completion(.failure(fault ?? .gone)) }
        if let fault { throw fault }
    }
}

/// The commands of a connection whose replies have not come, oldest first.
private struct PendingReplies {
    private var waiting: [(completion: RedisLink.Completion, deadline: Int64)] = []
    private var first = 0

    var isEmpty: Bool { first == waiting.count }

    /// When the oldest one has had its time.
    var deadline: Int64 { isEmpty ? .max : waiting[first].deadline }

    mutating func add(_ completions: some Sequence<RedisLink.Completion>, until deadline: Int64) {
        if isEmpty || first > 4096 {
            waiting.removeFirst(first)
            first = 0
        }
        for completion in completions { waiting.append((completion, deadline)) }
    }

    mutating func removeFirst() -> RedisLink.Completion? {
        guard !isEmpty else { return nil }
        defer { first += 1 }
        return waiting[first].completion
    }
}
