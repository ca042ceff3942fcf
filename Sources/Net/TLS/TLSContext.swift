import COpenSSL

/// What the TLS sessions of one side begin with; freed when neither its holder nor a session needs it.
@safe final class TLSContext: @unchecked Sendable {
    // Unsafe: an SSL_CTX of OpenSSL's, which counts references to it atomically; it is not changed once it is shared.
    let handle: OpaquePointer

    /// - Parameter method: OpenSSL's, such as `TLS_server_method()`. Nil comes back where OpenSSL has no memory.
    init?(_ method: OpaquePointer?) {
        guard let handle = unsafe SSL_CTX_new(method) else { return nil }
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe SSL_CTX_free(handle) }
}
