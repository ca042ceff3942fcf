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
/// replaces this one gets them by a sealed descriptor.
///
/// The values stay in the memory of this process for as long as it runs, in plain arrays, since the next hand-over needs them. They
/// are not in locked memory, as a `Secret` is. Copies that are made on the way to them are wiped.
package struct ProcessEnvironment: Sendable {
    /// This process's own, as it was when it was first asked for.
    package static let own = ProcessEnvironment()

    /// The name of the variable that says which descriptor the concealed variables are in.
    package static let descriptorName = "COUNTERSIGN_ENVIRONMENT"

    private var values: [String: [UInt8]] = [:]

    /// What the service, the C library, OpenSSL, Swift and systemd's protocols read by themselves; none of it is a secret.
    private static let wellKnown = [
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
        var index: Int32 = 0
        // Unsafe: what stands there is copied at once.
        while let text = unsafe cs_variable(index) {
            unsafe ProcessEnvironment.lend(text) { note($0) }
            index += 1
        }
        guard let number = values.removeValue(forKey: ProcessEnvironment.descriptorName),
            let descriptor = Int32(String(decoding: number, as: UTF8.self)), descriptor > 2,
            cs_is_sealed(descriptor) == 1
        else { return }
        // Its writer has left it at its end.
        lseek(descriptor, 0, SEEK_SET)
        var bytes = ReadFile.contents(of: descriptor) ?? []
        close(descriptor)
        for text in bytes.split(separator: 0) { note(text.span) }
        bytes.wipe()
    }

    /// - Parameter text: `NAME=value`. Of two with the same name the first counts, as for `getenv`.
    private mutating func note(_ text: Span<UInt8>) {
        guard let (name, valueStart) = ProcessEnvironment.name(of: text), values[name] == nil else { return }
        // Unsafe: the bytes are lent for the call. One copy of a buffer is quicker than to append byte by byte.
        values[name] = unsafe text.extracting(droppingFirst: valueStart).withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// The name of a variable, and where its value begins; nil for a text without `=`. The value is not copied.
    private static func name(of text: Span<UInt8>) -> (name: String, valueStart: Int)? {
        guard let end = text.indices.first(where: { text[$0] == UInt8(ascii: "=") }) else { return nil }
        // Unsafe: the bytes are lent for the call.
        let name = unsafe text.extracting(first: end).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
        return (name, end + 1)
    }

    private static func lend<Result>(_ text: UnsafePointer<CChar>, _ read: (Span<UInt8>) -> Result) -> Result {
        let count = unsafe strlen(text)
        // Unsafe: a zero ends the text, which is lent for the call.
        return unsafe text.withMemoryRebound(to: UInt8.self, capacity: count) {
            unsafe read(UnsafeBufferPointer(start: $0, count: count).span)
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
        var index: Int32 = 0
        // Unsafe: only the name is copied, since nothing would wipe a copy of the value.
        while let text = unsafe cs_variable(index) {
            let name: String? = unsafe lend(text) { ProcessEnvironment.name(of: $0)?.name }
            if let name, isWellKnown(name) { index += 1 } else { cs_remove_variable(index) }
        }
    }

    /// Writes what is concealed into a file without a name, which nobody can change any more.
    /// - Returns: a descriptor that no other program inherits; minus the error where the system has no such files.
    package func makeSealedFile() -> Int32 {
        let concealed = values.filter { !ProcessEnvironment.isWellKnown($0.key) }
        var text: [UInt8] = []
        // All at once: to grow would leave copies behind.
        text.reserveCapacity(concealed.reduce(0) { $0 + $1.key.utf8.count + $1.value.count + 2 })
        for (name, value) in concealed {
            text += name.utf8
            text.append(UInt8(ascii: "="))
            text += value
            text.append(0)
        }
        defer { text.wipe() }
        // Unsafe: the bytes are lent for the call.
        return unsafe text.withUnsafeBytes { unsafe cs_sealed_file($0.baseAddress, $0.count) }
    }
}

extension ProcessEnvironment: CustomStringConvertible, CustomReflectable {
    package var description: String { "<environment>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
