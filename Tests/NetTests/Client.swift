import Bytes
import Glibc
import TestPeers
import Testing

@testable import Net

/// A blocking client socket of which every wait ends after a minute, which is long for a server that is watched, too.
class Client {
    let descriptor: Int32
    private var held: [UInt8] = []

    struct Failure: Error {
        let call: String
        let number: Int32
    }

    struct Answer {
        let status: Int
        let head: String
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var closes: Bool { head.contains("\r\nConnection: close\r\n") }
    }

    /// - Parameter holdsLittle: whether the system buffers so little for it that the server soon waits to send.
    convenience init(_ port: UInt16, holdsLittle: Bool = false) throws {
        try self.init(unconnectedHoldingLittle: holdsLittle)
        try connect(to: port)
    }

    init(unconnectedHoldingLittle holdsLittle: Bool = false) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        wait(atMost: 60)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        if holdsLittle {
            // Small segments keep the server's buffer small as well.
            var (size, segment): (Int32, Int32) = (20_000, 1000)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, 4)
        }
    }

    /// - Parameter path: of a Unix socket.
    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        wait(atMost: 60)
        guard systemConnect(descriptor, to: SocketAddress(ListenAddress.unix(path: path))) == 0 else {
            throw Failure(call: "connect", number: errno)
        }
    }

    func connect(to port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, 16) }
        }
        guard result == 0 else { throw Failure(call: "connect", number: errno) }
    }

    deinit { close(descriptor) }

    /// How long a later call may take.
    func wait(atMost seconds: Double) {
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(seconds.truncatingRemainder(dividingBy: 1) * 1_000_000))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { piece in
                persistently { send(descriptor, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL)) }
            }
            guard count > 0 else { throw Failure(call: "send", number: errno) }
            sent += count
        }
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    func get(_ target: String) throws -> Answer {
        try write("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        return try answer()
    }

    /// Tells the server that nothing more will come.
    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        shutdown(descriptor, Int32(SHUT_RD))
        var any = sockaddr()
        any.sa_family = sa_family_t(AF_UNSPEC)
        // Disconnecting sends the reset at once and leaves the descriptor to `deinit`.
        Glibc.connect(descriptor, &any, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Reads what is there, at most `limit` bytes; nil at the end of the stream.
    func read(atMost limit: Int = 65536) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = persistently { recv(descriptor, &buffer, limit, 0) }
        guard count >= 0 else { throw Failure(call: "recv", number: errno) }
        return count == 0 ? nil : Array(buffer[..<count])
    }

    /// Reads one answer; its body is as long as Content-Length says.
    func answer() throws -> Answer {
        var end: Int?
        while end == nil {
            end = headEnd()
            if end == nil { try readMore() }
        }
        let length = end ?? 0
        let head = String(decoding: held[..<length], as: UTF8.self)
        var size = 0
        if let name = head.firstRange(of: "Content-Length: ") {
            size = Int(String(head[name.upperBound...].prefix { $0.isNumber })) ?? 0
        }
        while held.count < length + size { try readMore() }
        let body = Array(held[length..<length + size])
        held.removeFirst(length + size)
        return Answer(status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head, body: body)
    }

    /// Reads to the end of the stream.
    func rest() throws -> [UInt8] {
        while let more = try read() { held += more }
        defer { held = [] }
        return held
    }

    /// Whether the server has closed, with nothing more to read; waits for it.
    func isClosed() throws -> Bool { try held.isEmpty && read() == nil }

    private func readMore() throws {
        guard let more = try read() else { throw Failure(call: "end of stream", number: 0) }
        held += more
    }

    private func headEnd() -> Int? {
        guard held.count >= 4 else { return nil }
        for index in 3..<held.count where held[index] == 10 && held[index - 2] == 10 && held[index - 1] == 13 {
            return index + 1
        }
        return nil
    }
}
