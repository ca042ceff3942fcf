#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that was read, and who else can read or change it.
package struct ReadFile: Sendable {
    package let bytes: [UInt8]
    /// Whether anybody on the machine may read it.
    package let isWorldReadable: Bool
    /// Why somebody else can change what stands there (`FileTrust`), and what would be right; nil when nobody can.
    package let weakness: String?

    /// Reads the file at an absolute or relative path. Mode and owner are those of what was read, not of what stands there later.
    /// - Returns: nil when it cannot be read.
    package init?(_ path: String) {
        // Unsafe: the path is lent for the call, and the system writes to a local.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0, let bytes = ReadFile.contents(of: descriptor) else { return nil }
        self.bytes = bytes
        isWorldReadable = info.st_mode & 0o004 != 0
        weakness = FileTrust().fault(of: path, info)
    }

    private static func contents(of descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            // Unsafe: the buffer is lent for the call.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }
}
