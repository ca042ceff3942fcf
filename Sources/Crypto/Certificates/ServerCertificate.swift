import COpenSSL

/// A certificate, the chain from it to its authority, and its key: what a TLS server shows. The key is never printed, and wiped
/// when the last holder lets go.
@safe package final class ServerCertificate: @unchecked Sendable {
    /// What is wrong, in words that follow the name of the file.
    package enum Fault: Error, Equatable {
        case chain(String), key(String)
        /// The key is not that of the certificate.
        case mismatch
    }

    /// The server's own.
    package let leaf: Certificate
    /// Those behind it.
    package let issuers: [Certificate]
    // Unsafe: an EVP_PKEY of OpenSSL's, never written after init; it counts references to it atomically.
    package let key: OpaquePointer
    /// Unix seconds of the first and the last moment at which clients accept it.
    package let validity: (from: Int64, until: Int64)

    /// Bits of security that keys and digests must have: those of RSA with 2048 bits.
    private static let leastStrength: Int32 = 112

    /// - Parameters:
    ///   - chain: certificates in PEM, the server's own first, each signed by the one behind it; the root may be left out.
    ///   - key: in PEM, not encrypted.
    package init(chain: Span<UInt8>, key: Secret) throws(Fault) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let certificates = PEM.certificates(chain) else {
            throw .chain("holds a broken certificate")
        }
        guard let leaf = certificates.first else {
            throw .chain("holds no certificate in PEM (-----BEGIN CERTIFICATE-----)")
        }
        guard let secret = unsafe key.withBytes({ unsafe PEM.privateKey($0.bindMemory(to: UInt8.self).span) }) else {
            throw .key("holds no private key in PEM, or one that is broken or encrypted")
        }
        self.leaf = leaf
        unsafe self.key = unsafe secret
        issuers = Array(certificates.dropFirst())
        validity = unsafe (
            CertificateTime.unixSeconds(X509_get0_notBefore(leaf.handle)) ?? .max, leaf.end
        )
        for (index, pair) in zip(certificates, issuers).enumerated()
        where unsafe X509_check_issued(pair.1.handle, pair.0.handle) != X509_V_OK {
            throw .chain(
                "must hold the server's certificate first, each followed by its issuer's; "
                    + "certificate \(index + 2) did not issue certificate \(index + 1)")
        }
        guard unsafe X509_check_purpose(leaf.handle, X509_PURPOSE_SSL_SERVER, 0) == 1 else {
            throw .chain("begins with a certificate that is not for servers")
        }
        for (index, certificate) in certificates.enumerated() where !ServerCertificate.isStrong(certificate) {
            throw .chain(
                "holds certificate \(index + 1), whose key or signature is too weak; "
                    + "RSA needs 2048 bits, an elliptic curve 224, and the digest must be of SHA-2")
        }
        guard unsafe X509_check_private_key(leaf.handle, secret) == 1 else {
            throw .mismatch
        }
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// A root's signature of itself says nothing, whatever it is worth.
    private static func isStrong(_ certificate: Certificate) -> Bool {
        var strength: Int32 = 0
        let isSigned = unsafe X509_get_signature_info(certificate.handle, nil, nil, &strength, nil) == 1
        let isRoot = unsafe X509_get_extension_flags(certificate.handle) & UInt32(EXFLAG_SS) != 0
        return unsafe EVP_PKEY_get_security_bits(X509_get0_pubkey(certificate.handle)) >= leastStrength
            && (isRoot || isSigned && strength >= leastStrength)
    }

    /// Whether clients that call the server by `name`, a host name or a star instead of its first label, accept it (RFC 9525).
    package func covers(_ name: [UInt8]) -> Bool {
        let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
        return unsafe name.withUnsafeBytes { name in
            let name = unsafe name.bindMemory(to: CChar.self)
            return unsafe !name.isEmpty
                && X509_check_host(leaf.handle, name.baseAddress, name.count, UInt32(flags), nil) == 1
        }
    }
}
