import Bytes
import Foundation
import HTTP
import Net

/// A clock that a test holds: it goes with the machine's, and further when the test says so.
final class TestClock: Sendable {
    private let state = Guarded(State())

    private struct State {
        /// Nanoseconds that it is ahead of the machine's clocks, or of where it stands.
        var ahead: Int64 = 0
        /// Nil while it goes.
        var stopped: Instant?
    }

    func now() -> Instant {
        state.withLock { state in
            let instant = state.stopped ?? SystemClock.now()
            return Instant(
                unixSeconds: instant.unixSeconds + state.ahead / 1_000_000_000,
                nanoseconds: instant.nanoseconds + state.ahead)
        }
    }

    /// Monotonic milliseconds.
    var milliseconds: Int64 { now().monotonic }

    /// Whole seconds that it is ahead of the machine's.
    var seconds: Int64 { now().unixSeconds - SystemClock.now().unixSeconds }

    /// - Parameter milliseconds: how much later it is at once.
    func advance(by milliseconds: Int64) { state.withLock { $0.ahead += milliseconds * 1_000_000 } }

    /// Has it stand still, but for `advance`.
    /// - Parameter unixSeconds: where; nil for where it is.
    func stop(at unixSeconds: Int64? = nil) {
        let instant = now()
        state.withLock {
            $0 = State(
                stopped: Instant(
                    unixSeconds: unixSeconds ?? instant.unixSeconds, nanoseconds: instant.nanoseconds))
        }
    }
}
