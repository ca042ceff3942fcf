import COpenSSL

/// The TLS of one connection: from the handshake to the close. Nothing in it waits.
@safe final class TLSSession {
    // Unsafe: an SSL of OpenSSL's, freed by deinit; a loop's own. What it reads and writes is lent for the call.
    let ssl: OpaquePointer
    /// What the session leans on for as long as it lasts.
    let owner: AnyObject
    let descriptor: Int32
    /// After a failure OpenSSL wants nothing more to be done with it.
    private var isBroken = false
    /// Bytes that may still be taken off the socket in this turn: OpenSSL itself would go on for as long as the peer sends
    /// messages without data, new keys for example, and nobody else would have a turn.
    private var allowance = TLSSession.turn
    /// When the client began, in monotonic milliseconds, and when the certificate was verified that an earlier session leaves it.
    var times: (begun: Int64, verifiedBefore: Int64?) = (0, nil)
    /// Bytes that the peer has sent without need: those that came, less what so much data may cost in the smallest records.
    private var waste = 0
    private let greatestWaste: Int
    /// Whether the peer has sent anything.
    private(set) var hasInput = false

    /// More than all that is read in a turn takes in records of usual sizes.
    private static let turn = 96 * 1024
    /// Bytes of a record that has one byte of data, and some.
    private static let smallestRecord = 32

    /// - Parameters:
    ///   - context: belongs to `owner`.
    ///   - descriptor: a connected socket; stays the caller's, and must outlive this.
    ///   - limit: bytes without data that the peer may send; more than a handshake takes.
    /// - Returns: nil when OpenSSL has no memory for it.
    init?(_ context: TLSContext, of owner: AnyObject, over descriptor: Int32, wasting limit: Int) {
        ERR_clear_error()
        guard let ssl = unsafe SSL_new(context.handle) else { return nil }
        unsafe self.ssl = ssl
        self.owner = owner
        greatestWaste = limit
        self.descriptor = descriptor
        guard let bio = unsafe SocketBIO.make(for: self) else { return nil }
        unsafe SSL_set_bio(ssl, bio, bio)
    }

    deinit { unsafe SSL_free(ssl) }

    /// Lets the peer's bytes be taken off the socket for another while.
    func beginTurn() { allowance = TLSSession.turn }

    /// What OpenSSL reads: as much of what has come as the turn allows. A peer that sends much without data is cut off.
    func receive(into room: inout MutableSpan<UInt8>) -> Transfer {
        guard waste < greatestWaste else { return .failed(.lost) }
        guard allowance > 0 else { return .wait(.read) }
        let transfer = SocketStream.receive(descriptor, into: &room, 0..<min(room.count, allowance))
        if case .moved(let count) = transfer {
            hasInput = true
            allowance -= count
            waste += count
        }
        return transfer
    }

    /// `.moved` when it is done.
    func handshake() -> Transfer {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 {
            waste = 0
            return .moved(0)
        }
        let verification = unsafe SSL_get_verify_result(ssl)
        let transfer = outcome(of: result)
        if case .failed = transfer, verification != X509_V_OK {
            return .failed(.tls(TLSFault(verification: verification)))
        }
        // Nobody says farewell in the middle of a handshake.
        if case .ended = transfer { return .failed(.lost) }
        return transfer
    }

    func write(_ bytes: Span<UInt8>) -> Transfer {
        guard !isBroken else { return .failed(.lost) }
        ERR_clear_error()
        var count = 0
        let result = unsafe bytes.withUnsafeBytes { unsafe SSL_write_ex(ssl, $0.baseAddress, $0.count, &count) }
        return result == 1 ? .moved(count) : outcome(of: result)
    }

    /// `.ended` only when the peer said so, and nobody cut the answer short.
    /// - Parameter start: the index of the first byte that may be written to.
    func read(into room: inout MutableSpan<UInt8>, from start: Int) -> Transfer {
        guard !isBroken else { return .failed(.lost) }
        precondition(start >= 0 && start <= room.count)
        ERR_clear_error()
        var count = 0
        let result = unsafe room.withUnsafeMutableBytes {
            unsafe SSL_read_ex(ssl, $0.baseAddress.map { unsafe $0 + start }, $0.count - start, &count)
        }
        guard result == 1 else { return outcome(of: result) }
        waste = max(0, waste - count * TLSSession.smallestRecord)
        return .moved(count)
    }

    /// Tells the peer that nothing more comes, if the socket takes that at once.
    func finish() {
        guard !isBroken, unsafe SSL_is_init_finished(ssl) == 1 else { return }
        ERR_clear_error()
        unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// What a later session with the same server can begin with.
    var resumption: TLSResumption? {
        guard !isBroken, let session = unsafe SSL_get1_session(ssl) else { return nil }
        let isResumed = unsafe SSL_session_reused(ssl) == 1
        return unsafe TLSResumption(
            owning: session, since: isResumed ? times.verifiedBefore ?? times.begun : times.begun)
    }

    private func outcome(of result: Int32) -> Transfer {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wait(.read)
        case SSL_ERROR_WANT_WRITE: return .wait(.write)
        case SSL_ERROR_ZERO_RETURN: return .ended
        case SSL_ERROR_SSL:
            isBroken = true
            let code = ERR_peek_error()
            ERR_clear_error()
            guard ERR_GET_REASON(code) != SSL_R_UNEXPECTED_EOF_WHILE_READING else { return .failed(.lost) }
            return .failed(.tls(TLSFault(error: code)))
        default:
            isBroken = true
            ERR_clear_error()
            return .failed(.lost)
        }
    }
}
