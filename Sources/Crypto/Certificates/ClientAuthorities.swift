import Bytes
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
    /// For each of the authorities the lists that it has signed.
    private let listsOfAuthority: [[RevocationList]]
    /// For each of the authorities Unix seconds of the moment at which its lists are too old, so that none of its certificates is
    /// accepted; without lists, and where one does not say when that will be, a moment that never comes.
    private let listEnds: [Int64]
    /// For each of the authorities Unix seconds of the moment at which it ends itself, and none of its certificates is accepted.
    private let ends: [Int64]
    /// SHA-256 of the authorities in DER, and of their lists: what tells them from others, whatever else their files hold.
    private let fingerprint, listsFingerprint: [UInt8]

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
        let (digests, listDigests) = (certificates.flatMap(\.digest), self.lists.flatMap(\.digest))
        do throws(CryptoError) {
            fingerprint = try Digest(.sha256, of: digests.span).bytes.array
            listsFingerprint = try Digest(.sha256, of: listDigests.span).bytes.array
        } catch {
            unsafe X509_STORE_free(store)
            throw .authorities("cannot be read now: \(error)")
        }
        listsOfAuthority = certificates.map { authority in (lists ?? []).filter { $0.isSigned(by: authority) } }
        listEnds = listsOfAuthority.map { $0.map { $0.end ?? .max }.max() ?? .max }
        ends = certificates.map(\.end)
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
        if let index = listsOfAuthority.firstIndex(where: \.isEmpty) {
            throw .revocations("holds no list that certificate \(index + 1) of the authorities has signed")
        }
        unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
    }

    deinit { unsafe X509_STORE_free(store) }

    /// The first of the moments at which the lists of an authority are too old; nil when there is none.
    package var revocationsEnd: Int64? { listEnds.min().flatMap { $0 == .max ? nil : $0 } }

    /// The first of the moments at which an authority ends.
    package var authoritiesEnd: Int64 { ends.min() ?? .max }

    /// The first of the moments at which the lists of an authority above one certificate, an X509 of OpenSSL's, are too old; a moment that
    /// never comes where no list has an end.
    package func revocationsEnd(for leaf: OpaquePointer) -> Int64 {
        if lists.isEmpty { return .max }
        let path = unsafe path(above: leaf)
        let end = path.indices.map { listEnds[$0] }.min() ?? .max
        if path.isWhole { return end }
        // Which authorities are above one that the client itself has shown, is not known here.
        let top = unsafe path.indices.last.map { unsafe authorities[$0].handle } ?? leaf
        let newest = lists.filter { unsafe $0.isOfIssuer(of: top) }.map { $0.end ?? .max }.max()
        return min(end, newest ?? .min, revocationsEnd ?? .max)
    }

    /// The first of the moments at which an authority above one certificate, an X509 of OpenSSL's, ends, as far as these know the way up.
    package func authoritiesEnd(above leaf: OpaquePointer) -> Int64 {
        unsafe path(above: leaf).indices.map { ends[$0] }.min() ?? .max
    }

    /// The authorities above a certificate, the nearest first, and whether the last of them is a root.
    private func path(above certificate: OpaquePointer) -> (indices: [Int], isWhole: Bool) {
        var indices: [Int] = []
        var next = unsafe issuer(of: certificate)
        while let index = next, !indices.contains(index) {
            indices.append(index)
            next = unsafe issuer(of: authorities[index].handle)
            if next == index { return (indices, true) }
        }
        return (indices, false)
    }

    /// The authority that has issued a certificate. Where several have its issuer's name, as those have whose key was changed, the
    /// signature tells which.
    private func issuer(of certificate: OpaquePointer) -> Int? {
        let named = authorities.indices.filter {
            unsafe X509_check_issued(authorities[$0].handle, certificate) == X509_V_OK
        }
        guard named.count > 1 else { return named.first }
        defer { ERR_clear_error() }
        return named.first { unsafe X509_verify(certificate, X509_get0_pubkey(authorities[$0].handle)) == 1 }
    }

    /// Whether both accept the same certificates: they are of the same authorities, and have the same lists.
    package func accepts(theSameAs other: ClientAuthorities) -> Bool {
        fingerprint == other.fingerprint && listsFingerprint == other.listsFingerprint
    }
}

extension ClientAuthorities {
    // Unsafe: what OpenSSL lends of a certificate is read or copied at once.

    /// What is kept of a certificate that these have accepted, to ask others later whether they would accept it, too: which
    /// authorities and lists these are, until when all of them are good, and what it is called in a list.
    /// - Parameter leaf: an X509 of OpenSSL's.
    package func proof(of leaf: OpaquePointer) -> [UInt8] {
        var proof = start(until: min(unsafe revocationsEnd(for: leaf), unsafe authoritiesEnd(above: leaf)))
        // Between these and one that the client has shown an authority of, there may be others, which only these lists know.
        guard let issuer = unsafe issuer(of: leaf) else { return proof }
        unsafe ListedCertificate(leaf, of: authorities[issuer])?.append(to: &proof)
        return proof
    }

    /// The same without a certificate: good for as long as authorities and lists stay these, and one of them is good.
    package var proof: [UInt8] { start(until: min(revocationsEnd ?? .max, ends.max() ?? .max)) }

    private func start(until end: Int64) -> [UInt8] {
        fingerprint + listsFingerprint
            + (0..<8).map { UInt8(truncatingIfNeeded: UInt64(bitPattern: end) >> UInt64(56 - 8 * $0)) }
    }

    /// Whether these accept a certificate of which others, or these, have made a proof.
    /// - Parameter now: seconds since 1970.
    package func accept(_ proof: [UInt8], at now: Int64) -> Bool {
        let (authorities, lists) = (fingerprint.count, listsFingerprint.count)
        let start = authorities + lists + 8
        guard proof.count >= start, proof[..<authorities] == fingerprint[...] else { return false }
        if proof[authorities..<authorities + lists] == listsFingerprint[...] {
            let end = proof[authorities + lists..<start].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return now < Int64(bitPattern: end)
        }
        guard let certificate = ListedCertificate(Array(proof[start...])) else { return false }
        return accept(certificate, at: now)
    }

    /// Whether no list has the certificate, or an authority above it, and neither an authority nor its lists have ended.
    private func accept(_ certificate: ListedCertificate, at now: Int64) -> Bool {
        var certificate = certificate
        // No way up is longer.
        for _ in authorities {
            guard let index = authorities.firstIndex(where: { $0.digest == certificate.issuer }), now < ends[index],
                now < listEnds[index], !listsOfAuthority[index].contains(where: { $0.has(certificate) })
            else { return false }
            let authority = authorities[index]
            guard let above = unsafe issuer(of: authority.handle),
                let next = unsafe ListedCertificate(authority.handle, of: authorities[above])
            else { return false }
            // A root is its own issuer.
            if above == index { return true }
            certificate = next
        }
        return false
    }
}
