import COpenSSL

/// What is wrong with the other side's certificate or TLS, in words that are ours or OpenSSL's, never the peer's.
package enum TLSFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The certificate is good, but for another host.
    case hostMismatch
    case expired
    case notYetValid
    /// No chain leads to an authority that is trusted.
    case unknownAuthority
    /// Any other reason to reject the certificate, in OpenSSL's words.
    case certificate(reason: String)
    /// It speaks TLS, but neither 1.2 nor 1.3.
    case version
    /// It does not speak TLS at all.
    case notTLS
    /// Anything else, in OpenSSL's words.
    case failed(reason: String)

    package var description: String {
        switch self {
        case .hostMismatch: "the certificate is for another host"
        case .expired: "the certificate has expired"
        case .notYetValid: "the certificate is not valid yet"
        case .unknownAuthority: "the certificate was not issued by an authority that is trusted"
        case .certificate(let reason): "the certificate is not acceptable: \(reason)"
        case .version: "the other side speaks neither TLS 1.2 nor TLS 1.3"
        case .notTLS: "the other side does not speak TLS"
        case .failed(let reason): "TLS failed: \(reason)"
        }
    }

    // Unsafe: OpenSSL's words are literals of its own.

    /// - Parameter result: what `SSL_get_verify_result` gave; not `X509_V_OK`.
    init(verification result: Int) {
        self =
            switch Int32(truncatingIfNeeded: result) {
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .hostMismatch
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
                X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
                .unknownAuthority
            default: unsafe .certificate(reason: String(cString: X509_verify_cert_error_string(result)))
            }
    }

    /// - Parameter code: of OpenSSL's error queue.
    init(error code: UInt) {
        switch Int32(truncatingIfNeeded: ERR_GET_REASON(code)) {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_VERSION_TOO_LOW: self = .version
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG,
            SSL_R_BAD_RECORD_TYPE:
            self = .notTLS
        default:
            let reason = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
            self = .failed(reason: reason ?? "for no reason that it gave")
        }
    }
}
