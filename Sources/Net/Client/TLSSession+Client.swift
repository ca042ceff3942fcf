import COpenSSL

extension TLSSession {
    // Unsafe: OpenSSL copies the names, and counts its references to what it keeps.

    /// The client's side, whatever the server's name is.
    convenience init?(_ trust: TLSTrust, _ descriptor: Int32) {
        self.init(trust.context, of: trust, over: descriptor, wasting: 128 * 1024)
        unsafe SSL_set_connect_state(ssl)
    }

    /// The client's side.
    /// - Parameters:
    ///   - descriptor: a connected socket; stays the caller's, and must outlive this.
    ///   - resumption: what an earlier session with the same origin left.
    ///   - now: monotonic milliseconds.
    /// - Returns: nil when OpenSSL has no memory for it, or cannot check the host.
    convenience init?(
        _ origin: Origin, _ trust: TLSTrust, _ descriptor: Int32, resuming resumption: TLSResumption?,
        at now: Int64
    ) {
        self.init(trust, descriptor)
        if origin.address != nil {
            guard unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), origin.host) == 1 else { return nil }
        } else {
            // RFC 9525: a name stands among the alternative names, and a star for a whole label.
            let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
            unsafe SSL_set_hostflags(ssl, UInt32(flags))
            guard unsafe SSL_set1_host(ssl, origin.host) == 1, unsafe cs_ssl_set_server_name(ssl, origin.host) == 1
            else {
                return nil
            }
        }
        times = (now, resumption?.since)
        if let resumption { unsafe SSL_set_session(ssl, resumption.session) }
    }
}
