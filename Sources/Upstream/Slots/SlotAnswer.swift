/// What somebody who asks for a credential gets.
package enum SlotAnswer<Value: Sendable>: Sendable {
    case serve(Value)
    /// Serve this, and begin the flight.
    case serveAndRefresh(Value, SlotFlight)
    /// Wait, and begin the flight.
    case start(SlotFlight)
    /// Wait for the flight that is under way.
    case wait
    case refuse(SlotRefusal)
}

/// What they get who have waited for one.
package enum SlotOutcome<Value: Sendable>: Sendable {
    case serve(Value)
    case refuse(SlotRefusal)
}

/// One call for one credential, from its beginning to its report. Whoever begins it owes exactly one report, whatever
/// happens; one for a flight that is no longer the slot's changes nothing.
package struct SlotFlight: Sendable, Hashable {
    package let key: SlotKey
    let number: UInt64
}

/// That there is no credential now, and when to come again.
package struct SlotRefusal: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        /// The last flight failed.
        case fault(UpstreamFault)
        /// The flight takes longer than a request may wait.
        case slow
        /// As many wait as may.
        case crowded
        /// As many credentials are being fetched as are remembered.
        case full
        /// The client has had its share of the calls.
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
