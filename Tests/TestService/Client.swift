import Foundation
import Glibc
import Testing

/// A client of a service: a blocking socket; every wait on it ends.
class Client {
    private(set) var descriptor: Int32
    private var held: [UInt8] = []

    /// Without a socket.
    init() { descriptor = -1 }

    /// - Parameters:
    ///   - source: the address of this machine's that it connects from.
    ///   - holdsLittle: whether the system buffers little for it.
    init(_ port: UInt16, from source: UInt32 = loopback, holdsLittle: Bool = false) throws {
        descriptor = try Client.open(AF_INET)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        if holdsLittle {
            var size: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        if source != Client.loopback {
            let bound = Client.withAddress(source, 0) { Glibc.bind(descriptor, $0, $1) }
            try #require(bound == 0, "cannot bind: error \(errno)")
        }
        let result = Client.withLoopback(port) { Glibc.connect(descriptor, $0, $1) }
        guard result == 0 else {
            let number = errno
            // `deinit` closes it; to do so twice would be to close somebody else's.
            throw Program.Failure(description: "cannot connect: error \(number)")
        }
    }

    /// - Parameter path: of a Unix socket.
    init(path: String) throws {
        descriptor = try Client.open(AF_UNIX)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let connected = Client.connect(descriptor, &address)
        try #require(connected == 0, "cannot connect to \(path): error \(errno)")
    }

    /// - Parameter v6Port: of a listener on `::1`.
    init(v6Port port: UInt16) throws {
        descriptor = try Client.open(AF_INET6)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        let connected = Client.connect(descriptor, &address)
        try #require(connected == 0, "cannot connect to [::1]:\(port): error \(errno)")
    }

    /// It waits for a minute, since a service that a sanitizer watches beside many others may take half of that.
    private static func open(_ family: Int32) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Program.Failure(description: "no socket: error \(errno)") }
        var time = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        return descriptor
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        let size = socklen_t(MemoryLayout<Address>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    static let loopback: UInt32 = 0x7F00_0001

    static func withLoopback(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withAddress(loopback, port, body)
    }

    private static func withAddress(
        _ host: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    /// Seconds that the service's clock is ahead of the machine's.
    var ahead: Int64 { 0 }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write($0) }
            guard count > 0 else { throw Program.Failure(description: "cannot send: error \(errno)") }
            sent += count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        recv(descriptor, buffer.baseAddress, buffer.count, 0)
    }

    /// What comes where the end is expected, without TLS.
    func readEnd(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        recv(descriptor, buffer.baseAddress, buffer.count, 0)
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Tells the server that nothing more will come.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Goes away without a farewell.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close(descriptor)
        descriptor = -1
    }

    /// Reads one answer; its body is as long as Content-Length says.
    func answer(toHead isHead: Bool = false) throws -> Answer {
        var end = headEnd
        while end == nil {
            try readMore()
            end = headEnd
        }
        var answer = try Answer(head: held[..<(end ?? 0)])
        answer.ahead = ahead
        let size = isHead ? 0 : answer["Content-Length"].flatMap { Int($0) } ?? 0
        while held.count < (end ?? 0) + size { try readMore() }
        answer.body = Array(held[(end ?? 0)..<(end ?? 0) + size])
        held.removeFirst((end ?? 0) + size)
        return answer
    }

    /// Whether the server has closed, with nothing more to read; waits for it.
    func isClosed() throws -> Bool {
        guard held.isEmpty else { return false }
        var byte: UInt8 = 0
        let count = withUnsafeMutableBytes(of: &byte) { readEnd(into: $0) }
        if count < 0, errno == ECONNRESET { return true }
        guard count >= 0 else { throw Program.Failure(description: "the server did not close: error \(errno)") }
        if count > 0 { held.append(byte) }
        return count == 0
    }

    /// Whether the server breaks the connection off although nothing of what it sent is read; waits for it.
    func isResetUnread() throws -> Bool {
        var wait = pollfd(fd: descriptor, events: 0, revents: 0)
        guard poll(&wait, 1, 60_000) > 0 else { throw Program.Failure(description: "the server did not break it off") }
        return wait.revents & Int16(POLLERR) != 0
    }

    /// Whether something, or the end, comes within the time.
    func hasNews(within seconds: Double) -> Bool {
        if !held.isEmpty { return true }
        guard descriptor >= 0 else { return false }
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, Int32(seconds * 1000)) > 0
    }

    /// Whether nothing of an answer has come.
    var isUnanswered: Bool { held.isEmpty }

    private var headEnd: Int? {
        guard held.count >= 4 else { return nil }
        for index in 3..<held.count
        where held[index] == 10 && held[index - 1] == 13 && held[index - 2] == 10 && held[index - 3] == 13 {
            return index + 1
        }
        return nil
    }

    private func readMore() throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { read(into: $0) }
        guard count > 0 else {
            let reason = count == 0 ? "the server closed" : "error \(errno)"
            throw Program.Failure(description: "no answer: \(reason), after \(held.count) bytes")
        }
        held += buffer[..<count]
    }
}

/// A socket that listens, and takes nobody.
final class Listener {
    let port: UInt16
    let descriptor: Int32

    /// - Parameter wanted: the port; 0 for any.
    init(_ wanted: UInt16 = 0) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = Client.withLoopback(wanted) { bind(descriptor, $0, $1) }
        let named = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard result == 0, named == 0, listen(descriptor, 1) == 0 else {
            throw Program.Failure(description: "cannot listen: error \(errno)")
        }
    }

    deinit { close(descriptor) }

    /// A port that nobody listens on, as far as one can know: the system gives it to nobody who wants just any.
    static func freePort() throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 15_000..<32_000)
            if (try? Listener(port)) != nil { return port }
        }
        throw Program.Failure(description: "no port is free")
    }
}
