import COpenSSL

/// A list of revoked certificates (CRL) that OpenSSL has read; freed when the last holder lets go.
@safe final class RevocationList {
    // Unsafe: an X509_CRL of OpenSSL's, held by nobody else.
    let handle: OpaquePointer

    /// Takes the handle over.
    init(owning handle: OpaquePointer) { unsafe self.handle = unsafe handle }

    deinit { unsafe X509_CRL_free(handle) }

    /// Unix seconds of the moment at which it is too old; nil when it names none (RFC 5280 section 5.1.2.5 wants one).
    var end: Int64? {
        guard let next = unsafe X509_CRL_get0_nextUpdate(handle) else { return nil }
        return unsafe CertificateTime.unixSeconds(next) ?? .min
    }

    /// Whether it is by the name that has issued a certificate, an X509 of OpenSSL's.
    func isOfIssuer(of certificate: OpaquePointer) -> Bool {
        unsafe X509_NAME_cmp(X509_CRL_get_issuer(handle), X509_get_issuer_name(certificate)) == 0
    }

    /// Whether it has a certificate of its issuer's, or one that cannot be read.
    func has(_ certificate: ListedCertificate) -> Bool {
        unsafe certificate.serial.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let number = unsafe d2i_ASN1_INTEGER(nil, &start, bytes.count) else { return true }
            defer { unsafe ASN1_INTEGER_free(number) }
            var entry: OpaquePointer?
            // 2: it was on hold, and is not any more.
            return unsafe X509_CRL_get0_by_serial(handle, &entry, number) == 1
        }
    }

    /// SHA-256 of it in DER.
    var digest: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: DigestAlgorithm.sha256.length)
        unsafe X509_CRL_digest(handle, DigestAlgorithm.sha256.implementation, &bytes, nil)
        return bytes
    }

    func isSigned(by authority: Certificate) -> Bool {
        unsafe X509_NAME_cmp(X509_CRL_get_issuer(handle), X509_get_subject_name(authority.handle)) == 0
            && X509_CRL_verify(handle, X509_get0_pubkey(authority.handle)) == 1
    }
}
