import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One question and its answer over a connection of its own, waited for. For commands; the service itself never waits.
package enum BlockingExchange {
    /// - Returns: what came until the peer closed (at most 64 KiB), nil when nothing could be had in time.
    package static func send(_ request: [UInt8], to address: SocketAddress, seconds: Int) -> [UInt8]? {
        #if canImport(Glibc)
            let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(address.family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        defer { systemClose(descriptor) }
        // They bound connect, too.
        var limit = timeval(tv_sec: time_t(seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        guard address.withSockaddr({ connect(descriptor, $0, $1) }) == 0,
            request.withUnsafeBytes({ systemSend(descriptor, $0) }) == request.count
        else { return nil }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        let end = SystemClock.now().monotonic + Int64(seconds) * 1000
        while answer.count < 65_536, SystemClock.now().monotonic < end {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[0..<count]
        }
        return answer.isEmpty ? nil : answer
    }
}
