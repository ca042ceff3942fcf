import Upstream

/// How the attempts of calls have ended, for metrics.
struct CallOutcomes: Sendable {
    static let names = [
        "ok", "network", "unavailable", "throttled", "refused", "malformed", "expired", "clockOff", "breakerOpen",
        "overBudget",
    ]

    /// By the place of the name.
    private(set) var counts = [UInt64](repeating: 0, count: names.count)

    /// - Parameter fault: nil for an attempt that brought what was wanted.
    mutating func add(_ fault: UpstreamFault?) { counts[CallOutcomes.place(of: fault)] &+= 1 }

    private static func place(of fault: UpstreamFault?) -> Int {
        switch fault {
        case nil: 0
        case .network: 1
        case .unavailable: 2
        case .throttled: 3
        case .refused: 4
        case .malformed: 5
        case .expired: 6
        case .clockOff: 7
        case .breakerOpen: 8
        case .overBudget: 9
        }
    }
}
