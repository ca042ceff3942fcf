import Net
import Telemetry

/// What the service counts of its requests, over all loops and all configurations that follow each other; from any thread.
package final class Metrics: Sendable {
    private let loops = Guarded<[Counters]>([])

    package init() {}

    /// What another loop counts in.
    func makeCounters() -> Counters {
        let counters = Counters(RequestMeter.Index.end)
        loops.withLock { $0.append(counters) }
        return counters
    }

    /// The counts of all loops together.
    func sums() -> [UInt64] {
        let loops = loops.withLock { $0 }
        return (0..<RequestMeter.Index.end).map { index in loops.reduce(0) { $0 &+ $1[index] } }
    }
}
