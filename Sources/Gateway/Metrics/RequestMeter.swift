import Bytes
import HTTP
import Net
import Telemetry

/// Counts a loop's requests, on the loop's thread. No request costs more than a few additions; the clock is read once for all
/// that are answered in a batch of events.
final class RequestMeter {
    /// Where each metric begins in a loop's counters.
    enum Index {
        static let issued = 0
        static let denied = issued + RequestLabels.routes.count
        static let proofs = denied + Refusal.Code.allCases.count
        static let limits = proofs + RequestLabels.proofs.count * RequestLabels.outcomes.count
        static let requests = limits + RequestLabels.Limit.allCases.count
        static let times = requests + RequestLabels.routes.count * RequestLabels.statuses.count
        static let abandoned = times + RequestLabels.routes.count * Histogram.size
        static let end = abandoned + 1
    }

    /// What requests are timed by.
    let clock: Clock
    private let metrics: Metrics
    private let counters: Counters
    /// How often each clause of a grant has refused in this batch.
    private var refusals: [String: UInt64] = [:]
    /// How many of each route were answered in this batch.
    private var answered = [UInt64](repeating: 0, count: RequestLabels.routes.count)
    private var hasAnswered = false

    init(_ metrics: Metrics, clock: @escaping Clock = SystemClock.now) {
        self.metrics = metrics
        counters = metrics.makeCounters()
        self.clock = clock
    }

    /// A request is answered at once.
    /// - Parameters:
    ///   - status: what it is truly, whatever the head says.
    ///   - reason: the refusal's code; nil for a success.
    func count(_ context: borrowing RequestContext, status: Int, because reason: Refusal.Code?) {
        add(context, status, reason)
        answered[context.route] &+= 1
        hasAnswered = true
    }

    /// A request is answered that had to wait.
    /// - Returns: how long, in milliseconds.
    func count(
        late context: borrowing RequestContext, status: Int, because reason: Refusal.Code?, at now: Instant
    ) -> Int64 {
        add(context, status, reason)
        let time = max(0, now.nanoseconds - context.instant.nanoseconds)
        Histogram.add(UInt64(time), to: counters, at: Index.times + context.route * Histogram.size)
        return time / 1_000_000
    }

    /// A request that had to wait does not get its answer: its client is gone, or it took too long.
    func countAbandoned() { counters.add(at: Index.abandoned) }

    /// A clause of a grant refuses a request that is answered at once.
    /// - Parameter name: one of the few that there are in the source.
    func count(clause name: String) { refusals[name, default: 0] &+= 1 }

    func count(_ limit: RequestLabels.Limit) { counters.add(at: Index.limits + limit.index) }

    /// The batch is over: what was answered in it took as long as the batch.
    func rest(since begin: Instant) {
        guard hasAnswered else { return }
        hasAnswered = false
        if !refusals.isEmpty {
            metrics.add(refusals: refusals)
            refusals.removeAll(keepingCapacity: true)
        }
        let time = UInt64(max(0, clock().nanoseconds - begin.nanoseconds))
        for route in answered.indices where answered[route] > 0 {
            Histogram.add(
                time, times: answered[route], to: counters, at: Index.times + route * Histogram.size)
            answered[route] = 0
        }
    }

    private func add(_ context: borrowing RequestContext, _ status: Int, _ reason: Refusal.Code?) {
        counters.add(
            at: Index.requests + context.route * RequestLabels.statuses.count
                + RequestLabels.index(ofStatus: status))
        if let proof = context.proof { counters.add(at: Index.proofs + proof) }
        if let reason {
            counters.add(at: Index.denied + reason.rawValue)
        } else if context.isIssuing {
            counters.add(at: Index.issued + context.route)
        }
    }
}
