import Bytes
import Crypto
import Providers

/// One event loop's side of a `SharedCache`: it asks there for the loop's requests, and tells those who waited. Everything is
/// called on the loop's thread.
package final class LoopCache<Key: Hashable & Sendable, Value: Sendable> {
    package typealias Outcome = SlotOutcome<Value>

    package enum Reply {
        case now(Outcome)
        /// `wait` or `cancel` is owed under this number.
        case later(UInt64)
    }

    private struct Waiter {
        /// Monotonic milliseconds.
        let deadline: Int64
        let deliver: (Outcome) -> Void
    }

    package let shared: SharedCache<Key, Value>
    /// What the loop does with a value that is published (`CachePolicy.isPublished`).
    private let whenPublished: (Value) -> Void
    private var lastWaiter: UInt64 = 0
    private var waiters: [UInt64: Waiter] = [:]

    /// - Parameters:
    ///   - post: has work run on the loop's thread.
    ///   - whenPublished: called with every value that comes from now on, where all loops are told.
    package init(
        _ shared: SharedCache<Key, Value>, post: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        whenPublished: @escaping (Value) -> Void = { _ in }
    ) {
        self.shared = shared
        self.whenPublished = whenPublished
        lastWaiter = shared.add(SharedCache.Subscriber(post: post, cache: self))
    }

    /// Whether anybody waits.
    package var isWaiting: Bool { !waiters.isEmpty }

    // MARK: Requests

    /// Asks for a value. Nobody is told anything before this returns.
    /// - Parameters:
    ///   - client: the caller's number; nil for the service itself.
    ///   - alwaysFits: whether the key is remembered beyond the capacity, too.
    ///   - begin: begins the fetch that falls to the loop; it owes the cache one `land`.
    // Compiled for these kinds once more: requests ask for them, and other rooms could not have it made for their types.
    @_specialize(where Key == CredentialKey, Value == SessionCredential)
    @_specialize(where Key == PublishedKey, Value == RSAPublicKey)
    package func ask(
        _ key: Key, of client: CacheClient? = nil, alwaysFits: Bool = false, at now: Instant, begin: (SlotFetch) -> Void
    ) -> Reply {
        lastWaiter &+= 1
        let waiter = lastWaiter
        let reply = shared.ask(key, for: waiter, of: client, alwaysFits: alwaysFits, at: now)
        if let fetch = reply.fetch { begin(fetch) }
        return reply.outcome.map { .now($0) } ?? .later(waiter)
    }

    /// Says what becomes of a waiter; `deliver` is called once, unless `cancel` comes first.
    /// - Parameter patience: milliseconds within which it is told; nil where the fetch's own deadline is soon enough.
    package func wait(
        _ waiter: UInt64, for patience: Int64?, at now: Instant, _ deliver: @escaping (Outcome) -> Void
    ) {
        waiters[waiter] = Waiter(deadline: patience.map { now.monotonic + $0 } ?? .max, deliver: deliver)
    }

    /// Nobody waits under this number any more.
    package func cancel(_ waiter: UInt64) {
        waiters[waiter] = nil
        shared.cancel(waiter)
    }

    /// A fetch of this or another loop has landed.
    func deliver(_ outcome: Outcome, to numbers: [UInt64]) {
        for number in numbers { waiters.removeValue(forKey: number)?.deliver(outcome) }
    }

    /// A value has come that all loops are told of.
    func take(_ value: Value) { whenPublished(value) }

    /// Ends the waits that have had their time.
    package func tick(at now: Instant) {
        for (number, waiter) in waiters where now.monotonic >= waiter.deadline {
            guard let outcome = shared.expire(number, at: now) else { continue }
            waiters.removeValue(forKey: number)?.deliver(outcome)
        }
        shared.sweep(at: now)
    }

    // MARK: Values that are fetched though nobody asks

    /// Has a value fetched by this loop, if it is due.
    package func refresh(_ key: Key, at now: Instant, begin: (SlotFetch) -> Void) {
        if let fetch = shared.ask(key, for: nil, at: now).fetch { begin(fetch) }
    }

    /// When `refresh` is to be called, in monotonic milliseconds.
    package func due(_ key: Key) -> Int64 { shared.due(key) }

    /// Has a value fetched soon that lacks what a request needs, but not within `pause` milliseconds of the last fetch.
    package func want(_ key: Key, at now: Instant, pause: Int64) { shared.want(key, at: now, pause: pause) }
}

// Unsafe: confined to its loop's thread; what other threads know of it is its `post`, and that runs on the loop.
extension LoopCache: @unchecked Sendable {}
