import Audit
import Foundation

/// The disk of an audit: it holds syncs up, and fails them, when a test says so.
final class UnreliableDisk: @unchecked Sendable {
    private let condition = NSCondition()
    private var isHeld = false
    private var isBroken = false
    private var waiting = 0
    private var count = 0

    var calls: AuditSystemCalls {
        AuditSystemCalls(sync: { [self] _ in
            condition.lock()
            defer { condition.unlock() }
            count += 1
            waiting += 1
            condition.broadcast()
            while isHeld { condition.wait() }
            waiting -= 1
            if isBroken { errno = EIO }
            return isBroken ? -1 : 0
        })
    }

    var syncs: Int { condition.withLock { count } }

    func set(held: Bool? = nil, broken: Bool? = nil) {
        condition.withLock {
            isHeld = held ?? isHeld
            isBroken = broken ?? isBroken
            condition.broadcast()
        }
    }

    /// Waits until somebody waits for it.
    /// - Returns: whether anybody did within two minutes.
    func waitForSync() -> Bool {
        let end = ContinuousClock.now + .seconds(120)
        return condition.withLock {
            // A little at a time, since the condition goes by the time of day.
            while waiting == 0, .now < end { _ = condition.wait(until: Date.now + 1) }
            return waiting > 0
        }
    }
}
