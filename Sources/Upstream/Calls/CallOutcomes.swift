/// How an attempt of a call ended, for metrics.
package enum CallOutcome: String, CaseIterable, Sendable {
    case ok, network, unavailable, throttled, refused, malformed, expired, clockOff, breakerOpen, overBudget

    fileprivate var index: Int { CallOutcome.allCases.firstIndex(of: self) ?? 0 }

    /// - Parameter fault: nil for an attempt that brought what was wanted.
    init(_ fault: UpstreamFault?) {
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

/// How many attempts of calls ended in which way.
package struct CallOutcomes: Sendable {
    private var counts = [UInt64](repeating: 0, count: CallOutcome.allCases.count)

    package subscript(outcome: CallOutcome) -> UInt64 { counts[outcome.index] }

    /// - Parameter fault: nil for an attempt that brought what was wanted.
    mutating func add(_ fault: UpstreamFault?) { counts[CallOutcome(fault).index] &+= 1 }
}
