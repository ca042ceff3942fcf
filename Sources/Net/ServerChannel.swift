import Bytes
import CSystem
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
    /// When the client must have taken what was sent to it; nil when it has.
    private var writeEnd: Int64?
    private let writeTimeout: Int64
    /// What was counted last of `held`, and of its progress; nil when it was no more than a connection may always hold.
    var counted: AddressShares.Share?
    /// Whether its handshake is counted as one that is under way.
    var isHandshakeCounted = false
    /// The network that the connection counts for.
    private(set) var network: ClientAddress
    /// When a client that was refused while still sending is no longer listened to; nil before that.
    private var lingerEnd: Int64?
    private let stream: SocketStream
    /// What has come of the proxy's word on who connects; nil when none is to come.
    private var proxyHeader: [UInt8]?
    /// When the proxy must have said so, and the client have shaken hands; nil once they have.
    private var openingEnd: Int64?

    private static let lingerTime: Int64 = 2000

    init(
        _ stream: SocketStream, token: UInt64, limits: Limits, at instant: Instant, listener: Int,
        client: ClientAddress
    ) {
        self.stream = stream
        self.token = token
        openingEnd = stream.isSecured ? instant.monotonic + limits.headerTimeout : nil
        writeTimeout = limits.writeTimeout
        network = client.network
        connection = ServerConnection(
            limits: limits, at: instant, listener: listener, client: client, token: token)
    }

    /// The client is a proxy that says first whom it speaks for.
    /// - Parameter end: when it must have said so, in monotonic milliseconds.
    func expectProxyHeader(until end: Int64) {
        proxyHeader = []
        openingEnd = end
    }

    var descriptor: Int32 { stream.descriptor }

    /// Tells a client, whose socket stays the caller's, that there is no room for it.
    static func turnAway(_ descriptor: Int32, _ limits: Limits, in context: inout ServerConnection.Context) {
        let instant = context.instant
        let channel = ServerChannel(
            SocketStream(descriptor), token: 0, limits: limits, at: instant, listener: 0, client: .none)
        context.out.reset()
        channel.connection.refuse(
            RequestError(.overloaded, "the server has as many connections as it may"), in: &context)
        _ = channel.send(context.out.bytes, at: instant)
        // To close while the request lies unread would be a reset, which can cost the client the answer.
        var room = InlineArray<16_384, UInt8>(repeating: 0)
        var unread = room.mutableSpan
        _ = channel.receive(into: &unread)
    }

    // MARK: Bytes

    /// Reads what has come, as far as there is room; with TLS that is several records, after the handshake.
    func receive(into room: inout MutableSpan<UInt8>) -> Transfer {
        hasMore = false
        stream.beginTurn()
        if proxyHeader != nil, !isLingering {
            let transfer = receiveProxyHeader(in: &room)
            guard case .moved = transfer else { return transfer }
            if !stream.isSecured { openingEnd = nil }
        }
        guard stream.isSecured, !isLingering else {
            return SocketStream.receive(descriptor, into: &room, 0..<room.count)
        }
        if openingEnd != nil {
            let transfer = stream.handshake()
            guard case .moved = transfer else { return transfer }
            openingEnd = nil
            connection.certificate = stream.clientCertificate
        }
        var count = 0
        while count < room.count {
            let transfer = stream.read(into: &room, from: count)
            guard case .moved(let more) = transfer else {
                guard count > 0 else { return transfer }
                // How it ended, or that TLS has to send first, is told when this has been answered.
                if case .wait(.read) = transfer { return .moved(count) }
                break
            }
            count += more
        }
        hasMore = true
        return .moved(count)
    }

    /// Takes the proxy's word off the socket, and no byte more: TLS may begin with the next.
    private func receiveProxyHeader(in room: inout MutableSpan<UInt8>) -> Transfer {
        var header = proxyHeader ?? []
        let known = header.count
        let window = 0..<min(ProxyHeader.longest - known, room.count)
        let transfer = SocketStream.receive(descriptor, into: &room, window, isPeeking: true)
        guard case .moved(let count) = transfer else { return transfer }
        header.append(contentsOf: room.span.extracting(0..<count))
        let reading = ProxyHeader.read(header.span)
        let taken: Int
        switch reading {
        case .malformed: return .failed(.lost)
        case .incomplete: taken = count
        case .complete(let length, _): taken = length - known
        }
        guard case .moved(taken) = SocketStream.receive(descriptor, into: &room, 0..<taken) else {
            return .failed(.lost)
        }
        guard case .complete(_, let client) = reading else {
            proxyHeader = header
            return .wait(.read)
        }
        proxyHeader = nil
        // A proxy at a Unix socket has no address that could count instead.
        if let client = client ?? (connection.client.isKnown ? nil : .unspecified) { connection.client = client }
        return .moved(0)
    }

    /// Whether a proxy has still to say whom it speaks for.
    var awaitsProxyHeader: Bool { proxyHeader != nil }

    /// From now on it counts for whom the proxy has named.
    func adoptNetwork() { network = connection.client.network }

    /// Whether it waits between two requests, and everything is sent.
    var isIdle: Bool { unsent.isEmpty && connection.isIdle }

    /// Bytes that are kept for the client, with the room that their buffers have.
    var held: Int {
        connection.held + unsent.capacity + (proxyHeader?.capacity ?? 0) + (lateAnswer?.response.body.capacity ?? 0)
    }

    enum Delivery { case complete, partial, failed }

    /// Sends bytes, and keeps those that the socket does not take.
    func send(_ bytes: Span<UInt8>, at instant: Instant) -> Delivery {
        guard !bytes.isEmpty else { return .complete }
        guard let taken = write(bytes) else { return .failed }
        writeEnd = instant.monotonic + writeTimeout
        guard taken < bytes.count else { return .complete }
        unsent = bytes.extracting(taken...).array
        sent = 0
        return .partial
    }

    /// Sends more of what was kept.
    func sendRest() -> Delivery {
        guard let taken = write(unsent.span.extracting(sent...)) else { return .failed }
        sent += taken
        guard sent == unsent.count else { return .partial }
        unsent = []
        return .complete
    }

    /// - Returns: the bytes that the socket took, nil when it is broken.
    private func write(_ bytes: Span<UInt8>) -> Int? {
        var taken = 0
        while taken < bytes.count {
            switch stream.write(bytes.extracting(taken...)) {
            case .moved(let count): taken += count
            case .wait(.write): return taken
            // TLS wants the rest of a message that began behind the handshake. Nobody's is that long, and to wait for the
            // socket to take bytes, as it does, would be to wait for nothing.
            case .wait, .ended, .failed: return nil
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

    /// Ends the stream as TLS requires (close_notify); the event loop closes the socket.
    func finish() { if lingerEnd == nil { stream.finish() } }

    /// Monotonic milliseconds at which the client may have had its time.
    var deadline: Int64 {
        if let end = lingerEnd ?? openingEnd { return end }
        guard unsent.isEmpty else { return writeEnd ?? .max }
        return min(connection.deadline, writeEnd ?? .max)
    }

    /// Whether the client has not taken in its time what was sent to it: it may be with the system still.
    func isStuck(at instant: Instant) -> Bool {
        guard lingerEnd == nil, let end = writeEnd, instant.monotonic >= end else { return false }
        guard unsent.isEmpty else { return true }
        writeEnd = nil
        return cs_unacknowledged(descriptor) > 0
    }

    /// Has the close, which comes next, throw away what the system was to send.
    func renounce() { systemRenounce(descriptor) }

    /// Whether the proxy's word, or TLS, is not there yet.
    var isOpening: Bool { openingEnd != nil }

    /// Whether the client has begun a handshake, and has not sent a request.
    var isHandshakeWasted: Bool { stream.hasHandshakeBegun && connection.isUnused }

    /// Whether TLS is not there yet.
    var isShakingHands: Bool { stream.isSecured && isOpening }
}
