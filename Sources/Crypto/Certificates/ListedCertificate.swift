import COpenSSL

/// A certificate as the lists of its issuer name it: by its serial number (RFC 5280 section 5.1).
struct ListedCertificate {
    /// SHA-256 of the authority that has issued it, in DER. Authorities whose key was changed have one name.
    let issuer: [UInt8]
    /// An INTEGER in DER.
    let serial: [UInt8]

    // Unsafe: what OpenSSL lends of a certificate is copied at once.

    /// - Parameters:
    ///   - certificate: an X509 of OpenSSL's.
    ///   - issuer: the authority that has issued it.
    init?(_ certificate: OpaquePointer, of issuer: Certificate) {
        guard let number = unsafe X509_get0_serialNumber(certificate) else { return nil }
        self.issuer = issuer.digest
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
}
