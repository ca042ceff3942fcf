import COpenSSL

/// The TLS of one connection: from the handshake to the close. Nothing in it waits.
@safe final class TLSSession {
    // Unsafe: an SSL of OpenSSL's, freed by deinit; a loop's own. What it reads and writes is lent for the call.
    let ssl: OpaquePointer
    /// What the session leans on for as long as it lasts.
    private let owner: AnyObject
    /// After a failure OpenSSL wants nothing more to be done with it.
    private var isBroken = false

    /// - Parameters:
    ///   - context: belongs to `owner`.
    ///   - descriptor: a connected socket; stays the caller's, and must outlive this.
    /// - Returns: nil when OpenSSL has no memory for it.
    init?(_ context: TLSContext, of owner: AnyObject, over descriptor: Int32) {
        ERR_clear_error()
        guard let ssl = unsafe SSL_new(context.handle) else { return nil }
        unsafe self.ssl = ssl
        self.owner = owner
        guard let bio = unsafe SocketBIO.make(descriptor) else { return nil }
        unsafe SSL_set_bio(ssl, bio, bio)
    }

    deinit { unsafe SSL_free(ssl) }

    /// `.moved` when it is done.
    func handshake() -> Transfer {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 { return .moved(0) }
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
    /// - Parameter start: the place of the first byte that may be written to.
    func read(into room: inout MutableSpan<UInt8>, from start: Int) -> Transfer {
        guard !isBroken else { return .failed(.lost) }
        precondition(start >= 0 && start <= room.count)
        ERR_clear_error()
        var count = 0
        let result = unsafe room.withUnsafeMutableBytes {
            unsafe SSL_read_ex(ssl, $0.baseAddress.map { unsafe $0 + start }, $0.count - start, &count)
        }
        return result == 1 ? .moved(count) : outcome(of: result)
    }

    /// Tells the peer that nothing more comes, if the socket takes that at once.
    func finish() {
        guard !isBroken, unsafe SSL_is_init_finished(ssl) == 1 else { return }
        ERR_clear_error()
        unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// What a later session with the same server can begin with.
    func resumption(at now: Int64) -> TLSResumption? {
        guard !isBroken, let session = unsafe SSL_get1_session(ssl) else { return nil }
        return unsafe TLSResumption(owning: session, since: now)
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
