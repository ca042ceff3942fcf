import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// The test needs root. `scripts/test` names the tests that it has left out for that.
    package static var needsRoot: ConditionTrait { .enabled(if: geteuid() == 0, "needs root") }
    /// The test needs a root who may mount file systems.
    package static var needsMounts: ConditionTrait { .enabled(if: Machine.canMount, "needs root who may mount") }
}

private enum Machine {
    static let canMount: Bool = {
        guard geteuid() == 0, let stream = popen("unshare --mount true 2>/dev/null", "r") else { return false }
        return pclose(stream) == 0
    }()
}
