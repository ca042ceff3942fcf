import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes lines to a descriptor, on a queue of its own: no request waits for the log's reader. Lines that are not read in time
/// are lost, and counted.
package final class LogWriter: Sendable {
    private let descriptor: Int32
    private let isOwner: Bool
    /// The most bytes that may wait to be written.
    private let limit: Atomic<Int>
    private let queue = DispatchQueue(label: "log")
    private let waiting = Atomic(0)
    private let lost = Atomic<UInt64>(0)

    /// - Parameter isOwner: whether the descriptor is closed when nobody has the writer any more, and nothing waits.
    package init(_ descriptor: Int32, limit: Int, isOwner: Bool = false) {
        self.descriptor = descriptor
        self.isOwner = isOwner
        self.limit = Atomic(limit)
    }

    deinit {
        if isOwner { close(descriptor) }
    }

    /// The process's standard error.
    package static let standardError = LogWriter(STDERR_FILENO, limit: 1 << 20)

    /// Changes how many bytes may wait.
    func hold(atMost limit: Int) { self.limit.store(limit, ordering: .relaxed) }

    /// Lines that could not be written.
    package var lostLines: UInt64 { lost.load(ordering: .relaxed) }

    /// Takes whole lines; from any thread.
    package func write(_ bytes: [UInt8], lines: Int) {
        guard waiting.add(bytes.count, ordering: .relaxed).newValue <= limit.load(ordering: .relaxed) else {
            waiting.subtract(bytes.count, ordering: .relaxed)
            lost.add(UInt64(lines), ordering: .relaxed)
            return
        }
        queue.async { [self] in
            // Unsafe: the bytes are lent for the call.
            if unsafe !bytes.withUnsafeBytes({ unsafe send($0) }) { lost.add(UInt64(lines), ordering: .relaxed) }
            waiting.subtract(bytes.count, ordering: .relaxed)
        }
    }

    /// Waits until all that it has taken is written, or for so long.
    package func flush(within milliseconds: Int) {
        let isDone = DispatchSemaphore(value: 0)
        queue.async { isDone.signal() }
        _ = isDone.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    /// - Returns: whether all of it was taken.
    private func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                // The descriptor may be non-blocking, as the process that started the service has left it.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&ready, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

/// `write`, whose name `LogWriter` has taken.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    // Unsafe: the bytes are lent for the call.
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
