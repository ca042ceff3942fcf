import COpenSSL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// OpenSSL's way to a non-blocking socket. Its own one calls `write`, and to write to a peer that is gone is a signal that
/// ends the process.
enum SocketBIO {
    /// - Returns: nil when there is no memory. The descriptor stays the caller's.
    static func make(_ descriptor: Int32) -> OpaquePointer? {
        guard let method, let bio = BIO_new(method) else { return nil }
        // Zero is a descriptor, and no pointer.
        BIO_set_data(bio, UnsafeMutableRawPointer(bitPattern: Int(descriptor) + 1))
        BIO_set_init(bio, 1)
        return bio
    }

    // Made once, never changed, never freed.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "countersign socket") else {
            return nil
        }
        BIO_meth_set_write(method) { bio, bytes, count in SocketBIO.write(bio, bytes, count) }
        BIO_meth_set_read(method) { bio, bytes, count in SocketBIO.read(bio, bytes, count) }
        BIO_meth_set_ctrl(method) { bio, command, _, _ in SocketBIO.control(bio, command) }
        return method
    }()

    private static func descriptor(_ bio: OpaquePointer?) -> Int32 {
        Int32(truncatingIfNeeded: Int(bitPattern: BIO_get_data(bio)) - 1)
    }

    private static func write(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
        BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        let sent = SocketStream.send(descriptor(bio), UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        switch sent {
        case .moved(let count): return Int32(truncatingIfNeeded: count)
        case .wait: BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        case .ended, .failed: break
        }
        return -1
    }

    private static func read(_ bio: OpaquePointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
        BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        let room = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        switch SocketStream.receive(descriptor(bio), into: room) {
        case .moved(let count): return Int32(truncatingIfNeeded: count)
        case .wait: BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        case .ended:
            BIO_set_flags(bio, BIO_FLAGS_IN_EOF)
            return 0
        case .failed: break
        }
        return -1
    }

    private static func control(_ bio: OpaquePointer?, _ command: Int32) -> Int {
        switch command {
        case BIO_CTRL_FLUSH: 1
        case BIO_CTRL_EOF: BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0
        default: 0
        }
    }
}
