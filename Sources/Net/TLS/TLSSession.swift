import COpenSSL

/// The TLS of one connection: from the handshake to the close. Nothing in it waits.
final class TLSSession {
    let ssl: OpaquePointer
    /// What the session leans on for as long as it lasts.
    private let owner: AnyObject
    /// After a failure OpenSSL wants nothing more to be done with it.
    private var isBroken = false

    /// - Parameters:
    ///   - context: belongs to `owner`.
    ///   - descriptor: a connected socket; stays the caller's, and must outlive this.
    /// - Returns: nil when OpenSSL has no memory for it.
    init?(_ context: OpaquePointer, of owner: AnyObject, over descriptor: Int32) {
        ERR_clear_error()
        guard let ssl = SSL_new(context) else { return nil }
        self.ssl = ssl
        self.owner = owner
        guard let bio = SocketBIO.make(descriptor) else { return nil }
        SSL_set_bio(ssl, bio, bio)
    }

    deinit { SSL_free(ssl) }

    /// `.moved` when it is done.
    func handshake() -> Transfer {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return .moved(0) }
        let verification = SSL_get_verify_result(ssl)
        let transfer = outcome(of: result)
        if case .failed = transfer, verification != X509_V_OK {
            return .failed(.tls(TLSFault(verification: verification)))
        }
        // Nobody says farewell in the middle of a handshake.
        if case .ended = transfer { return .failed(.lost) }
        return transfer
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        guard !isBroken else { return .failed(.lost) }
        ERR_clear_error()
        var count = 0
        let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
        return result == 1 ? .moved(count) : outcome(of: result)
    }

    /// `.ended` only when the peer said so, and nobody cut the answer short.
    func read(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        guard !isBroken else { return .failed(.lost) }
        ERR_clear_error()
        var count = 0
        let result = SSL_read_ex(ssl, room.baseAddress, room.count, &count)
        return result == 1 ? .moved(count) : outcome(of: result)
    }

    /// Tells the peer that nothing more comes, if the socket takes that at once.
    func finish() {
        guard !isBroken, SSL_is_init_finished(ssl) == 1 else { return }
        ERR_clear_error()
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// What a later session with the same server can begin with.
    func resumption(at now: Int64) -> TLSResumption? {
        guard !isBroken, let session = SSL_get1_session(ssl) else { return nil }
        return TLSResumption(owning: session, since: now)
    }

    private func outcome(of result: Int32) -> Transfer {
        switch SSL_get_error(ssl, result) {
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
