/// What other threads want done on an event loop's own thread.
///
/// Work is run in the order it came, at the end of the loop's pass or in one of the next. When the loop is over, what is left and what still
/// comes is let go of without being run.
package final class Mailbox: Sendable {
    private let lock = Lock()
    // Unsafe: both guarded by the lock; of the transport only `wake` is called here.
    @safe private nonisolated(unsafe) var transport: (any Transport)?
    @safe private nonisolated(unsafe) var work: [@Sendable () -> Void] = []

    init(waking transport: any Transport) { self.transport = transport }

    /// Has `work` run on the loop's thread; from any thread.
    package func post(_ work: @escaping @Sendable () -> Void) {
        let sleeper: (any Transport)? = lock.withLock {
            guard transport != nil else { return nil }
            self.work.append(work)
            return self.work.count == 1 ? transport : nil
        }
        sleeper?.wake()
    }

    /// Runs what has come; on the loop's thread. What that posts is run by a later call.
    /// - Returns: whether anything had.
    @discardableResult
    func deliver() -> Bool {
        let due = lock.withLock {
            let due = work
            work = []
            return due
        }
        for work in due { work() }
        return !due.isEmpty
    }

    /// The loop is over.
    func close() {
        // What is let go of may run code of its own, which is not for under the lock.
        let left = lock.withLock {
            let left = (transport, work)
            transport = nil
            work = []
            return left
        }
        _ = left
    }
}
