import COpenSSL

/// Whose certificates a server accepts from clients: authorities, and the lists of what they have revoked.
package final class ClientAuthorities: @unchecked Sendable {
    /// What is wrong, in words that follow the name of the file.
    package enum Fault: Error, Equatable {
        case authorities(String), revocations(String)
    }

    // Never written after init, and OpenSSL counts references atomically.
    /// An X509_STORE.
    package let store: OpaquePointer
    /// X509
    package let authorities: [OpaquePointer]
    /// Unix seconds of the moment at which a list of revocations is too old, so that no certificate is accepted; nil without lists.
    package let revocationsEnd: Int64?

    /// - Parameters:
    ///   - authorities: certificates in PEM: roots, or those between with their roots.
    ///   - revocations: lists (CRL) in PEM, one of each authority; nil to accept whatever has not ended.
    package init(_ authorities: [UInt8], revocations: [UInt8]?) throws(Fault) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let certificates = authorities.withUnsafeBytes({ PEM.certificates($0) }) else {
            throw .authorities("holds a broken certificate")
        }
        guard !certificates.isEmpty, let store = X509_STORE_new() else {
            throw .authorities("holds no certificate in PEM (-----BEGIN CERTIFICATE-----)")
        }
        self.authorities = certificates
        self.store = store
        var lists: [OpaquePointer]? = []
        if let revocations { lists = revocations.withUnsafeBytes { PEM.revocations($0) } }
        defer { for list in lists ?? [] { X509_CRL_free(list) } }
        revocationsEnd = lists?.map { CertificateTime.unixSeconds(X509_CRL_get0_nextUpdate($0)) ?? .min }.min()
        for certificate in certificates {
            guard X509_check_ca(certificate) != 0, X509_STORE_add_cert(store, certificate) == 1 else {
                throw .authorities("holds a certificate that is none of an authority")
            }
        }
        guard revocations != nil else { return }
        guard let lists, !lists.isEmpty else {
            throw .revocations("holds no list of revocations in PEM (-----BEGIN X509 CRL-----), or a broken one")
        }
        for list in lists { X509_STORE_add_crl(store, list) }
        for (index, certificate) in certificates.enumerated()
        where !lists.contains(where: { ClientAuthorities.isList($0, of: certificate) }) {
            throw .revocations("holds no list that certificate \(index + 1) of the authorities has signed")
        }
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
    }

    deinit {
        X509_STORE_free(store)
        for certificate in authorities { X509_free(certificate) }
    }

    private static func isList(_ list: OpaquePointer, of authority: OpaquePointer) -> Bool {
        X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_subject_name(authority)) == 0
            && X509_CRL_verify(list, X509_get0_pubkey(authority)) == 1
    }
}
