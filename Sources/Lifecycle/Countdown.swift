import Net

/// Does something when it has been counted so often, on the thread of the last.
final class Countdown: Sendable {
    private let left: Guarded<Int>
    private let body: @Sendable () -> Void

    init(from count: Int, _ body: @escaping @Sendable () -> Void) {
        left = Guarded(count)
        self.body = body
    }

    func count() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { body() }
    }
}
