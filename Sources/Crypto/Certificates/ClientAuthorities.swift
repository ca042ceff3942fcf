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
    private let lists: [RevocationList]
    /// For each of the authorities Unix seconds of the moment at which its lists are too old, so that none of its certificates is
    /// accepted; without lists, and where one does not say when that will be, a moment that never comes.
    private let listEnds: [Int64]

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
        self.lists = lists ?? []
        listEnds = certificates.map { authority in
            lists?.filter { $0.isSigned(by: authority) }.map { $0.end ?? .max }.max() ?? .max
        }
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

    /// The first of the moments at which the lists of an authority are too old; nil when there is none.
    package var revocationsEnd: Int64? { listEnds.min().flatMap { $0 == .max ? nil : $0 } }

    /// The same for the authorities above one certificate, an X509 of OpenSSL's; a moment that never comes where no list has an end.
    package func revocationsEnd(for leaf: OpaquePointer) -> Int64 {
        if lists.isEmpty { return .max }
        var (end, certificate) = unsafe (Int64.max, leaf)
        // No way up is longer; a root is its own issuer.
        for _ in authorities {
            let newest = lists.filter { unsafe $0.isOfIssuer(of: certificate) }.map { $0.end ?? .max }.max()
            end = min(end, newest ?? .min)
            let issuer = authorities.first { unsafe X509_check_issued($0.handle, certificate) == X509_V_OK }
            // Who is above one that the client itself has shown, is not known here.
            guard let issuer else { return min(end, revocationsEnd ?? .max) }
            unsafe certificate = issuer.handle
        }
        return end
    }

    /// Whether both accept the same certificates: they are of the same authorities, and have the same lists.
    package func accepts(theSameAs other: ClientAuthorities) -> Bool {
        authorities.count == other.authorities.count && lists.count == other.lists.count
            && zip(authorities, other.authorities).allSatisfy { unsafe X509_cmp($0.handle, $1.handle) == 0 }
            && zip(lists, other.lists).allSatisfy { $0.isSame(as: $1) }
    }
}
