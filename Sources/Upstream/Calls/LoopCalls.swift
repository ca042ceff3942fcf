/// The calls of one event loop that are under way.
package final class LoopCalls {
    private var calls: [ObjectIdentifier: any CallUnderWay] = [:]

    package var isEmpty: Bool { calls.isEmpty }

    func add(_ call: any CallUnderWay) { calls[ObjectIdentifier(call)] = call }

    func remove(_ call: any CallUnderWay) { calls[ObjectIdentifier(call)] = nil }

    /// Goes on with calls whose pause is over.
    package func tick(at now: Now) {
        guard !calls.isEmpty else { return }
        // What ends with this is not among them any more.
        for call in Array(calls.values) { call.tick(at: now) }
    }
}

/// A call whatever it is for.
protocol CallUnderWay: AnyObject {
    func tick(at now: Now)
}
