/// What a request that asks a cache for a value gets.
package struct SlotReply<Value: Sendable>: Sendable {
    /// Nil where it is to wait.
    package let outcome: SlotOutcome<Value>?
    /// The fetch that is to begin; nil where none is.
    package var fetch: SlotFetch?
}

/// What a fetch brought: a value and how long it is used, or why there is none.
package typealias SlotResult<Value: Sendable> = Result<(value: Value, lifetime: Lifetime), UpstreamFault>

/// A value, or why there is none now.
package enum SlotOutcome<Value: Sendable>: Sendable {
    case serve(Value)
    case refuse(SlotRefusal)
}

/// One fetch of one value, from its beginning to its report. The loop that begins it owes exactly one report, whatever happens; a
/// report of a fetch that is no longer the slot's changes nothing.
package struct SlotFetch: Sendable, Hashable {
    let index: Int
    let number: UInt64
}

/// That there is no value now, and when to come again.
package struct SlotRefusal: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        /// The last fetch failed.
        case fault(UpstreamFault)
        /// The fetch takes longer than a request may wait.
        case slow
        /// No more requests may wait.
        case crowded
        /// The cache is full of values that are being fetched.
        case full
        /// The client has had its share of the fetches.
        case share
    }

    package let reason: Reason
    /// Seconds, at least one: the value of Retry-After.
    package let retryAfter: Int64

    /// - Parameter wait: milliseconds.
    package init(_ reason: Reason, wait: Int64 = 0) {
        self.reason = reason
        retryAfter = (wait.clamped(from: 1, through: UpstreamLimits.longestRetryAfter * 1000) + 999) / 1000
    }

    /// What everybody gets while our clock is too far from the vendor's (R17).
    package static let clockOff = SlotRefusal(.fault(.clockOff))
}
