import Configuration
import Crypto
import Providers
import Upstream

/// The vendors' public keys: which are known, which are being fetched, and which could not be had a moment ago. There is one
/// call for a key at a time, however many wait, and everything has a bound, since forged callbacks may name any key.
package struct CallbackKeyTable {
    package enum Answer {
        case use(RSAPublicKey)
        /// Use this, and begin the call for the next.
        case useAndRefresh(RSAPublicKey)
        /// Wait, and begin the call.
        case start
        /// Wait for the call that is under way.
        case wait
        case refuse(UpstreamFault)
        /// As many keys are remembered as may be.
        case full
    }

    private struct Entry {
        var known: (key: RSAPublicKey, since: Int64)?
        var failure: (fault: UpstreamFault, since: Int64)?
        /// The places of the loops that wait for the call under way; nil when there is none.
        var waiting: Set<Int>?

        func usable(at now: Int64, _ limits: Configuration.CallbackKeys) -> RSAPublicKey? {
            guard let known, now - known.since < limits.keep else { return nil }
            return known.key
        }

        /// Whether the next key is to be fetched while this one is used.
        func isDue(at now: Int64, _ limits: Configuration.CallbackKeys) -> Bool {
            guard let known, waiting == nil, now - known.since >= limits.refresh else { return false }
            return failure.map { now - $0.since >= min(CallbackKeyTable.refreshPause, limits.refresh) } ?? true
        }

        /// Whether nothing is lost with it.
        func isSpent(at now: Int64, _ limits: Configuration.CallbackKeys) -> Bool {
            let isRemembered = failure.map { now - $0.since < CallbackKeyTable.failureMemory } ?? false
            return waiting == nil && usable(at: now, limits) == nil && !isRemembered
        }
    }

    /// How long nothing is fetched after a call in vain, and how long when a key is there to be used; milliseconds.
    static let (failureMemory, refreshPause): (Int64, Int64) = (2_000, 60_000)

    private let limits: Configuration.CallbackKeys
    private var entries: [PublishedKey: Entry] = [:]

    init(_ limits: Configuration.CallbackKeys) { self.limits = limits }

    var count: Int { entries.count }

    /// Asks for a key.
    /// - Parameters:
    ///   - loop: the place of the loop that asks, which is told if it is to wait.
    ///   - now: monotonic milliseconds.
    mutating func ask(_ place: PublishedKey, for loop: Int, at now: Int64) -> Answer {
        let key = entries[place]?.usable(at: now, limits)
        if let key, entries[place]?.isDue(at: now, limits) == false { return .use(key) }
        guard key != nil || makeRoom(for: place, at: now) else { return .full }
        var entry = entries[place] ?? Entry()
        defer { entries[place] = entry }
        if let key {
            entry.waiting = []
            return .useAndRefresh(key)
        }
        if entry.waiting != nil {
            entry.waiting?.insert(loop)
            return .wait
        }
        if let failure = entry.failure, now - failure.since < CallbackKeyTable.failureMemory {
            return .refuse(failure.fault)
        }
        entry.waiting = [loop]
        return .start
    }

    /// The call for a key is over.
    /// - Returns: the places of the loops that waited.
    mutating func landed(
        _ place: PublishedKey, with result: Result<RSAPublicKey, UpstreamFault>, at now: Int64
    ) -> Set<Int> {
        guard var entry = entries[place], let waiting = entry.waiting else { return [] }
        entry.waiting = nil
        switch result {
        case .success(let key): (entry.known, entry.failure) = ((key, now), nil)
        case .failure(let fault): entry.failure = (fault, now)
        }
        entries[place] = entry
        return waiting
    }

    /// Whether there is a place for one more. A key that is of use is never let go of for one that is only asked for, nor is
    /// the vendor's usual one ever refused.
    private mutating func makeRoom(for place: PublishedKey, at now: Int64) -> Bool {
        guard entries[place] == nil, entries.count >= limits.remembered else { return true }
        entries = entries.filter { !$0.value.isSpent(at: now, limits) }
        return entries.count < limits.remembered || place.isUsual
    }
}
