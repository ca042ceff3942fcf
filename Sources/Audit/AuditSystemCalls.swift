import Bytes

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The system calls by which lines come to the disk, so that tests can have them fail.
@safe package struct AuditSystemCalls: Sendable {
    // Unsafe: the caller lends the bytes for the call.
    /// `write(2)`.
    package var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int
    /// `fdatasync(2)`.
    package var sync: @Sendable (Int32) -> Int32

    package init(
        write: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> Int = { unsafe systemWrite($0, $1) },
        sync: @escaping @Sendable (Int32) -> Int32 = { systemSync($0) }
    ) {
        unsafe self.write = write
        self.sync = sync
    }

    package static let system = unsafe AuditSystemCalls()

    /// Writes all of it, however little the system takes at once.
    func put(_ bytes: borrowing ByteWriter, into descriptor: Int32, _ path: String) throws(AuditFault) {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.bytes.withUnsafeBytes {
                unsafe write(descriptor, UnsafeRawBufferPointer(rebasing: $0[start...]))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw AuditFault(failed: "cannot write \(path)") }
            start += count
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    // Unsafe: the caller lends the bytes for the call.
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemSync(_ descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
        fdatasync(descriptor)
    #else
        // fsync(2) of Darwin leaves the bytes in the drive.
        fcntl(descriptor, F_FULLFSYNC)
    #endif
}

/// `close(2)`, by a name that no method of the audit's files has.
func systemClose(_ descriptor: Int32) { close(descriptor) }
