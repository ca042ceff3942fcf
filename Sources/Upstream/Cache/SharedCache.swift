import Access
import Bytes
import Net

/// Values that are fetched from a vendor or an issuer and shared by all event loops: one fetch of a key at a time, refreshed
/// ahead, served on while the vendor fails, and bounded, all by its `CachePolicy`.
///
/// It is called from any loop's thread. The lock is held for moments; nobody is told anything while it is. What a fetch brings
/// is posted to the loops that wait for it, or to all.
package final class SharedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// One event loop.
    struct Subscriber: Sendable {
        /// Has work run on the loop's thread.
        let post: @Sendable (@escaping @Sendable () -> Void) -> Void
        /// Nil when the configuration is gone that it was made for.
        weak let cache: LoopCache<Key, Value>?
    }

    private struct State: ~Copyable, Sendable {
        var table: SlotTable<Key, Value>
        /// What clients have left of their shares of the fetches.
        var shares: RateTable
        var subscribers: [Subscriber] = []
        /// How many loops have come, those included that are gone.
        var arrivals: UInt64 = 0
    }

    package let policy: CachePolicy
    private let state: Guarded<State>

    /// Bits of a waiter's number that are its loop's own; those above are the index of the loop's subscription.
    private static var waiterBits: UInt64 { 48 }

    package init(_ policy: CachePolicy) {
        self.policy = policy
        // Beyond the capacity the client that has used least gives way.
        let shares = RateTable(capacity: policy.fetchesPerClient == nil ? 1 : min(policy.limits.slots, 1 << 14))
        state = Guarded(State(table: SlotTable(policy), shares: shares))
    }

    /// - Returns: where the numbers of the loop's waiters begin.
    func add(_ subscriber: Subscriber) -> UInt64 {
        state.withLock { state in
            let index = state.subscribers.firstIndex { $0.cache == nil } ?? state.subscribers.count
            if index == state.subscribers.count {
                state.subscribers.append(subscriber)
            } else {
                state.subscribers[index] = subscriber
            }
            // The loop that had this index before may have waiters left; their numbers are not given again.
            state.arrivals &+= 1
            return UInt64(index) << SharedCache.waiterBits | (state.arrivals & 0xffff) << (SharedCache.waiterBits - 16)
        }
    }

    // MARK: Values

    /// Asks for a value (`SlotTable.ask`). A loop that is told to begin the fetch owes one `land`.
    /// - Parameters:
    ///   - waiter: the number of the request that waits if need be; nil where none does.
    ///   - client: the caller; nil for the service itself, which has no share of the fetches.
    ///   - alwaysFits: whether the key is remembered beyond the capacity, too.
    package func ask(
        _ key: Key, for waiter: UInt64?, of client: CacheClient? = nil, alwaysFits: Bool = false, at now: Instant
    ) -> SlotReply<Value> {
        state.withLock { state in
            var refusal: SlotRefusal?
            let share = client?.share
            if let rate = policy.fetchesPerClient, let share {
                let standing = state.shares.look(rate, for: share, at: now.monotonic)
                if !standing.isAllowed { refusal = SlotRefusal(.share, wait: standing.wait) }
            }
            let reply = state.table.ask(
                key, for: waiter, of: client?.mark, insteadOfFetch: refusal, alwaysFits: alwaysFits, at: now)
            if reply.outcome == nil, reply.fetch != nil, let rate = policy.fetchesPerClient, let share {
                _ = state.shares.take(rate, for: share, at: now.monotonic)
            }
            return reply
        }
    }

    /// The value that came last, of use or not.
    package func value(of key: Key) -> Value? { state.withLock { $0.table.value(of: key) } }

    /// When a key's value is to be fetched though nobody asks, in monotonic milliseconds.
    func due(_ key: Key) -> Int64 { state.withLock { $0.table.due(key) } }

    /// Has a value fetched soon that lacks what a request needs (`ExpiringSlot.want`).
    func want(_ key: Key, at now: Instant, pause: Int64) {
        state.withLock { $0.table.want(key, at: now, pause: pause) }
    }

    /// A value is of no use any more.
    package func forget(_ key: Key) { state.withLock { $0.table.forget(key) } }

    /// Drops some of the values that have ended.
    func sweep(at now: Instant) { state.withLock { $0.table.sweep(at: now, atMost: 64) } }

    /// What is remembered, for metrics.
    package func survey(at now: Instant) -> SlotSurvey { state.withLock { $0.table.survey(at: now) } }

    // MARK: Waiters

    /// The waiter's time is over.
    /// - Returns: what it gets; nil when it does not wait any more.
    func expire(_ waiter: UInt64, at now: Instant) -> SlotOutcome<Value>? {
        state.withLock { $0.table.expire(waiter, at: now) }
    }

    func cancel(_ waiter: UInt64) { state.withLock { _ = $0.table.cancel(waiter) } }

    // MARK: Fetches

    /// A fetch is over. The loops are told, each on its own thread and not before this returns.
    package func land(_ fetch: SlotFetch, with result: SlotResult<Value>, at now: Instant) {
        let (completion, subscribers) = state.withLock { state in
            (
                state.table.landed(fetch, with: result, at: now, random: .random(in: 0 ... .max)),
                state.subscribers
            )
        }
        guard let completion else { return }
        let outcome = completion.outcome
        for (index, subscriber) in subscribers.enumerated() {
            let waiters = completion.waiters.filter { $0 >> SharedCache.waiterBits == UInt64(index) }
            if !waiters.isEmpty { subscriber.post { subscriber.cache?.deliver(outcome, to: waiters) } }
            if policy.isPublished, case .success = result, case .serve(let value) = outcome {
                subscriber.post { subscriber.cache?.take(value) }
            }
        }
    }
}
