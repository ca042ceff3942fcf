import Dispatch
import Gateway

/// Tells systemd that the service is alive, as long as every event loop does what is asked of it.
final class WatchdogTimer: Sendable {
    // Unsafe: touched by `init` and `deinit` alone.
    @safe private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// - Returns: nil when no supervisor asks for it.
    init?(_ systemd: SystemdNotifier, _ loops: [LoopHandler]) {
        guard let patience = systemd.patience else { return nil }
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "countersign.watchdog"))
        let interval = DispatchTimeInterval.milliseconds(Int(patience / 3))
        timer.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(10))
        timer.setEventHandler { @Sendable in
            let left = Countdown(from: loops.count) { systemd.alive() }
            for loop in loops { loop.call { left.count() } }
        }
        timer.resume()
    }

    deinit { timer.cancel() }
}
