#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// System calls whose names would be hidden by methods of the same name.

func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

func systemSend(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Int {
    #if canImport(Glibc)
        // A client that is gone must be an error, not a signal.
        let flags = Int32(MSG_NOSIGNAL)
    #else
        let flags: Int32 = 0
    #endif
    // Unsafe: the system reads as much as there is, and only within the call.
    return unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, flags) }
}

/// - Parameter range: the bytes in `room` that are written to; a trap if there are no such.
func systemReceive(
    _ descriptor: Int32, into room: inout MutableSpan<UInt8>, _ range: Range<Int>, _ flags: Int32
) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= room.count)
    // Unsafe: the system writes to no other bytes, as was checked, and only within the call.
    return unsafe room.withUnsafeMutableBytes {
        unsafe recv(descriptor, $0.baseAddress.map { unsafe $0 + range.lowerBound }, range.count, flags)
    }
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
    // Unsafe: the address is lent for the call.
    unsafe address.withSockaddr { unsafe connect(descriptor, $0, $1) }
}

func systemBind(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
    // Unsafe: the address is lent for the call.
    unsafe address.withSockaddr { unsafe bind(descriptor, $0, $1) }
}

/// Has the close that comes next throw away what was to be sent, and tell the peer so.
func systemRenounce(_ descriptor: Int32) {
    // Unsafe: the option is lent for the call.
    var option = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
}

/// The system's words for the last error.
func systemMessage() -> String {
    // Unsafe: a text of the C library's, copied before this thread asks for another.
    unsafe String(cString: strerror(errno))
}
