import Dispatch
import Gateway

/// Tells the supervisor that the service is alive, as long as every event loop does what is asked of it.
final class Heartbeat: Sendable {
    // Unsafe: touched by `init` and `deinit` alone.
    @safe private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// - Returns: nil when nobody wants to know.
    init?(_ supervisor: Supervisor, _ loops: [LoopHandler]) {
        guard let patience = supervisor.patience else { return nil }
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "countersign.heartbeat"))
        let interval = DispatchTimeInterval.milliseconds(Int(patience / 3))
        timer.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(10))
        timer.setEventHandler { @Sendable in
            let left = Countdown(from: loops.count) { supervisor.alive() }
            for loop in loops { loop.call { left.count() } }
        }
        timer.resume()
    }

    deinit { timer.cancel() }
}
