#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that is made here and that only its owner may read: never one that is there, nor what a link points at.
package enum NewFile {
    /// - Returns: why it was not written, nil when it was.
    package static func make(_ bytes: [UInt8], at path: String) -> String? {
        // Unsafe: the path and the bytes are lent for the calls.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            return errno == EEXIST
                ? "is there already, and stays as it is"
                : "cannot be written: \(systemMessage())"
        }
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard close(descriptor) == 0, count == bytes.count else { return "could not be written whole" }
        return nil
    }

    /// The same, with no moment at which half a file has the name; a hidden one beside it may be left where the process is ended.
    package static func makeWhole(_ bytes: [UInt8], at path: String) -> String? {
        let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let hidden = "\(path[..<end]).\(path[end...]).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        if let fault = make(bytes, at: hidden) { return fault }
        // Unlike `rename`, it never replaces what another process has made in the meantime. Unsafe: the paths are lent for the calls.
        let fault = unsafe link(hidden, path) == 0 || errno == EEXIST ? nil : systemMessage()
        unsafe unlink(hidden)
        return fault.map { "cannot be written: \($0)" }
    }
}

/// Folders that are made here and that only their owner may look into.
package enum NewFolder {
    /// Makes a folder and those above it, as far as they are not there.
    /// - Returns: why it is not there, nil when it is.
    package static func make(_ path: String) -> String? {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            // Unsafe: the path is lent for the call.
            guard unsafe mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST else {
                return "cannot be made: \(systemMessage())"
            }
        }
        // What is there may be a file.
        var info = stat()
        guard unsafe stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else { return "is no folder" }
        return nil
    }
}

/// What the system says of the last error.
func systemMessage() -> String {
    // Unsafe: the text is copied at once.
    unsafe String(cString: strerror(errno))
}
