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
    /// Why another user than root and the user of the process can change it or put another in its place (`FileTrust`), and what
    /// would be right; nil when none can.
    package let weakness: String?
    /// Whether it was a pipe, whose bytes are gone now.
    package let isPipe: Bool

    package init(bytes: [UInt8], isWorldReadable: Bool, weakness: String? = nil, isPipe: Bool = false) {
        self.bytes = bytes
        self.isWorldReadable = isWorldReadable
        self.weakness = weakness
        self.isPipe = isPipe
    }

    /// The largest file that is read, in bytes.
    static let largest = 64 << 20
    /// Seconds that a pipe has for all of its bytes.
    private static let patience = 10

    /// Reads the file at an absolute or relative path. Mode and owner are those of what was read, not of what stands there later.
    /// - Returns: nil when it cannot be read, is larger than `largest`, or is neither an ordinary file nor a pipe, which a shell gives
    ///   for `<(command)`.
    package init?(_ path: String) {
        // Unsafe: the path is lent for the call, and the system writes to a local.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0, [S_IFREG, S_IFIFO].contains(info.st_mode & S_IFMT),
            Int(info.st_size) <= ReadFile.largest, let bytes = ReadFile.contents(of: descriptor)
        else { return nil }
        self.init(
            bytes: bytes, isWorldReadable: info.st_mode & 0o004 != 0, weakness: FileTrust().fault(of: path, info),
            isPipe: info.st_mode & S_IFMT == S_IFIFO)
    }

    /// What stands for standard input where a path is asked for.
    package static let standardInput = "-"

    /// How messages call the file at a path.
    package static func name(of path: String) -> String { path == standardInput ? "standard input" : path }

    /// All of standard input, which can be read once only; nil when it cannot be read.
    package static let fromStandardInput: ReadFile? = contents(of: STDIN_FILENO).map {
        ReadFile(bytes: $0, isWorldReadable: false, isPipe: true)
    }

    /// Whether anything has a path, whatever it is; a link that leads nowhere is nothing.
    package static func isThere(_ path: String) -> Bool {
        // Unsafe: the path is lent for the call.
        unsafe access(path, F_OK) == 0
    }

    /// Why the file at a path cannot be read, in words.
    package static func fault(of path: String) -> String {
        var info = stat()
        // Unsafe: the path is lent for the calls, and the system writes to a local.
        guard unsafe stat(path, &info) == 0 else {
            return errno == EACCES ? "a folder on the way to the file may not be entered" : "no such file"
        }
        guard [S_IFREG, S_IFIFO].contains(info.st_mode & S_IFMT) else { return "is not a file" }
        if unsafe access(path, R_OK) != 0 { return "the user of the process may not read the file" }
        return info.st_size > largest ? "the file is larger than 64 MiB" : "the file cannot be read"
    }

    /// All that comes from where a descriptor stands. Nothing of it is left in memory but what is returned, since it may be a secret.
    /// - Returns: nil when it cannot all be read.
    static func contents(of descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 12)
        var filled = 0
        let deadline = time(nil) + patience
        while true {
            if filled == bytes.count {
                var smaller = bytes
                bytes = [UInt8](repeating: 0, count: min(4 * filled, largest + 1))
                bytes.replaceSubrange(..<filled, with: smaller)
                smaller.wipe()
            }
            // Unsafe: the buffer is lent for the call, from the first byte that is not filled.
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress.map { unsafe $0 + filled }, $0.count - filled)
            }
            if count < 0, errno == EINTR || (errno == EAGAIN && ReadFile.hasMore(descriptor, until: deadline)) {
                continue
            }
            guard count >= 0, filled + count <= ReadFile.largest else {
                bytes.wipe()
                return nil
            }
            if count == 0 {
                bytes.removeLast(bytes.count - filled)
                return bytes
            }
            filled += count
        }
    }
}

extension ReadFile {
    /// Waits for the next bytes of a pipe.
    private static func hasMore(_ descriptor: Int32, until deadline: time_t) -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Unsafe: a local that the system writes within the call.
        return unsafe poll(&event, 1, Int32(clamping: max(0, deadline - time(nil)) * 1000)) == 1
    }
}

extension [UInt8] {
    /// Overwrites the bytes, which may be a secret, before their memory is used for anything else.
    mutating func wipe() {
        // Unsafe: the bytes are lent for the calls.
        unsafe withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            #if canImport(Glibc)
                unsafe explicit_bzero(start, bytes.count)
            #else
                unsafe memset_s(start, bytes.count, 0, bytes.count)
            #endif
        }
    }
}
