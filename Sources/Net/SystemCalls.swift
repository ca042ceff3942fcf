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

func systemBind(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
    address.withSockaddr { bind(descriptor, $0, $1) }
}

/// The system's words for the last error.
func systemMessage() -> String { String(cString: strerror(errno)) }
