import Foundation

/// A vendor that answers when it is told to.
final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = false
    private var waiting = 0

    /// How many have come.
    var count: Int { condition.withLock { waiting } }

    func pass() {
        condition.withLock {
            waiting += 1
            condition.broadcast()
            while !isOpen { condition.wait() }
        }
    }
    func awaitCaller() { condition.withLock { while waiting == 0 { condition.wait() } } }
    func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }
}
