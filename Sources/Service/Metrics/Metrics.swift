import Net
import Telemetry

/// What the service counts of its requests, over all loops and all configurations that follow each other; from any thread.
package final class Metrics: Sendable {
    private let lock = Lock()
    // Unsafe: guarded by the lock.
    @safe private nonisolated(unsafe) var loops: [Counters] = []

    package init() {}

    /// What another loop counts in.
    func makeCounters() -> Counters {
        let counters = Counters(RequestMeter.Place.end)
        lock.withLock { loops.append(counters) }
        return counters
    }

    /// The counts of all loops together.
    func sums() -> [UInt64] {
        let loops = lock.withLock { self.loops }
        return (0..<RequestMeter.Place.end).map { place in loops.reduce(0) { $0 &+ $1[place] } }
    }
}
