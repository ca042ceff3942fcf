import COpenSSL

/// What a TLS session leaves for the next one with the same origin, which then needs no certificate and less work. The
/// certificate was verified when the first of them was made, so that it must not become old, however often it is resumed.
@safe final class TLSResumption {
    // Unsafe: an SSL_SESSION of OpenSSL's, freed by deinit; a loop's own.
    let session: OpaquePointer
    /// When the certificate was verified; monotonic milliseconds.
    let since: Int64

    private static let longest: Int64 = 600_000

    init(owning session: OpaquePointer, since: Int64) {
        unsafe self.session = session
        self.since = since
    }

    deinit { unsafe SSL_SESSION_free(session) }

    func isUsable(at now: Int64) -> Bool {
        unsafe now - since < TLSResumption.longest && SSL_SESSION_is_resumable(session) == 1
    }
}
