import Bytes
import COpenSSL
import Crypto

/// What a server shows to its clients: certificates, each for some of its names; and whose certificates it takes from them.
/// It never changes; another may take its place in the running server.
///
/// TLS 1.2 and 1.3 as Mozilla's intermediate profile has them, less all that is no ECDHE. Sessions are resumed by tickets, which
/// nobody has to remember; their keys are the identity's own, made at random, and end with it.
package final class TLSIdentity: Sendable {
    package struct Entry: Sendable {
        /// Host names; a star may stand for the whole first label.
        package let names: [[UInt8]]
        package let certificate: ServerCertificate

        package init(names: [[UInt8]], certificate: ServerCertificate) {
            self.names = names
            self.certificate = certificate
        }
    }

    /// Why it could not be made.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The context of the first certificate, which sessions begin with: an SSL_CTX.
    nonisolated(unsafe) let context: OpaquePointer
    // OpenSSL counts references to contexts atomically, and they are not changed after `init`.
    private nonisolated(unsafe) let contexts: [OpaquePointer]
    /// By names in lower case; those with a star begin with its dot.
    private let places: [[UInt8]: Int]

    private static let ciphers =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
        + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
    private static let groups = "X25519:P-256:P-384"
    /// Seconds for which a session can be resumed.
    private static let ticketLifetime = 3600

    /// - Parameters:
    ///   - entries: at least one; the first is shown to who calls no name, or one that no entry has.
    ///   - authorities: of clients' certificates. A client may show none; one that shows another is refused.
    package init(_ entries: [Entry], acceptingFrom authorities: ClientAuthorities? = nil) throws(Failure) {
        var contexts: [OpaquePointer] = []
        var places: [[UInt8]: Int] = [:]
        do throws(Failure) {
            for (index, entry) in entries.enumerated() {
                contexts.append(try TLSIdentity.context(entry.certificate))
                if let authorities { TLSIdentity.accept(authorities, in: contexts[index]) }
                for name in entry.names { places[TLSIdentity.key(of: name[...]), default: index] = index }
            }
            guard let first = contexts.first else { throw Failure(description: "TLS needs a certificate") }
            context = first
        } catch {
            for context in contexts { SSL_CTX_free(context) }
            throw error
        }
        self.contexts = contexts
        self.places = places
        cs_ssl_context_on_server_name(
            context,
            { ssl, _, identity in
                if let ssl, let identity {
                    Unmanaged<TLSIdentity>.fromOpaque(identity).takeUnretainedValue().show(ssl)
                }
                return SSL_TLSEXT_ERR_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { for context in contexts { SSL_CTX_free(context) } }

    /// Shows the certificate of the name that the client calls.
    private func show(_ ssl: OpaquePointer) {
        guard contexts.count > 1, let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name),
            let place = place(of: Array(String(cString: name).utf8))
        else { return }
        SSL_set_SSL_CTX(ssl, contexts[place])
    }

    /// The entry that has `name`, or else the one that has it with a star for its first label; nil when none has.
    func place(of name: [UInt8]) -> Int? {
        let key = TLSIdentity.key(of: name[...])
        if let place = places[key] { return place }
        guard let dot = key.firstIndex(of: UInt8(ascii: ".")), dot > 0 else { return nil }
        return places[Array(key[dot...])]
    }

    /// A name as it is looked up: in lower case, without the root's dot, and without a star.
    private static func key(of name: ArraySlice<UInt8>) -> [UInt8] {
        var name = name
        if name.starts(with: "*.".utf8) { name = name.dropFirst() }
        if name.count > 1, name.last == UInt8(ascii: ".") { name = name.dropLast() }
        return name.map(\.lowercasedASCII)
    }

    private static func accept(_ authorities: ClientAuthorities, in context: OpaquePointer) {
        cs_ssl_context_ask_for_certificates(context, authorities.store) { isGood, verification in
            guard isGood == 1, X509_STORE_CTX_get_error_depth(verification) == 0 else { return isGood }
            // OpenSSL is content with a certificate that does not say what it is for (R9).
            let usage = X509_get_extended_key_usage(X509_STORE_CTX_get_current_cert(verification))
            guard usage == .max || usage & UInt32(XKU_SSL_CLIENT) == 0 else { return 1 }
            X509_STORE_CTX_set_error(verification, X509_V_ERR_INVALID_PURPOSE)
            return 0
        }
        for authority in authorities.authorities { SSL_CTX_add_client_CA(context, authority) }
        // OpenSSL wants one where sessions hold certificates.
        let name = Array("countersign".utf8)
        SSL_CTX_set_session_id_context(context, name, UInt32(name.count))
    }

    private static func context(_ certificate: ServerCertificate) throws(Failure) -> OpaquePointer {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = SSL_CTX_new(TLS_server_method()) else {
            throw Failure(description: "TLS cannot be used: OpenSSL gave no context")
        }
        SSL_CTX_set_security_level(context, 2)
        guard cs_ssl_context_set_min_version(context, TLS1_2_VERSION) == 1,
            SSL_CTX_set_cipher_list(context, ciphers) == 1, cs_ssl_context_set_groups(context, groups) == 1
        else {
            SSL_CTX_free(context)
            throw Failure(description: "TLS cannot be used: OpenSSL's own configuration forbids TLS 1.2 and later")
        }
        guard SSL_CTX_use_certificate(context, certificate.leaf) == 1,
            SSL_CTX_use_PrivateKey(context, certificate.key) == 1,
            certificate.issuers.allSatisfy({ cs_ssl_context_add_chain_certificate(context, $0) == 1 })
        else {
            let reason = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) } ?? "no reason given"
            SSL_CTX_free(context)
            throw Failure(description: "OpenSSL does not accept a certificate: \(reason)")
        }
        cs_ssl_context_set_server_options(context)
        cs_ssl_context_set_modes(context)
        cs_ssl_context_disable_session_cache(context)
        SSL_CTX_set_timeout(context, ticketLifetime)
        SSL_CTX_set_num_tickets(context, 1)
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, length, offered, count, _ in
                ALPN.choose(chosen, length, UnsafeBufferPointer(start: offered, count: Int(count)))
            }, nil)
        return context
    }
}
