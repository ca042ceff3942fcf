#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that is being written aside, and becomes an object or a part when it is complete; otherwise it is removed.
final class StagedFile {
    let path: String
    /// In its folder.
    var name: Substring { path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...] }
    /// Less than 0 when the file is complete.
    private var descriptor: Int32
    /// Bytes that were written.
    private(set) var size = 0
    private var isKept = false

    /// - Parameter path: where nothing is yet.
    init(_ path: String) throws(StoreFault) {
        // Unsafe: the path is lent for the call.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .disk(StoreFault.systemMessage()) }
        self.path = path
    }

    deinit {
        seal()
        // Unsafe: the path is lent for the call.
        if !isKept { unsafe unlink(path) }
    }

    func write(_ bytes: [UInt8]) throws(StoreFault) {
        var written = 0
        while written < bytes.count {
            // Unsafe: the bytes are lent for the call.
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe Self.write(descriptor, all.baseAddress.map { unsafe $0 + written }, all.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .disk(StoreFault.systemMessage()) }
            written += count
        }
        size += bytes.count
    }

    /// Says that nothing more is written, so that a part that waits for the others holds no descriptor.
    func seal() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Gives the file its place, in one step; what was there is gone.
    func move(to path: String) throws(StoreFault) {
        // Unsafe: the paths are lent for the call.
        guard unsafe rename(self.path, path) == 0 else { throw .disk(StoreFault.systemMessage()) }
        isKept = true
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.write(descriptor, bytes, count)
        #else
            unsafe Darwin.write(descriptor, bytes, count)
        #endif
    }
}

/// Why the store did not do what it was asked for.
enum StoreFault: Error, Equatable {
    case noSuchBucket
    /// There is an object of this key, and it must not be replaced.
    case exists
    /// The system's words.
    case disk(String)

    /// The system's words for the last error.
    static func systemMessage() -> String {
        // Unsafe: a text of the C library's, copied before this thread asks for another.
        unsafe String(cString: strerror(errno))
    }
}
