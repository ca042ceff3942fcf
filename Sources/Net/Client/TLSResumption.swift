import COpenSSL

/// What a TLS session leaves for the next one with the same origin, which then needs no certificate and less work. The
/// certificate was verified when it was made, so that it must not become old.
final class TLSResumption {
    let session: OpaquePointer
    private let since: Int64

    private static let longest: Int64 = 600_000

    init(owning session: OpaquePointer, since: Int64) {
        self.session = session
        self.since = since
    }

    deinit { SSL_SESSION_free(session) }

    func isUsable(at now: Int64) -> Bool {
        now - since < TLSResumption.longest && SSL_SESSION_is_resumable(session) == 1
    }
}
