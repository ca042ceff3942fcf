#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that is made here and that only its owner may read: never one that is there, nor what a link points at.
enum NewFile {
    /// - Returns: why it was not written, nil when it was.
    static func make(_ bytes: [UInt8], at path: String) -> String? {
        // Unsafe: the path and the bytes are lent for the calls.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            return errno == EEXIST
                ? "is there already, and stays as it is"
                : unsafe "cannot be written: \(String(cString: strerror(errno)))"
        }
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard close(descriptor) == 0, count == bytes.count else { return "could not be written whole" }
        return nil
    }
}
