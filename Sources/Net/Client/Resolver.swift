import Bytes
import Dispatch

/// Finds the addresses of names, on a thread of its own since the system's way to do so waits; shared by all loops.
///
/// One name is looked up at a time. Answers are kept for 30 seconds, failures for one; a caller that needs a name that is
/// being looked up waits for the same answer.
package final class Resolver: Sendable {
    package enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// Neither a name nor an address.
        case badName
        /// Nobody has that name, or it has no address.
        case unknown
        /// The name servers could not be asked, or did not know.
        case unavailable
        /// Too many names or exchanges are waiting.
        case busy

        package var description: String {
            switch self {
            case .badName: "the host is neither a name nor an address"
            case .unknown: "the name of the host does not exist"
            case .unavailable: "the name of the host could not be looked up"
            case .busy: "too many host names are being looked up"
            }
        }
    }

    package typealias Outcome = Result<[IPAddress], Fault>

    static let answersKept: Int64 = 30_000
    static let failuresKept: Int64 = 1_000

    private let queue: ResolverQueue

    /// - Parameters:
    ///   - clock: monotonic milliseconds.
    ///   - lookup: asks the system; may wait. Called on the resolver's thread only.
    package init(
        clock: @escaping @Sendable () -> Int64 = { SystemClock.monotonicMilliseconds() },
        lookup: @escaping @Sendable (String) -> Outcome = { SystemLookup.addresses(of: $0) }
    ) {
        queue = ResolverQueue(clock: clock, lookup: lookup)
    }

    deinit { queue.close() }

    /// - Parameters:
    ///   - name: in lower case.
    ///   - then: called once, on the resolver's thread, when nil is returned; never otherwise, nor after the resolver is gone.
    /// - Returns: the answer that is known already; nil while the name is looked up.
    package func resolve(_ name: String, then: @escaping @Sendable (Outcome) -> Void) -> Outcome? {
        queue.resolve(name, then: then)
    }
}

/// What a resolver and its thread share; the thread may outlive the resolver by one look-up.
private final class ResolverQueue: Sendable {
    private let state = Guarded(ResolverState())
    /// Counts names in the queue, and the close.
    private let bell = DispatchSemaphore(value: 0)
    private let clock: @Sendable () -> Int64
    private let lookup: @Sendable (String) -> Resolver.Outcome

    init(clock: @escaping @Sendable () -> Int64, lookup: @escaping @Sendable (String) -> Resolver.Outcome) {
        self.clock = clock
        self.lookup = lookup
    }

    func resolve(_ name: String, then: @escaping @Sendable (Resolver.Outcome) -> Void) -> Resolver.Outcome? {
        let now = clock()
        switch state.withLock({ $0.enter(name, then, now) }) {
        case .known(let outcome): return outcome
        case .joined: return nil
        case .queued(let startsThread):
            bell.signal()
            guard startsThread else { return nil }
            if let thread = SystemThread({ [self] in work() }) {
                thread.detach()
                return nil
            }
            for then in state.withLock({ $0.abandon() }) { then(.failure(.unavailable)) }
            return nil
        }
    }

    func close() {
        // What is let go of may run code of its own, which is not for under the lock.
        let left = state.withLock { state in
            defer { state.waiting = [:] }
            state.isClosed = true
            return state.waiting
        }
        _ = left
        bell.signal()
    }

    /// The thread's life.
    private func work() {
        while true {
            bell.wait()
            let (isClosed, name) = state.withLock { state in
                (state.isClosed, state.queue.isEmpty ? nil : state.queue.removeFirst())
            }
            guard !isClosed else { return }
            guard let name else { continue }
            let outcome = lookup(name)
            let now = clock()
            let waiting = state.withLock { state in
                state.keep(outcome, of: name, now)
                let waiting = state.waiting.removeValue(forKey: name) ?? []
                state.waiters -= waiting.count
                return waiting
            }
            for then in waiting { then(outcome) }
        }
    }
}

/// The addresses that are known, and the callers that wait for names.
private struct ResolverState: Sendable {
    enum Entry { case known(Resolver.Outcome), queued(startsThread: Bool), joined }

    private static let longestQueue = 64
    private static let mostWaiters = 4096
    private static let mostKnown = 256

    var known: [String: (outcome: Resolver.Outcome, until: Int64)] = [:]
    var waiting: [String: [@Sendable (Resolver.Outcome) -> Void]] = [:]
    var waiters = 0
    var queue: [String] = []
    var hasThread = false
    var isClosed = false

    mutating func enter(
        _ name: String, _ then: @escaping @Sendable (Resolver.Outcome) -> Void, _ now: Int64
    ) -> Entry {
        if let answer = known[name], now < answer.until { return .known(answer.outcome) }
        guard waiters < ResolverState.mostWaiters else { return .known(.failure(.busy)) }
        if waiting[name] != nil {
            waiting[name]?.append(then)
            waiters += 1
            return .joined
        }
        guard queue.count < ResolverState.longestQueue else { return .known(.failure(.busy)) }
        queue.append(name)
        waiting[name] = [then]
        waiters += 1
        defer { hasThread = true }
        return .queued(startsThread: !hasThread)
    }

    /// No thread could be had.
    /// - Returns: the callers that wait for an answer.
    mutating func abandon() -> [@Sendable (Resolver.Outcome) -> Void] {
        defer {
            queue = []
            waiting = [:]
            waiters = 0
            hasThread = false
        }
        return waiting.values.flatMap { $0 }
    }

    mutating func keep(_ outcome: Resolver.Outcome, of name: String, _ now: Int64) {
        if known.count >= ResolverState.mostKnown { known = known.filter { now < $0.value.until } }
        if known.count >= ResolverState.mostKnown { known = [:] }
        let time =
            switch outcome {
            case .success: Resolver.answersKept
            case .failure: Resolver.failuresKept
            }
        known[name] = (outcome, now + time)
    }
}
