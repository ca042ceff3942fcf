import COpenSSL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// OpenSSL's way to a non-blocking socket. Its own one calls `write`, and to write to a peer that is gone is a signal that
/// ends the process.
enum SocketBIO {
    // Unsafe: OpenSSL calls back with its own pointers, which are good while the callback runs.

    /// - Parameter session: whose it will be, so that it is there for as long.
    /// - Returns: nil when there is no memory.
    static func make(for session: TLSSession) -> OpaquePointer? {
        guard let method = unsafe method, let bio = unsafe BIO_new(method) else { return nil }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(session).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    // Unsafe: made once, never changed, never freed.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "countersign socket") else {
            return nil
        }
        unsafe BIO_meth_set_write(method) { bio, bytes, count in unsafe SocketBIO.write(bio, bytes, count) }
        unsafe BIO_meth_set_read(method) { bio, bytes, count in unsafe SocketBIO.read(bio, bytes, count) }
        unsafe BIO_meth_set_ctrl(method) { bio, command, _, _ in unsafe SocketBIO.control(bio, command) }
        return unsafe method
    }()

    private static func session(_ bio: OpaquePointer?) -> TLSSession? {
        guard let data = unsafe BIO_get_data(bio) else { return nil }
        return unsafe Unmanaged<TLSSession>.fromOpaque(data).takeUnretainedValue()
    }

    private static func write(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
        unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        guard let session = unsafe session(bio) else { return -1 }
        let bytes = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count)).bindMemory(to: UInt8.self)
        switch unsafe SocketStream.send(session.descriptor, bytes.span) {
        case .moved(let count): return Int32(truncatingIfNeeded: count)
        case .wait: unsafe BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        case .ended, .failed: break
        }
        return -1
    }

    private static func read(_ bio: OpaquePointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
        unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        guard let session = unsafe session(bio) else { return -1 }
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)).bindMemory(to: UInt8.self)
        var room = unsafe bytes.mutableSpan
        switch session.receive(into: &room) {
        case .moved(let count): return Int32(truncatingIfNeeded: count)
        case .wait: unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        case .ended:
            unsafe BIO_set_flags(bio, BIO_FLAGS_IN_EOF)
            return 0
        case .failed: break
        }
        return -1
    }

    private static func control(_ bio: OpaquePointer?, _ command: Int32) -> Int {
        switch command {
        case BIO_CTRL_FLUSH: 1
        case BIO_CTRL_EOF: unsafe BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0
        default: 0
        }
    }
}
