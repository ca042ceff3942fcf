import COpenSSL
import CSystem
import Foundation
import Glibc

@testable import Net

/// A server of which every connection is one call of a script, on a thread of its own; with TLS or without. Without, it can be asked
/// in memory, too (`converse`).
package final class ClientPeer: Sendable {
    package typealias Script = @Sendable (_ connection: ClientPeerConnection, _ number: Int) throws -> Void

    package let port: UInt16
    private let listener: Int32
    private let script: Script
    private nonisolated(unsafe) let context: OpaquePointer?
    private let lock = Lock()
    private nonisolated(unsafe) var accepted = 0
    private let threads = DispatchGroup()

    package struct Failure: Error { let call: String }

    /// - Parameters:
    ///   - versions: the TLS versions that it speaks, from the oldest to the newest.
    ///   - accepts: whether it takes connections at all; if not, most attempts to connect wait for ever.
    package init(
        _ script: @escaping Script, tls certificate: ClientCertificates.Pair? = nil,
        versions: ClosedRange<Int32> = TLS1_2_VERSION...TLS1_3_VERSION, address: UInt32 = 0x7F00_0001,
        port wanted: UInt16 = 0, accepts: Bool = true
    ) throws {
        self.script = script
        context = try certificate.map { try ClientPeer.context($0, versions) }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        listener = descriptor
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = address.bigEndian
        name.sin_port = wanted.bigEndian
        let bound = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, 16) }
        }
        guard listener >= 0, bound == 0, listen(listener, accepts ? 512 : 0) == 0,
            let chosen = SocketAddress(boundBy: listener)?.port
        else { throw Failure(call: "listen") }
        port = chosen
        guard accepts else { return }
        if context == nil { ClientPeer.listening.add(self) }
        threads.enter()
        Thread { [self] in
            defer { threads.leave() }
            while let client = accept() { serve(client.descriptor, client.number) }
        }.start()
    }

    deinit {
        ClientPeer.listening.remove(port)
        systemClose(listener)
        if let context { SSL_CTX_free(context) }
    }

    /// How many connections have come.
    package var connections: Int { lock.withLock { accepted } }

    /// - Returns: whether all its threads ended in time.
    package func stop(within seconds: Double = 60) -> Bool {
        ClientPeer.listening.remove(port)
        shutdown(listener, Int32(SHUT_RDWR))
        return threads.wait(timeout: .now() + seconds) == .success
    }

    /// What the peer at a port says to a request, as on a connection of its own.
    /// - Returns: nil where nobody listens.
    package static func converse(_ request: [UInt8], at port: UInt16) -> ClientPeerConnection.Said? {
        guard let peer = listening.peer(at: port) else { return nil }
        let connection = ClientPeerConnection(hearing: request)
        let number = peer.lock.withLock {
            peer.accepted += 1
            return peer.accepted
        }
        try? peer.script(connection, number)
        return connection.said
    }

    private static let listening = Listening()

    /// The peers that can be asked in memory, by their ports.
    private final class Listening: @unchecked Sendable {
        private struct Entry { weak var peer: ClientPeer? }
        private let lock = NSLock()
        private var peers: [UInt16: Entry] = [:]

        func add(_ peer: ClientPeer) { lock.withLock { peers[peer.port] = Entry(peer: peer) } }
        func remove(_ port: UInt16) { lock.withLock { peers[port] = nil } }
        func peer(at port: UInt16) -> ClientPeer? { lock.withLock { peers[port]?.peer } }
    }

    private func accept() -> (descriptor: Int32, number: Int)? {
        // A process that is started meanwhile must not have it, too: what is closed here would not be closed for the client.
        var address = [UInt8](repeating: 0, count: 16)
        let descriptor = cs_accept(listener, &address)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, 0)
        let number = lock.withLock {
            accepted += 1
            return accepted
        }
        return (descriptor, number)
    }

    private func serve(_ descriptor: Int32, _ number: Int) {
        threads.enter()
        let thread = Thread { [self] in
            defer { threads.leave() }
            // OpenSSL's own way to a socket may raise it; the client's must not.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            let connection = ClientPeerConnection(descriptor, context)
            if connection.isReady { try? script(connection, number) }
            connection.close()
        }
        thread.stackSize = 256 * 1024
        thread.start()
    }

    private static func context(
        _ certificate: ClientCertificates.Pair, _ versions: ClosedRange<Int32>
    ) throws -> OpaquePointer {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw Failure(call: "SSL_CTX_new") }
        SSL_CTX_set_security_level(context, versions.lowerBound < TLS1_2_VERSION ? 0 : 1)
        guard cs_ssl_context_set_min_version(context, versions.lowerBound) == 1,
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(versions.upperBound), nil) == 1,
            SSL_CTX_use_certificate_chain_file(context, certificate.chain) == 1,
            SSL_CTX_use_PrivateKey_file(context, certificate.key, SSL_FILETYPE_PEM) == 1
        else { throw Failure(call: "SSL_CTX") }
        return context
    }
}

