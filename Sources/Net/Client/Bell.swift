#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Wakes a thread that waits for a socket (`WaitingStream`); rung from any thread.
package final class Bell: Sendable {
    // Unsafe: the system reads and writes locals of the known size within the call.

    private let listener: Int32
    private let clapper: Int32

    /// - Returns: nil when the system has no pipe for it.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        listener = ends[0]
        clapper = ends[1]
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        systemClose(listener)
        systemClose(clapper)
    }

    /// A bell that has been rung already stays so.
    package func ring() {
        var byte: UInt8 = 1
        _ = unsafe write(clapper, &byte, 1)
    }

    /// Waits for the bell alone.
    /// - Parameter deadline: monotonic milliseconds.
    package func wait(until deadline: Int64) { _ = wait(until: deadline, nil) }

    /// Waits until the socket is ready, the bell is rung, or the time is over; afterwards the bell is silent.
    /// - Returns: whether the socket is ready.
    func wait(until deadline: Int64, _ socket: (descriptor: Int32, interest: Interest)?) -> Bool {
        let now = SystemClock.monotonicMilliseconds()
        let left = deadline <= now ? 0 : deadline - now
        var waited = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        if let socket {
            waited.append(
                pollfd(
                    fd: socket.descriptor, events: Int16(socket.interest == .write ? POLLOUT : POLLIN), revents: 0))
        }
        let count = unsafe poll(&waited, nfds_t(waited.count), Int32(clamping: left))
        guard count > 0 else { return false }
        if waited[0].revents != 0 {
            var rings = [UInt8](repeating: 0, count: 64)
            while unsafe read(listener, &rings, rings.count) == rings.count {}
        }
        return waited.last?.fd != listener && waited.last?.revents != 0
    }
}
