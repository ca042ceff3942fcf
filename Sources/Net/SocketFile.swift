#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file of a Unix socket that the server listens on: for its user and group (0660), and gone when the server is.
final class SocketFile: Sendable {
    // Unsafe: a status is a local that the system writes within the call.

    private let path: String
    private let device: dev_t
    private let number: ino_t

    /// - Parameter address: bound by now. Nil when it is none of a file.
    init?(_ address: SocketAddress) {
        var status = stat()
        guard let path = address.path, unsafe lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        number = status.st_ino
    }

    /// Removes the file, unless another service has put its own there meanwhile.
    func remove() {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_dev == device, status.st_ino == number else { return }
        unsafe unlink(path)
    }

    /// Binds a socket to its path. A socket that nobody listens on any more makes way; nothing else does.
    static func bind(_ descriptor: Int32, to address: SocketAddress) throws(ListenError) {
        guard let path = address.path else { return }
        try clear(path, for: address)
        // The file has these rights from its first moment; what the umask took of them is given back.
        fchmod(descriptor, 0o660)
        guard systemBind(descriptor, to: address) == 0 else {
            throw ListenError(address: address, reason: systemMessage())
        }
        guard unsafe chmod(path, 0o660) == 0 else {
            let reason = systemMessage()
            unsafe unlink(path)
            throw ListenError(address: address, reason: reason)
        }
    }

    private static func clear(_ path: String, for address: SocketAddress) throws(ListenError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ListenError(address: address, reason: "there is a file of that name, and it is no socket")
        }
        let descriptor = systemSocket(AF_UNIX)
        defer { systemClose(descriptor) }
        guard descriptor >= 0, systemConnect(descriptor, to: address) != 0, errno == ECONNREFUSED else {
            throw ListenError(address: address, reason: "another process listens there")
        }
        unsafe unlink(path)
    }
}
