import COpenSSL

/// What a certificate is called in a list of revocations: by its issuer's name and its serial number (RFC 5280 section 5.1).
struct ListedCertificate {
    /// SHA-256 of the issuer's name in DER.
    let issuer: [UInt8]
    /// An INTEGER in DER.
    let serial: [UInt8]

    // Unsafe: what OpenSSL lends of a certificate is copied at once.

    /// - Parameter certificate: an X509 of OpenSSL's.
    init?(_ certificate: OpaquePointer) {
        guard let issuer = unsafe ListedCertificate.digest(of: X509_get_issuer_name(certificate)),
            let number = unsafe X509_get0_serialNumber(certificate)
        else { return nil }
        self.issuer = issuer
        let length = unsafe i2d_ASN1_INTEGER(number, nil)
        guard length > 0 else { return nil }
        serial = unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
            var end = bytes.baseAddress
            count = Int(unsafe i2d_ASN1_INTEGER(number, &end))
        }
    }

    /// - Parameter bytes: as `append` writes them.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > DigestAlgorithm.sha256.length else { return nil }
        issuer = Array(bytes[..<DigestAlgorithm.sha256.length])
        serial = Array(bytes[DigestAlgorithm.sha256.length...])
    }

    func append(to bytes: inout [UInt8]) { bytes += issuer + serial }

    /// An authority's own name, as the certificates that it has issued have it.
    static func name(of authority: Certificate) -> [UInt8]? {
        unsafe digest(of: X509_get_subject_name(authority.handle))
    }

    static func digest(of name: OpaquePointer?) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: DigestAlgorithm.sha256.length)
        let done = unsafe X509_NAME_digest(name, DigestAlgorithm.sha256.implementation, &bytes, nil)
        return done == 1 ? bytes : nil
    }
}
