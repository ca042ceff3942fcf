import COpenSSL

/// A certificate that OpenSSL has read; freed when the last holder lets go.
@safe package final class Certificate: @unchecked Sendable {
    // Unsafe: an X509 of OpenSSL's, which counts references to it atomically and locks what it caches in it.
    package let handle: OpaquePointer

    /// Takes the handle over.
    init(owning handle: OpaquePointer) { unsafe self.handle = unsafe handle }

    deinit { unsafe X509_free(handle) }

    /// Unix seconds of the moment at which it ends.
    var end: Int64 { unsafe CertificateTime.unixSeconds(X509_get0_notAfter(handle)) ?? .min }

    /// SHA-256 of it in DER.
    var digest: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: DigestAlgorithm.sha256.length)
        unsafe X509_digest(handle, DigestAlgorithm.sha256.implementation, &bytes, nil)
        return bytes
    }
}
