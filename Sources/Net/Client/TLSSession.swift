import COpenSSL

/// The TLS of one connection to another server: from the handshake to the close.
final class TLSSession {
    private let ssl: OpaquePointer
    /// After a failure OpenSSL wants nothing more to be done with it.
    private var isBroken = false

    /// - Parameters:
    ///   - descriptor: a connected socket; stays the caller's, and must outlive this.
    ///   - resumption: what an earlier session with the same origin left.
    /// - Returns: nil when OpenSSL has no memory for it, or cannot check the host.
    init?(_ origin: Origin, _ trust: TLSTrust, _ descriptor: Int32, resuming resumption: TLSResumption?) {
        ERR_clear_error()
        guard let ssl = SSL_new(trust.context) else { return nil }
        self.ssl = ssl
        guard let bio = SocketBIO.make(descriptor) else { return nil }
        SSL_set_bio(ssl, bio, bio)
        if origin.address != nil {
            guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), origin.host) == 1 else { return nil }
        } else {
            // RFC 9525: a name stands among the alternative names, and a star for a whole label.
            let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
            SSL_set_hostflags(ssl, UInt32(flags))
            guard SSL_set1_host(ssl, origin.host) == 1, cs_ssl_set_server_name(ssl, origin.host) == 1 else {
                return nil
            }
        }
        if let resumption { SSL_set_session(ssl, resumption.session) }
        SSL_set_connect_state(ssl)
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

    /// What a later session with the same origin can begin with.
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

/// What a TLS session leaves for the next one with the same origin, which then needs no certificate and less work. The
/// certificate was verified when it was made, so that it must not become old.
final class TLSResumption {
    fileprivate let session: OpaquePointer
    private let since: Int64

    private static let longest: Int64 = 600_000

    fileprivate init(owning session: OpaquePointer, since: Int64) {
        self.session = session
        self.since = since
    }

    deinit { SSL_SESSION_free(session) }

    func isUsable(at now: Int64) -> Bool {
        now - since < TLSResumption.longest && SSL_SESSION_is_resumable(session) == 1
    }
}
