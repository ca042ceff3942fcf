import Bytes
import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One question and its answer over a connection of its own, waited for. For commands; the service itself never waits.
package enum BlockingExchange {
    /// - Parameters:
    ///   - preamble: what comes before anything else, and before TLS.
    ///   - overTLS: no certificate is checked, so the request must hold no secret.
    /// - Returns: what came until the peer closed (at most 64 KiB), nil when nothing could be had in time.
    package static func send(
        _ request: [UInt8], to address: SocketAddress, after preamble: [UInt8] = [], overTLS: Bool = false, seconds: Int
    ) -> [UInt8]? {
        #if canImport(Glibc)
            let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(address.family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        defer { systemClose(descriptor) }
        // They bound connect, too.
        // Unsafe: the system copies them within the calls.
        var limit = timeval(tv_sec: time_t(seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        guard unsafe address.withSockaddr({ unsafe connect(descriptor, $0, $1) }) == 0 else { return nil }
        var stream = SocketStream(descriptor)
        if !preamble.isEmpty {
            guard case .moved(preamble.count) = stream.write(preamble.span) else { return nil }
        }
        if overTLS {
            guard let session = anonymousSession(descriptor), case .moved = session.handshake() else { return nil }
            stream.secure(with: session)
        }
        guard case .moved(request.count) = stream.write(request.span) else { return nil }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        let end = SystemClock.now().monotonic + Int64(seconds) * 1000
        while answer.count < 65_536, SystemClock.now().monotonic < end,
            case .moved(let count) = stream.read(into: &buffer)
        {
            answer += buffer[0..<count]
        }
        return answer.isEmpty ? nil : answer
    }

    private static func anonymousSession(_ descriptor: Int32) -> TLSSession? {
        guard let trust = try? TLSTrust(.anybody) else { return nil }
        return TLSSession(trust, descriptor)
    }
}
