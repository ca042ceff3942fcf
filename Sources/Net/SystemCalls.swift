#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// System calls whose names would be hidden by methods of the same name.

func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
        // A client that is gone must be an error, not a signal.
        return send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #else
        return send(descriptor, bytes.baseAddress, bytes.count, 0)
    #endif
}

/// A socket that never waits and that no other program inherits; negative and errno when there is none.
func systemSocket(_ family: Int32) -> Int32 {
    #if canImport(Glibc)
        return socket(
            family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
        let descriptor = socket(family, SOCK_STREAM, 0)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    #endif
}

func systemConnect(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
    address.withSockaddr { connect(descriptor, $0, $1) }
}

func systemBind(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
    address.withSockaddr { bind(descriptor, $0, $1) }
}

/// Has the close that comes next throw away what was to be sent, and tell the peer so.
func systemRenounce(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
}

/// The system's words for the last error.
func systemMessage() -> String { String(cString: strerror(errno)) }
