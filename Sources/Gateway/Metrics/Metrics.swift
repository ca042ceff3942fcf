import Net
import Telemetry

/// What the service counts of its requests, over all loops and all configurations that follow each other; from any thread.
package final class Metrics: Sendable {
    private let loops = Guarded<[Counters]>([])
    private let clauses = Guarded<[String: UInt64]>([:])

    package init() {}

    /// What another loop counts in.
    func makeCounters() -> Counters {
        let counters = Counters(RequestMeter.Index.end)
        loops.withLock { $0.append(counters) }
        return counters
    }

    /// How often each clause of a grant has refused a request, by its name; no other has refused any.
    var refusals: [String: UInt64] { clauses.withLock { $0 } }

    func add(refusals counts: [String: UInt64]) {
        clauses.withLock { $0.merge(counts) { $0 &+ $1 } }
    }

    /// The counts of all loops together.
    func sums() -> [UInt64] {
        let loops = loops.withLock { $0 }
        return (0..<RequestMeter.Index.end).map { index in loops.reduce(0) { $0 &+ $1[index] } }
    }
}
