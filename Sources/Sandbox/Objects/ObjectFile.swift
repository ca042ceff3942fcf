#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that is open for reading. What is read stays what it was when the file was opened, also when another object gets its name.
final class ObjectFile: Sendable {
    private let descriptor: Int32
    /// In bytes.
    let size: Int

    /// - Returns: nil when there is no such file.
    init?(_ path: String) {
        var info = stat()
        // Unsafe: the path is lent for the call, and the system writes to a local.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        guard unsafe fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        size = Int(info.st_size)
    }

    deinit { close(descriptor) }

    /// - Returns: at most `count` bytes from `offset` on; fewer where a read fails or the file ends.
    func read(_ count: Int, at offset: Int) -> [UInt8] {
        // Unsafe: the system writes at most `count` bytes to the room.
        unsafe [UInt8](unsafeUninitializedCapacity: max(0, count)) { room, filled in
            while filled < count {
                let got = unsafe pread(
                    descriptor, room.baseAddress.map { unsafe $0 + filled }, count - filled, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                filled += got
            }
        }
    }
}
