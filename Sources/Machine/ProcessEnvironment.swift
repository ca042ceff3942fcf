import CSystem

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The environment variables that the process was started with.
///
/// A configuration may take any of them for a secret. The system shows a process's environment to every process of the same user that
/// may look into it, and to root at all times; so all but those of well-known names are concealed at start, and another process that
/// takes the place of this one gets them by a sealed descriptor.
package struct ProcessEnvironment: Sendable {
    /// This process's own, as it was when it was first asked for.
    package static let own = ProcessEnvironment()

    /// The name of the variable that says which descriptor the concealed variables are in.
    package static let descriptorName = "COUNTERSIGN_ENVIRONMENT"

    private var values: [String: [UInt8]] = [:]

    /// What the service, the C library, OpenSSL, Swift and systemd's protocols read by themselves; none of it is a secret.
    private static let wellKnown: Set = [
        "ASAN_OPTIONS", "COUNTERSIGN_CONFIG", "COUNTERSIGN_PREDECESSOR", "DONT_FAKE_MONOTONIC", "GLIBC_TUNABLES",
        "HOME", "HOSTALIASES", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LD_PRELOAD", "LISTEN_FDNAMES", "LISTEN_FDS",
        "LISTEN_PID", "LLVM_PROFILE_FILE", "LOCALDOMAIN", "LOGNAME", "LSAN_OPTIONS", "MALLOC_ARENA_MAX", "NO_COLOR",
        "NOTIFY_SOCKET", "OPENSSL_CONF", "OPENSSL_MODULES", "PATH", "PWD", "RES_OPTIONS", "SHELL", "SSL_CERT_DIR",
        "SSL_CERT_FILE", "SWIFT_BACKTRACE", "TERM", "TMPDIR", "TSAN_OPTIONS", "TZ", "USER", "WATCHDOG_PID",
        "WATCHDOG_USEC",
    ]

    /// Whether a variable of this name is not concealed.
    package static func isWellKnown(_ name: String) -> Bool {
        // FAKETIME: of libfaketime, by which a clock that jumps is tried.
        wellKnown.contains(name) || name.hasPrefix("LC_") || name.hasPrefix("FAKETIME")
    }

    private init() {
        var place: Int32 = 0
        // Unsafe: the text is copied at once.
        while let text = unsafe cs_variable(place) {
            note(unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
            place += 1
        }
        guard let number = values.removeValue(forKey: ProcessEnvironment.descriptorName),
            let descriptor = Int32(String(decoding: number, as: UTF8.self)), descriptor > 2,
            cs_is_sealed(descriptor) == 1
        else { return }
        for text in ProcessEnvironment.contents(of: descriptor).split(separator: 0) { note(Array(text)) }
        close(descriptor)
    }

    /// - Parameter text: `NAME=value`. Of two with the same name the first counts, as for `getenv`.
    private mutating func note(_ text: [UInt8]) {
        guard let end = text.firstIndex(of: UInt8(ascii: "=")) else { return }
        let name = String(decoding: text[..<end], as: UTF8.self)
        if values[name] == nil { values[name] = Array(text[(end + 1)...]) }
    }

    private static func contents(of descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            // Unsafe: the buffer is lent for the call.
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(bytes.count))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    package subscript(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }

    /// Those of well-known names.
    package var visible: [String: String] {
        values.filter { ProcessEnvironment.isWellKnown($0.key) }.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    /// Takes all others out of the process's environment, and overwrites them where the system shows them
    /// (`/proc/PID/environ`). They are still in `own`. While the process has one thread.
    package static func conceal() {
        _ = own
        var place: Int32 = 0
        while let text = unsafe cs_variable(place) {
            let name = unsafe String(cString: text).prefix { $0 != "=" }
            if isWellKnown(String(name)) { place += 1 } else { cs_remove_variable(place) }
        }
    }

    /// Writes what is concealed into a file without a name, which nobody can change any more.
    /// - Returns: a descriptor that no other program inherits; minus the error where the system has no such files.
    package func makeSealedFile() -> Int32 {
        var text: [UInt8] = []
        for (name, value) in values where !ProcessEnvironment.isWellKnown(name) {
            text += Array(name.utf8) + [UInt8(ascii: "=")] + value + [0]
        }
        // Unsafe: the bytes are lent for the call.
        return unsafe text.withUnsafeBytes { unsafe cs_sealed_file($0.baseAddress, $0.count) }
    }
}

extension ProcessEnvironment: CustomStringConvertible, CustomReflectable {
    package var description: String { "<environment>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
