/// How an attempt of a call has ended, for metrics.
package enum CallOutcome: String, Sendable, CaseIterable {
    case ok, network, unavailable, throttled, refused, malformed, expired, clockOff, breakerOpen, overBudget

    /// - Parameter fault: nil for an attempt that brought what was wanted.
    package init(_ fault: UpstreamFault?) {
        self =
            switch fault {
            case nil: .ok
            case .network: .network
            case .unavailable: .unavailable
            case .throttled: .throttled
            case .refused: .refused
            case .malformed: .malformed
            case .expired: .expired
            case .clockOff: .clockOff
            case .breakerOpen: .breakerOpen
            case .overBudget: .overBudget
            }
    }
}

/// How often attempts have ended in each way.
package struct CallOutcomes: Sendable {
    private var counts: [CallOutcome: UInt64] = [:]

    package subscript(outcome: CallOutcome) -> UInt64 { counts[outcome, default: 0] }

    /// - Parameter fault: nil for an attempt that brought what was wanted.
    mutating func add(_ fault: UpstreamFault?) { counts[CallOutcome(fault), default: 0] &+= 1 }
}
