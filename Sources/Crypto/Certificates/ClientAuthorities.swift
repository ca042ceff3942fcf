import COpenSSL

/// Whose certificates a server accepts from clients: authorities, and the lists of what they have revoked.
@safe package final class ClientAuthorities: @unchecked Sendable {
    /// What is wrong, in words that follow the name of the file.
    package enum Fault: Error, Equatable {
        case authorities(String), revocations(String)
    }

    // Unsafe: an X509_STORE of OpenSSL's, never written after init; it counts references to it atomically.
    package let store: OpaquePointer
    package let authorities: [Certificate]
    /// Unix seconds of the moment at which a list of revocations is too old, so that no certificate is accepted; nil without lists.
    package let revocationsEnd: Int64?

    /// - Parameters:
    ///   - authorities: certificates in PEM: roots, or those between with their roots.
    ///   - revocations: lists (CRL) in PEM, one of each authority; nil to accept whatever has not ended.
    package init(_ authorities: [UInt8], revocations: [UInt8]?) throws(Fault) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let certificates = PEM.certificates(authorities.span) else {
            throw .authorities("holds a broken certificate")
        }
        guard !certificates.isEmpty, let store = unsafe X509_STORE_new() else {
            throw .authorities("holds no certificate in PEM (-----BEGIN CERTIFICATE-----)")
        }
        self.authorities = certificates
        unsafe self.store = unsafe store
        let lists = revocations.flatMap { PEM.revocations($0.span) }
        revocationsEnd = lists?.map(\.end).min()
        for certificate in certificates {
            guard unsafe X509_check_ca(certificate.handle) != 0,
                unsafe X509_STORE_add_cert(store, certificate.handle) == 1
            else {
                throw .authorities("holds a certificate that is none of an authority")
            }
        }
        guard revocations != nil else { return }
        guard let lists, !lists.isEmpty else {
            throw .revocations("holds no list of revocations in PEM (-----BEGIN X509 CRL-----), or a broken one")
        }
        for list in lists { unsafe X509_STORE_add_crl(store, list.handle) }
        for (index, certificate) in certificates.enumerated()
        where !lists.contains(where: { $0.isSigned(by: certificate) }) {
            throw .revocations("holds no list that certificate \(index + 1) of the authorities has signed")
        }
        unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
    }

    deinit { unsafe X509_STORE_free(store) }
}
