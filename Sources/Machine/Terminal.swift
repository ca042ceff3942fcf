#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Standard output and standard error, written at once.
package enum Terminal {
    package static func say(_ text: String) { put(text + "\n", to: STDOUT_FILENO) }

    /// Whether what is said is seen in colours: on a terminal, unless NO_COLOR says otherwise (no-color.org).
    package static var hasColours: Bool {
        let environment = ProcessEnvironment.own
        return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    package static func complain(_ text: String) { put(text + "\n", to: STDERR_FILENO) }

    /// What can be read from standard input up to the end, or up to one byte more than may be there; nil where nothing can be.
    package static func read(atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let room = min(buffer.count, limit - bytes.count)
            // Unsafe: the buffer is lent for the call.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(STDIN_FILENO, $0.baseAddress, room) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private static func put(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            // Nobody is left to be told that nobody listens.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// `read`, whose name `Terminal` has taken.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    // Unsafe: the buffer is lent for the call.
    unsafe read(descriptor, buffer, count)
}
