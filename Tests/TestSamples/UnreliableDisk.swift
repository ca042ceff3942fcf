import Audit
import Foundation

/// The disk of an audit: it holds syncs up, and fails them, when a test says so.
final class UnreliableDisk: @unchecked Sendable {
    private let condition = NSCondition()
    private var isHeld = false
    private var isBroken = false
    private var waiting = 0
    private var count = 0
    private var whenSynced: @Sendable () -> Void = {}

    var calls: AuditSystemCalls {
        AuditSystemCalls(sync: { [self] _ in
            condition.lock()
            defer { condition.unlock() }
            count += 1
            waiting += 1
            condition.broadcast()
            while isHeld { condition.wait() }
            waiting -= 1
            whenSynced()
            if isBroken { errno = EIO }
            return isBroken ? -1 : 0
        })
    }

    var syncs: Int { condition.withLock { count } }

    /// - Parameter whenSynced: called at the end of each sync.
    func set(held: Bool? = nil, broken: Bool? = nil, whenSynced: (@Sendable () -> Void)? = nil) {
        condition.withLock {
            isHeld = held ?? isHeld
            isBroken = broken ?? isBroken
            if let whenSynced { self.whenSynced = whenSynced }
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
