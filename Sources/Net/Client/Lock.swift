#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A mutual exclusion that ThreadSanitizer understands, which `Synchronization.Mutex` is not. Held for moments only.
package final class Lock: @unchecked Sendable {
    // A mutex must not move in memory, as a stored property might.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// For what a closure cannot hold, such as a span; each `lock` has its `unlock` in the same function.
    package func lock() { pthread_mutex_lock(mutex) }

    package func unlock() { pthread_mutex_unlock(mutex) }

    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
