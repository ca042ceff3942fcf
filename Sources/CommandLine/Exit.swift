import Lifecycle

/// How a command ended, as the shell sees it.
enum Exit: Int32, CaseIterable {
    case done = 0
    case failed = 1
    case usage = 2
    case invalidConfiguration = 3
    /// The vendor did not give what was asked of it.
    case upstream = 4

    init(_ ending: Serving.Ending) {
        self = Exit(rawValue: ending.exitCode) ?? .failed
    }

    /// What it means, unless the command says it more exactly.
    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "refused, or failed"
        case .usage: "the command line is wrong"
        case .invalidConfiguration: "the configuration cannot be used"
        case .upstream: "the vendor cannot be reached, or refuses"
        }
    }
}
