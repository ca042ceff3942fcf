import Bytes

/// What one event loop makes its calls with, and those that are under way.
package final class LoopCalls {
    package let upstreamClient: any UpstreamClient
    package let clock: () -> Instant
    private var calls: [ObjectIdentifier: any CallUnderWay] = [:]

    package init(upstreamClient: any UpstreamClient, clock: @escaping () -> Instant) {
        self.upstreamClient = upstreamClient
        self.clock = clock
    }

    package var isEmpty: Bool { calls.isEmpty }

    func add(_ call: any CallUnderWay) { calls[ObjectIdentifier(call)] = call }

    func remove(_ call: any CallUnderWay) { calls[ObjectIdentifier(call)] = nil }

    /// Goes on with calls whose pause is over.
    package func tick(at now: Instant) {
        guard !calls.isEmpty else { return }
        // What ends with this is not among them any more.
        for call in Array(calls.values) { call.tick(at: now) }
    }
}

/// A call whatever it is for.
protocol CallUnderWay: AnyObject {
    func tick(at now: Instant)
}
