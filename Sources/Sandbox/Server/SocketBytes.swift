import Bytes
import Net

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The bytes of a connection, read and written whole by calls that wait.
final class SocketBytes {
    // Unsafe: buffers are lent to the system within the call.

    private let descriptor: Int32
    /// What has come and was not used yet.
    private(set) var bytes: [UInt8] = []
    private var room = [UInt8](repeating: 0, count: 64 * 1024)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Waits for more bytes.
    /// - Returns: false when there will be none.
    func read(_ most: Int) -> Bool {
        while true {
            let count = unsafe room.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, min($0.count, most), 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            bytes += room[..<count]
            return true
        }
    }

    /// Says that nothing more is sent, and reads what still comes for a while: a client that is sending would lose the answer to a
    /// reset (RFC 9112 section 9.6).
    func linger(seconds: Int) {
        shutdown(descriptor, Int32(SHUT_WR))
        let end = SystemClock.now().monotonic + Int64(seconds) * 1000
        var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while SystemClock.now().monotonic < end, unsafe poll(&events, 1, Int32(seconds) * 1000) == 1, read(room.count) {
            bytes = []
        }
    }

    func discard(_ count: Int) { bytes.removeFirst(min(count, bytes.count)) }

    func take(atMost most: Int) -> [UInt8] {
        guard bytes.count > most else {
            defer { bytes = [] }
            return bytes
        }
        let taken = Array(bytes[..<most])
        bytes.removeFirst(most)
        return taken
    }

    func write(_ bytes: [UInt8]) -> Bool {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe send(descriptor, all.baseAddress.map { unsafe $0 + sent }, all.count - sent, flags)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
