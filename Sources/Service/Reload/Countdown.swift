import Net

/// Does something when it has been counted so often, on the thread of the last.
final class Countdown: Sendable {
    private let lock = Lock()
    // Unsafe: guarded by the lock.
    @safe private nonisolated(unsafe) var left: Int
    private let body: @Sendable () -> Void

    init(from count: Int, _ body: @escaping @Sendable () -> Void) {
        left = count
        self.body = body
    }

    func count() {
        let isLast = lock.withLock {
            left -= 1
            return left == 0
        }
        if isLast { body() }
    }
}