/// Calls again what broke off because the process was halted for a while, which the system tells of calls that have a time.
package func persistently(_ call: () -> Int) -> Int {
    while true {
        errno = 0
        let result = call()
        guard result < 0, errno == EINTR else { return result }
    }
}

/// The server's side of one connection; every wait ends after a minute: the whole suite may be running beside it.
package final class ClientPeerConnection {
    package struct Ended: Error {}

    private var descriptor: Int32
    private let ssl: OpaquePointer?
    package let isReady: Bool
    private var held: [UInt8] = []
    /// What has been said without a socket; nil with one.
    package private(set) var said: Said?

    /// What is said in memory.
    package struct Said: Sendable {
        package fileprivate(set) var bytes: [UInt8] = []
        /// Milliseconds after which it comes.
        package fileprivate(set) var delay: Int64 = 0
        /// Whether more could come, for ever.
        package fileprivate(set) var isOpen = false
    }

    /// Without a socket.
    fileprivate init(hearing request: [UInt8]) {
        (descriptor, ssl, isReady, held, said) = (-1, nil, true, request, Said())
    }

    init(_ descriptor: Int32, _ context: OpaquePointer?) {
        self.descriptor = descriptor
        var time = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        ssl = context.flatMap { SSL_new($0) }
        if let ssl {
            SSL_set_fd(ssl, descriptor)
            isReady = persistently { Int(SSL_accept(ssl)) } == 1
        } else {
            isReady = true
        }
    }

    deinit { if let ssl { SSL_free(ssl) } }

    package var serverName: String? {
        ssl.flatMap { SSL_get_servername($0, TLSEXT_NAMETYPE_host_name) }.map { String(cString: $0) }
    }

    package var isResumed: Bool { ssl.map { SSL_session_reused($0) == 1 } ?? false }

    /// The next request, head and content; throws at the end.
    @discardableResult
    package func request() throws -> String {
        while true {
            let text = String(decoding: held, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                var size = text[..<end.upperBound].utf8.count
                if let name = text.range(of: "Content-Length: ") {
                    size += Int(text[name.upperBound...].prefix { $0.isNumber }) ?? 0
                }
                if held.count >= size {
                    defer { held.removeFirst(size) }
                    return String(decoding: held[..<size], as: UTF8.self)
                }
            }
            guard let more = read() else { throw Ended() }
            held += more
        }
    }

    /// The next command of Redis' protocol: its words; throws at the end.
    package func command() throws -> [[UInt8]] {
        func line() throws -> String {
            while true {
                if let end = held.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { held.removeFirst(end + 1) }
                    return String(decoding: held[..<max(0, end - 1)], as: UTF8.self)
                }
                guard let more = read() else { throw Ended() }
                held += more
            }
        }
        guard let count = Int(try line().dropFirst()) else { throw Ended() }
        return try (0..<count).map { _ in
            guard let length = Int(try line().dropFirst()) else { throw Ended() }
            while held.count < length + 2 {
                guard let more = read() else { throw Ended() }
                held += more
            }
            defer { held.removeFirst(length + 2) }
            return Array(held[..<length])
        }
    }

    package func write(_ bytes: [UInt8]) throws {
        if said?.bytes.append(contentsOf: bytes) != nil { return }
        // Else TLS goes on with whoever has the descriptor's number by now.
        guard descriptor >= 0 else { throw Ended() }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { piece in
                persistently {
                    if let ssl { return Int(SSL_write(ssl, piece.baseAddress, Int32(piece.count))) }
                    return send(descriptor, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL))
                }
            }
            guard count > 0 else { throw Ended() }
            sent += count
        }
    }

    package func write(_ text: String) throws { try write(Array(text.utf8)) }

    package func answer(_ body: String, status: String = "200 OK", fields: String = "") throws {
        try write("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Waits until the client closes.
    package func hang() {
        said?.isOpen = true
        while read() != nil {}
    }

    /// Lets time pass.
    package func pause(milliseconds: Int32) {
        if said == nil { poll(nil, 0, milliseconds) } else { said?.delay += Int64(milliseconds) }
    }

    /// Says farewell as TLS wants it, before the close.
    package func finish() { if let ssl, descriptor >= 0 { SSL_shutdown(ssl) } }

    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    package func close() {
        guard descriptor >= 0 else { return }
        systemClose(descriptor)
        descriptor = -1
    }

    private func read() -> [UInt8]? {
        guard descriptor >= 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = buffer.withUnsafeMutableBytes { room in
            persistently {
                if let ssl { return Int(SSL_read(ssl, room.baseAddress, Int32(room.count))) }
                return recv(descriptor, room.baseAddress, room.count, 0)
            }
        }
        return count > 0 ? Array(buffer[..<count]) : nil
    }
}
