import COpenSSL

/// A certificate that OpenSSL has read; freed when the last holder lets go.
@safe package final class Certificate: @unchecked Sendable {
    // Unsafe: an X509 of OpenSSL's, which counts references to it atomically and locks what it caches in it.
    package let handle: OpaquePointer

    /// Takes the handle over.
    init(owning handle: OpaquePointer) { unsafe self.handle = unsafe handle }

    deinit { unsafe X509_free(handle) }
}
