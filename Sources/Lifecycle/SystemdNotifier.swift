import Bytes
import CSystem

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Tells systemd, or another supervisor that has started the service, its state (sd_notify(3)): one datagram for each change.
/// Without a supervisor, it tells nothing.
struct SystemdNotifier: Sendable {
    /// A path, or a name that begins with `@`.
    private let socket: [UInt8]?
    /// Milliseconds within which it wants to hear that the service is alive; nil when it does not.
    let patience: Int64?

    init(_ environment: [String: String]) {
        socket = environment["NOTIFY_SOCKET"].map { Array($0.utf8) }.flatMap { $0.isEmpty ? nil : $0 }
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        let time = isMeant ? environment["WATCHDOG_USEC"].flatMap { Int64($0) } : nil
        patience = time.flatMap { $0 >= 2000 ? $0 / 1000 : nil }
    }

    /// Requests are answered from now on; after `reloading`, again by one configuration alone.
    func ready() { tell("READY=1") }

    /// Another configuration is being read.
    /// - Parameter microseconds: of the monotonic clock.
    func reloading(at microseconds: Int64) { tell("RELOADING=1\nMONOTONIC_USEC=\(microseconds)") }

    /// Another process goes on instead of this one.
    func handedOver(to process: pid_t) { tell("MAINPID=\(process)") }

    func stopping() { tell("STOPPING=1") }

    func alive() { tell("WATCHDOG=1") }

    private func tell(_ words: String) {
        guard let socket else { return }
        let message = Array(words.utf8)
        // Unsafe: both are lent for the call.
        _ = unsafe message.withUnsafeBytes { message in
            unsafe socket.withUnsafeBytes {
                unsafe cs_notify($0.baseAddress, $0.count, message.baseAddress, message.count)
            }
        }
    }
}
