#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A mutual exclusion that ThreadSanitizer understands, which `Synchronization.Mutex` is not. Held for moments only.
@safe package final class Lock: @unchecked Sendable {
    // Unsafe: a mutex must not move in memory, as a stored property might; this one is freed by deinit, when nobody can hold it.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }
}
