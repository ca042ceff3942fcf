import Bytes
import COpenSSL
import Crypto
import HTTP

extension TLSSession {
    // Unsafe: what OpenSSL lends of its session is copied at once; what it gives is freed where it is got.

    /// The server's side.
    /// - Parameter descriptor: a connected socket; stays the caller's, and must outlive this.
    /// - Returns: nil when OpenSSL has no memory for it.
    convenience init?(_ identity: TLSIdentity, _ descriptor: Int32, _ limits: Limits) {
        self.init(identity.context, of: identity, over: descriptor, wasting: limits.tlsMessages)
        unsafe SSL_set_accept_state(ssl)
    }

    /// What the client has shown in the handshake, or in the one that this resumes; nil when it has shown nothing.
    var clientCertificate: ClientCertificate? {
        guard let certificate = unsafe SSL_get0_peer_certificate(ssl), unsafe SSL_get_verify_result(ssl) == X509_V_OK
        else {
            return nil
        }
        // A session is resumed without a look at the lists and at the authorities.
        let authorities = (owner as? TLSIdentity)?.authorities
        let ends = unsafe [TLSSession.end(of: certificate), authorities?.authoritiesEnd(above: certificate) ?? 0]
        return unsafe ClientCertificate(
            names: TLSSession.alternativeNames(of: certificate),
            notAfter: (ends + verifiedChainEnds).min() ?? 0,
            checkedUntil: authorities?.revocationsEnd(for: certificate) ?? 0,
            proof: authorities?.proof(of: certificate) ?? [])
    }

    /// When the certificates end that were verified, also those between that the client has shown; none for a resumed session.
    private var verifiedChainEnds: [Int64] {
        guard let chain = unsafe SSL_get0_verified_chain(ssl) else { return [] }
        return (0..<(unsafe cs_x509_count(chain))).compactMap { index in
            unsafe cs_x509_at(chain, index).map { unsafe TLSSession.end(of: $0) }
        }
    }

    private static func end(of certificate: OpaquePointer) -> Int64 {
        unsafe CertificateTime.unixSeconds(X509_get0_notAfter(certificate)) ?? 0
    }

    static func alternativeNames(of certificate: OpaquePointer) -> [AlternativeName] {
        guard let list = unsafe cs_x509_alternative_names(certificate) else { return [] }
        defer { unsafe cs_general_names_free(list) }
        return unsafe (0..<cs_general_names_count(list)).compactMap { index in
            var (bytes, count): (UnsafePointer<UInt8>?, Int32) = (nil, 0)
            let kind: AlternativeName.Kind
            switch unsafe cs_general_name(list, index, &bytes, &count) {
            case GEN_DNS: kind = .dns
            case GEN_URI: kind = .uri
            case GEN_EMAIL: kind = .email
            default: return nil
            }
            return unsafe AlternativeName(kind, Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
        }
    }
}
