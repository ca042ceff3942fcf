import COpenSSL

extension TLSSession {
    /// The server's side.
    /// - Parameter descriptor: a connected socket; stays the caller's, and must outlive this.
    /// - Returns: nil when OpenSSL has no memory for it.
    convenience init?(_ identity: TLSIdentity, _ descriptor: Int32) {
        self.init(identity.context, of: identity, over: descriptor)
        SSL_set_accept_state(ssl)
    }
}
