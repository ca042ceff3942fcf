import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One client's socket with its half of the protocol and what could not be sent yet.
final class ServerChannel {
    let token: UInt64
    var connection: ServerConnection
    /// What to do when everything is sent.
    var next = ServerConnection.Next.read
    /// What the transport reports.
    var interest = Interest.read
    /// The answer that came later, until what was written before it is sent.
    var lateAnswer: LateAnswers.Answer?
    /// Whether a read may give more although the system reports nothing: what TLS has taken off the socket, or the end.
    private(set) var hasMore = false
    private(set) var unsent: [UInt8] = []
    private var sent = 0
    private var stalledSince: Int64 = 0
    /// When a client that was refused while still sending is no longer listened to; nil before that.
    private var lingerEnd: Int64?
    private let stream: SocketStream
    /// When the client must have shaken hands; nil once it has.
    private var handshakeEnd: Int64?

    private static let lingerTime: Int64 = 2000

    init(
        _ stream: SocketStream, token: UInt64, limits: Limits, at instant: Instant, listener: Int, client: ClientAddress
    ) {
        self.stream = stream
        self.token = token
        handshakeEnd = stream.isSecured ? instant.monotonic + limits.headerTimeout : nil
        connection = ServerConnection(
            limits: limits, at: instant, listener: listener, client: client, token: token)
    }

    var descriptor: Int32 { stream.descriptor }

    // MARK: Bytes

    /// Reads what has come, as far as there is room; with TLS that is several records, after the handshake.
    func receive(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        hasMore = false
        guard stream.isSecured, !isLingering else { return SocketStream.receive(descriptor, into: room) }
        if handshakeEnd != nil {
            let transfer = stream.handshake()
            guard case .moved = transfer else { return transfer }
            handshakeEnd = nil
            connection.certificate = stream.clientCertificate
        }
        var count = 0
        while count < room.count {
            let transfer = stream.read(into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
            guard case .moved(let more) = transfer else {
                guard count > 0 else { return transfer }
                // How it ended is told when this has been answered.
                if case .wait = transfer { return .moved(count) }
                break
            }
            count += more
        }
        hasMore = true
        return .moved(count)
    }

    enum Delivery { case complete, partial, failed }

    /// Sends bytes, and keeps those that the socket does not take.
    func send(_ bytes: UnsafeRawBufferPointer, at instant: Instant) -> Delivery {
        guard !bytes.isEmpty else { return .complete }
        guard let taken = write(bytes) else { return .failed }
        guard taken < bytes.count else { return .complete }
        unsent = Array(bytes[taken...])
        sent = 0
        stalledSince = instant.monotonic
        return .partial
    }

    /// Sends more of what was kept.
    func sendRest() -> Delivery {
        guard let taken = unsent.withUnsafeBytes({ write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) else {
            return .failed
        }
        sent += taken
        guard sent == unsent.count else { return .partial }
        unsent = []
        return .complete
    }

    /// - Returns: the bytes that the socket took, nil when it is broken.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var taken = 0
        while taken < bytes.count {
            switch stream.write(UnsafeRawBufferPointer(rebasing: bytes[taken...])) {
            case .moved(let count): taken += count
            case .wait: return taken
            case .ended, .failed: return nil
            }
        }
        return taken
    }

    // MARK: The end

    var isLingering: Bool { lingerEnd != nil }

    /// Says that nothing more will be sent, and goes on to read for a while, so that what was sent is not lost to a reset.
    func linger(from instant: Instant) {
        finish()
        shutdown(descriptor, Int32(SHUT_WR))
        lingerEnd = instant.monotonic + ServerChannel.lingerTime
        hasMore = false
    }

    /// Says farewell, as TLS wants it; the socket is closed by whoever watches it.
    func finish() { if lingerEnd == nil { stream.finish() } }

    /// Monotonic milliseconds at which the client has had its time.
    func deadline(_ limits: Limits) -> Int64 {
        if let end = lingerEnd ?? handshakeEnd { return end }
        return unsent.isEmpty ? connection.deadline : stalledSince + limits.requestTimeout
    }

    /// Whether TLS is not there yet.
    var isShakingHands: Bool { handshakeEnd != nil }
}
