import Foundation

/// The threads for tests that mostly wait: for processes, sockets and other threads. Swift's own pool has one thread a core, and
/// a test that waits would keep the core idle.
final class WaitingThreads: TaskExecutor, @unchecked Sendable {
    static let shared = WaitingThreads(8)

    private let condition = NSCondition()
    /// Guarded by the condition.
    private var jobs: [UnownedJob] = []

    private init(_ count: Int) {
        for _ in 0..<count { Thread { [self] in run() }.start() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func run() -> Never {
        while true {
            let job = condition.withLock {
                while jobs.isEmpty { condition.wait() }
                return jobs.removeFirst()
            }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
