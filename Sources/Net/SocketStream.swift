import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What came of an attempt to move bytes without waiting.
enum Transfer {
    /// So many bytes; of a handshake, none.
    case moved(Int)
    /// Nothing before the socket is ready.
    case wait(Interest)
    /// The peer has said that nothing more comes.
    case ended
    case failed(StreamFault)
}

enum StreamFault: Error {
    /// Broken, or ended where it must not end.
    case lost
    case tls(TLSFault)
}

/// The bytes of one connection, with TLS or without.
struct SocketStream {
    let descriptor: Int32
    private var session: TLSSession?

    /// - Parameters:
    ///   - descriptor: a non-blocking socket; stays the caller's.
    ///   - session: TLS over the same socket.
    init(_ descriptor: Int32, _ session: TLSSession? = nil) {
        self.descriptor = descriptor
        self.session = session
    }

    var isSecured: Bool { session != nil }

    /// Whether the peer has sent anything of TLS.
    var hasHandshakeBegun: Bool { session?.hasInput ?? false }

    /// What the client on the other side has shown by TLS.
    var clientCertificate: ClientCertificate? { session?.clientCertificate }

    /// What is moved from now on goes through TLS.
    mutating func secure(with session: TLSSession) { self.session = session }

    /// Before what is read in one turn.
    func beginTurn() { session?.beginTurn() }

    /// `.moved` when it is done.
    func handshake() -> Transfer { session?.handshake() ?? .moved(0) }

    func write(_ bytes: Span<UInt8>) -> Transfer {
        session?.write(bytes) ?? SocketStream.send(descriptor, bytes)
    }

    /// - Parameter start: the index of the first byte that may be written to.
    func read(into room: inout MutableSpan<UInt8>, from start: Int = 0) -> Transfer {
        session?.read(into: &room, from: start) ?? SocketStream.receive(descriptor, into: &room, start..<room.count)
    }

    /// Reads for a turn.
    func read(into bytes: inout [UInt8]) -> Transfer {
        beginTurn()
        var room = bytes.mutableSpan
        return read(into: &room)
    }

    /// Ends the stream; the event loop, which watches the socket, closes it.
    func finish() { session?.finish() }

    var resumption: TLSResumption? { session?.resumption }

    // MARK: Without TLS

    static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Transfer {
        while true {
            let count = systemSend(descriptor, bytes)
            if count >= 0 { return .moved(count) }
            if errno == EAGAIN || errno == EWOULDBLOCK { return .wait(.write) }
            if errno != EINTR { return .failed(.lost) }
        }
    }

    /// - Parameters:
    ///   - range: the bytes in `room` that may be written to.
    ///   - isPeeking: whether the bytes are left to be received again.
    static func receive(
        _ descriptor: Int32, into room: inout MutableSpan<UInt8>, _ range: Range<Int>, isPeeking: Bool = false
    ) -> Transfer {
        while true {
            let count = systemReceive(descriptor, into: &room, range, isPeeking ? Int32(MSG_PEEK) : 0)
            if count > 0 { return .moved(count) }
            if count == 0 { return .ended }
            if errno == EAGAIN || errno == EWOULDBLOCK { return .wait(.read) }
            if errno != EINTR { return .failed(.lost) }
        }
    }
}
