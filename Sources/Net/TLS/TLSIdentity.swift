import Bytes
import COpenSSL
import Crypto

/// What a server shows to its clients: certificates, each for some of its names; and whose certificates it takes from them.
/// It never changes; the running server may be given another instead.
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

    /// That of the first certificate, which sessions begin with.
    let context: TLSContext
    /// Whose certificates clients may show; nil when none is asked for.
    let authorities: ClientAuthorities?
    private let contexts: [TLSContext]
    /// By names in lower case; those with a star begin with its dot.
    private let indices: [[UInt8]: Int]

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
        var contexts: [TLSContext] = []
        var indices: [[UInt8]: Int] = [:]
        for (index, entry) in entries.enumerated() {
            let context = try TLSIdentity.context(entry.certificate)
            if let authorities { TLSIdentity.accept(authorities, in: context) }
            for name in entry.names { indices[TLSIdentity.key(of: name[...]), default: index] = index }
            contexts.append(context)
        }
        guard let first = contexts.first else { throw Failure(description: "TLS needs a certificate") }
        context = first
        self.authorities = authorities
        self.contexts = contexts
        self.indices = indices
        // Unsafe: every session holds the identity, and only sessions call this.
        unsafe cs_ssl_context_on_server_name(
            context.handle,
            { ssl, _, identity in
                if let ssl = unsafe ssl, let identity = unsafe identity {
                    unsafe Unmanaged<TLSIdentity>.fromOpaque(identity).takeUnretainedValue().show(ssl)
                }
                return SSL_TLSEXT_ERR_OK
            }, unsafe Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether the certificate of a client that `earlier` has accepted would be accepted now.
    func accepts(clientsOf earlier: TLSIdentity) -> Bool {
        guard let before = earlier.authorities else { return true }
        return authorities.map { $0.accepts(theSameAs: before) } ?? false
    }

    /// Shows the certificate of the name that the client calls.
    private func show(_ ssl: OpaquePointer) {
        guard contexts.count > 1, let name = unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name),
            let index = unsafe index(of: Array(String(cString: name).utf8))
        else { return }
        unsafe SSL_set_SSL_CTX(ssl, contexts[index].handle)
    }

    /// The entry that has `name`, or else the one that has it with a star for its first label; nil when none has.
    func index(of name: [UInt8]) -> Int? {
        let key = TLSIdentity.key(of: name[...])
        if let index = indices[key] { return index }
        guard let dot = key.firstIndex(of: UInt8(ascii: ".")), dot > 0 else { return nil }
        return indices[Array(key[dot...])]
    }

    /// A name as it is looked up: in lower case, without the root's dot, and without a star.
    private static func key(of name: ArraySlice<UInt8>) -> [UInt8] {
        var name = name
        if name.starts(with: "*.".utf8) { name = name.dropFirst() }
        if name.count > 1, name.last == UInt8(ascii: ".") { name = name.dropLast() }
        return name.map(\.lowercasedASCII)
    }

    private static func accept(_ authorities: ClientAuthorities, in context: TLSContext) {
        unsafe cs_ssl_context_ask_for_certificates(context.handle, authorities.store) { isGood, verification in
            guard isGood == 1, unsafe X509_STORE_CTX_get_error_depth(verification) == 0 else { return isGood }
            // OpenSSL is content with a certificate that does not say what it is for (R9).
            let usage = unsafe X509_get_extended_key_usage(X509_STORE_CTX_get_current_cert(verification))
            guard usage == .max || usage & UInt32(XKU_SSL_CLIENT) == 0 else { return 1 }
            unsafe X509_STORE_CTX_set_error(verification, X509_V_ERR_INVALID_PURPOSE)
            return 0
        }
        for authority in authorities.authorities { unsafe SSL_CTX_add_client_CA(context.handle, authority.handle) }
        // OpenSSL wants one where sessions hold certificates.
        let name = Array("countersign".utf8)
        unsafe SSL_CTX_set_session_id_context(context.handle, name, UInt32(name.count))
    }

    private static func context(_ certificate: ServerCertificate) throws(Failure) -> TLSContext {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let made = unsafe TLSContext(TLS_server_method()) else {
            throw Failure(description: "TLS cannot be used: OpenSSL gave no context")
        }
        // Unsafe: nobody else has it yet, and OpenSSL copies what it gets or counts a reference to it.
        let context = unsafe made.handle
        unsafe SSL_CTX_set_security_level(context, 2)
        guard unsafe cs_ssl_context_set_min_version(context, TLS1_2_VERSION) == 1,
            unsafe SSL_CTX_set_cipher_list(context, ciphers) == 1,
            unsafe cs_ssl_context_set_groups(context, groups) == 1
        else {
            throw Failure(description: "TLS cannot be used: OpenSSL's own configuration forbids TLS 1.2 and later")
        }
        guard unsafe SSL_CTX_use_certificate(context, certificate.leaf.handle) == 1,
            unsafe SSL_CTX_use_PrivateKey(context, certificate.key) == 1,
            certificate.issuers.allSatisfy({ unsafe cs_ssl_context_add_chain_certificate(context, $0.handle) == 1 })
        else {
            let reason =
                unsafe ERR_reason_error_string(ERR_peek_error()).map { unsafe String(cString: $0) } ?? "no reason given"
            throw Failure(description: "OpenSSL does not accept a certificate: \(reason)")
        }
        unsafe cs_ssl_context_set_server_options(context)
        unsafe cs_ssl_context_set_modes(context)
        unsafe cs_ssl_context_disable_session_cache(context)
        unsafe SSL_CTX_set_timeout(context, ticketLifetime)
        unsafe SSL_CTX_set_num_tickets(context, 1)
        unsafe SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, length, offered, count, _ in
                unsafe ALPN.choose(chosen, length, UnsafeBufferPointer(start: offered, count: Int(count)))
            }, nil)
        return made
    }
}
