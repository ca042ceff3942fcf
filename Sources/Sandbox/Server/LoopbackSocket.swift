import Bytes
import Net

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A socket that takes connections on this machine, and whose `next` can be ended from another thread.
final class LoopbackSocket: Sendable {
    // Unsafe: options and addresses are locals that the system reads or writes within the call.

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let descriptor: Int32
    /// What is written into the second end has `next` return.
    private let reader: Int32
    private let writer: Int32
    /// Where it listens, with the port that the system chose if none was given.
    let address: SocketAddress

    init(_ wanted: HostPort) throws(Failure) {
        guard wanted.address.isLoopback else { throw Failure(description: "the sandbox listens on loopback only") }
        let address = SocketAddress(wanted)
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw Failure(description: LoopbackSocket.systemMessage()) }
        (reader, writer) = (ends[0], ends[1])
        let opened = socket(address.family, LoopbackSocket.streamType, 0)
        descriptor = opened
        _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, size)
        unsafe setsockopt(opened, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        guard opened >= 0, unsafe address.withSockaddr({ unsafe bind(opened, $0, $1) }) == 0,
            listen(opened, 1024) == 0, let bound = SocketAddress(boundBy: opened)
        else {
            let reason = LoopbackSocket.systemMessage()
            for descriptor in [opened, ends[0], ends[1]] where descriptor >= 0 { close(descriptor) }
            throw Failure(description: "cannot listen on \(address): \(reason)")
        }
        self.address = bound
    }

    deinit { for opened in [descriptor, reader, writer] { close(opened) } }

    /// Waits for the next connection.
    /// - Parameter seconds: how long a read or a write of the connection may wait.
    /// - Returns: its descriptor; nil when `stop` was called.
    func next(patience seconds: Int) -> Int32? {
        while true {
            var events = [descriptor, reader].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = unsafe poll(&events, nfds_t(events.count), -1)
            if events[1].revents != 0 { return nil }
            guard count > 0, events[0].revents != 0 else { continue }
            let connection = accept(descriptor, nil, nil)
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            guard connection >= 0 else {
                // Out of descriptors, for instance: those that are open end before long.
                if errno != EINTR { usleep(10_000) }
                continue
            }
            var limit = timeval(tv_sec: time_t(seconds), tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            unsafe setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
            unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
            return connection
        }
    }

    /// Has `next` return nil from now on; from any thread.
    func stop() {
        var byte: UInt8 = 0
        _ = unsafe write(writer, &byte, 1)
    }

    private static var streamType: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    /// The system's words for the last error.
    static func systemMessage() -> String {
        // Unsafe: a text of the C library's, copied before this thread asks for another.
        unsafe String(cString: strerror(errno))
    }
}
