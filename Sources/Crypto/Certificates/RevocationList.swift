import COpenSSL

/// A list of revoked certificates (CRL) that OpenSSL has read; freed when the last holder lets go.
@safe final class RevocationList {
    // Unsafe: an X509_CRL of OpenSSL's, held by nobody else.
    let handle: OpaquePointer

    /// Takes the handle over.
    init(owning handle: OpaquePointer) { unsafe self.handle = unsafe handle }

    deinit { unsafe X509_CRL_free(handle) }

    /// Unix seconds of the moment at which it is too old.
    var end: Int64 { unsafe CertificateTime.unixSeconds(X509_CRL_get0_nextUpdate(handle)) ?? .min }

    func isSigned(by authority: Certificate) -> Bool {
        unsafe X509_NAME_cmp(X509_CRL_get_issuer(handle), X509_get_subject_name(authority.handle)) == 0
            && X509_CRL_verify(handle, X509_get0_pubkey(authority.handle)) == 1
    }
}
