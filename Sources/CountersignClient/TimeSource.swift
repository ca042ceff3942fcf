import Foundation

/// The time that passes, and waiting: a test has its own.
struct TimeSource: Sendable {
    /// Since some moment. It goes on while the device sleeps, and no setting of the clock changes it.
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void

    static let continuous: TimeSource = {
        let start = ContinuousClock.now
        return TimeSource(
            now: { start.duration(to: .now) }, sleep: { try await Task.sleep(for: $0, clock: .continuous) })
    }()
}

/// What time it is by the service's clock, whatever this device's clock says.
final class ServerClock: @unchecked Sendable {
    // Unsafe: all that changes is guarded by the lock.
    private let time: TimeSource
    private let lock = NSLock()
    /// What the service said, and when its answer was asked for; guarded by the lock.
    private var last: (said: Date, at: Duration)?

    init(_ time: TimeSource) { self.time = time }

    /// - Parameter asked: when the request was sent: the answer's travel counts as time passed, so nothing seems to last longer
    ///   than it does.
    func note(_ said: Date, asked: Duration) { lock.withLock { last = (said, asked) } }

    /// This device's time as long as the service has said none.
    func now() -> Date {
        guard let last = lock.withLock({ last }) else { return Date() }
        return last.said + (time.now() - last.at).seconds
    }
}

extension Duration {
    var seconds: TimeInterval { TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18 }
}
