import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One client's socket with its half of the protocol and what could not be sent yet.
final class ServerChannel {
    let descriptor: Int32
    let token: UInt64
    var connection: ServerConnection
    /// What to do when everything is sent.
    var next = ServerConnection.Next.read
    /// What the transport reports.
    var interest = Interest.read
    /// The answer that came later, until what was written before it is sent.
    var lateAnswer: LateAnswers.Answer?
    private(set) var unsent: [UInt8] = []
    private var sent = 0
    private var stalledSince: Int64 = 0
    /// When a client that was refused while still sending is no longer listened to; nil before that.
    private var lingerEnd: Int64?

    private static let lingerTime: Int64 = 2000

    init(
        _ descriptor: Int32, token: UInt64, limits: Limits, at instant: Instant, listener: Int, client: ClientAddress
    ) {
        self.descriptor = descriptor
        self.token = token
        connection = ServerConnection(
            limits: limits, at: instant, listener: listener, client: client, token: token)
    }

    enum Delivery { case complete, partial, failed }

    /// Sends bytes, and keeps those that the socket does not take.
    func send(_ bytes: UnsafeRawBufferPointer, at instant: Instant) -> Delivery {
        guard !bytes.isEmpty else { return .complete }
        guard let taken = ServerChannel.write(bytes, to: descriptor) else { return .failed }
        guard taken < bytes.count else { return .complete }
        unsent = Array(bytes[taken...])
        sent = 0
        stalledSince = instant.monotonic
        return .partial
    }

    /// Sends more of what was kept.
    func sendRest() -> Delivery {
        let taken = unsent.withUnsafeBytes {
            ServerChannel.write(UnsafeRawBufferPointer(rebasing: $0[sent...]), to: descriptor)
        }
        guard let taken else { return .failed }
        sent += taken
        guard sent == unsent.count else { return .partial }
        unsent = []
        return .complete
    }

    var isLingering: Bool { lingerEnd != nil }

    func linger(from instant: Instant) { lingerEnd = instant.monotonic + ServerChannel.lingerTime }

    /// Monotonic milliseconds at which the client has had its time.
    func deadline(_ limits: Limits) -> Int64 {
        lingerEnd ?? (unsent.isEmpty ? connection.deadline : stalledSince + limits.requestTimeout)
    }

    /// - Returns: the bytes that the socket took, nil when it is broken.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int? {
        while true {
            let count = systemSend(descriptor, bytes)
            if count >= 0 { return count }
            if errno == EAGAIN || errno == EWOULDBLOCK { return 0 }
            if errno != EINTR { return nil }
        }
    }
}
