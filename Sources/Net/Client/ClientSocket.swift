#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The system calls of a client's non-blocking socket.
enum ClientSocket {
    struct Failure: Error { let reason: String }

    // Unsafe: the system reads and writes locals of the known size within the call.

    /// A socket that has begun to connect, or has connected already.
    static func open(_ address: SocketAddress) throws(Failure) -> Int32 {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { throw Failure(reason: systemMessage()) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        #if !canImport(Glibc)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
        #endif
        let result = unsafe address.withSockaddr { unsafe connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            let reason = systemMessage()
            systemClose(descriptor)
            throw Failure(reason: reason)
        }
        return descriptor
    }

    /// Whether a socket that began to connect has done so; false while it has not.
    static func isConnected(_ descriptor: Int32) throws(Failure) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&state, 1, 0) > 0 else { return false }
        let error = error(of: descriptor)
        guard error == 0 else { throw unsafe Failure(reason: String(cString: strerror(error))) }
        return true
    }

    /// The number of the error that broke the socket, 0 for none; it is told once.
    static func error(of descriptor: Int32) -> Int32 {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        return error
    }
}
