import Foundation

/// The threads for tests that mostly wait: for processes, sockets and other threads. Swift's own pool has one thread a core, and
/// a test that waits would keep the core idle.
///
/// All other threads of the process give way to these and to what these start, so that what is tested against the clock is not
/// slowed down by tests that compute.
final class WaitingThreads: TaskExecutor, @unchecked Sendable {
    static let shared = WaitingThreads(8)

    private let condition = NSCondition()
    /// Guarded by the condition, as the identifiers are.
    private var jobs: [UnownedJob] = []
    private var identifiers: Set<String> = []

    private init(_ count: Int) {
        for _ in 0..<count { Thread { [self] in run() }.start() }
        condition.withLock { while identifiers.count < count { condition.wait() } }
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        where !identifiers.contains(thread) {
            if let identifier = UInt32(thread) {
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), identifier, 19)
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func run() -> Never {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? "\(UUID())"
        condition.withLock {
            identifiers.insert(String(path.split(separator: "/").last ?? ""))
            condition.broadcast()
        }
        while true {
            let job = condition.withLock {
                while jobs.isEmpty { condition.wait() }
                return jobs.removeFirst()
            }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
