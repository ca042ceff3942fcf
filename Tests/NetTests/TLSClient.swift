import COpenSSL
import TestPeers

@testable import Net

/// A blocking client that speaks TLS. Its records pass through memory, so that tests can do to them what they like.
final class TLSClient: Client {
    /// What it says when it begins.
    struct Offer {
        var versions = TLS1_2_VERSION...TLS1_3_VERSION
        var name: String? = "localhost"
        /// By ALPN.
        var protocols: [String] = []
        /// Those of TLS 1.2.
        var ciphers: String?
        var groups: String?
        var session: TLSResumption?
        var certificate: ClientCertificates.Pair?
    }

    /// In OpenSSL's words.
    struct Refused: Error, Equatable { let reason: String }

    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let input = BIO_new(BIO_s_mem())
    private let output = BIO_new(BIO_s_mem())
    /// Whether every byte of a record is sent by itself.
    var drips = false

    init(
        to port: UInt16, _ offer: Offer = Offer(), drips: Bool = false, holdsLittle: Bool = false,
        shakesHands: Bool = true
    ) throws {
        let authority = try ClientCertificates.shared.get().authority
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
            throw Refused(reason: "no memory")
        }
        self.context = context
        self.ssl = ssl
        self.drips = drips
        try super.init(unconnectedHoldingLittle: holdsLittle)
        SSL_set_bio(ssl, input, output)
        SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
        SSL_set_security_level(ssl, 0)
        SSL_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(offer.versions.lowerBound), nil)
        SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(offer.versions.upperBound), nil)
        SSL_CTX_load_verify_file(context, authority)
        if let name = offer.name {
            cs_ssl_set_server_name(ssl, name)
            SSL_set1_host(ssl, name)
        }
        if !offer.protocols.isEmpty {
            let list = offer.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            SSL_set_alpn_protos(ssl, list, UInt32(list.count))
        }
        if let ciphers = offer.ciphers, SSL_set_cipher_list(ssl, ciphers) != 1 {
            throw Refused(reason: "no such cipher")
        }
        if var groups = offer.groups.map({ $0 + "\0" }) {
            _ = groups.withUTF8 {
                SSL_ctrl(ssl, SSL_CTRL_SET_GROUPS_LIST, 0, UnsafeMutableRawPointer(mutating: $0.baseAddress))
            }
        }
        if let session = offer.session { SSL_set_session(ssl, session.session) }
        if let certificate = offer.certificate {
            SSL_use_certificate_chain_file(ssl, certificate.chain)
            SSL_use_PrivateKey_file(ssl, certificate.key, SSL_FILETYPE_PEM)
        }
        SSL_set_connect_state(ssl)
        try connect(to: port)
        if shakesHands { try handshake() }
    }

    deinit {
        // OpenSSL thinks little of sessions that ended without.
        SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN)
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    // MARK: What came of the handshake

    var version: Int32 { SSL_version(ssl) }
    var isResumed: Bool { SSL_session_reused(ssl) == 1 }
    var cipher: String { String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))) }

    /// What was agreed on by ALPN; empty for nothing.
    var agreed: String {
        var (name, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        SSL_get0_alpn_selected(ssl, &name, &count)
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// What a later connection can begin with; with TLS 1.3 only when something has been read.
    var session: TLSResumption? { SSL_get1_session(ssl).map { TLSResumption(owning: $0, since: 0) } }

    /// Whether the server showed a certificate that is good for `name`.
    func isShown(_ name: String) -> Bool {
        guard let certificate = SSL_get0_peer_certificate(ssl) else { return false }
        return X509_check_host(certificate, name, 0, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT), nil) == 1
    }

    // MARK: Bytes

    func handshake() throws { _ = try perform { SSL_do_handshake(ssl) } }

    override func write(_ bytes: [UInt8]) throws {
        // As many records as OpenSSL makes of it.
        _ = try perform { SSL_write(ssl, bytes, Int32(bytes.count)) }
    }

    override func read(atMost limit: Int = 65536) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = try perform { SSL_read(ssl, &buffer, Int32(limit)) }
        return count == 0 ? nil : Array(buffer[..<count])
    }

    /// Says farewell, as TLS wants it.
    func sayFarewell() throws {
        SSL_shutdown(ssl)
        try flush()
    }

    /// Asks for another name than the offer's; a certificate for any name will do.
    func call(_ name: String, trustingAnybody: Bool) {
        cs_ssl_set_server_name(ssl, name)
        if trustingAnybody { SSL_set1_host(ssl, nil) }
    }

    /// The first record of a handshake, which the test sends as it likes.
    func clientHello() -> [UInt8] {
        SSL_do_handshake(ssl)
        return takeOutput()
    }

    /// The records of some bytes, which the test sends as it likes.
    func records(of text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        SSL_write(ssl, bytes, Int32(bytes.count))
        return takeOutput()
    }

    /// A message of TLS 1.3 that says that the next ones are under new keys, and asks for nothing.
    func newKeys() -> [UInt8] {
        SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED)
        SSL_do_handshake(ssl)
        return takeOutput()
    }

    /// The first of the records of a new handshake of TLS 1.2: too little for its first message.
    func beginningOfRenegotiation() -> [UInt8] {
        // Half a kilobyte is the least; with such a name and all ciphers the message is longer.
        SSL_ctrl(ssl, SSL_CTRL_SET_MAX_SEND_FRAGMENT, 512, nil)
        cs_ssl_set_server_name(ssl, String(repeating: "n", count: 250))
        SSL_set_cipher_list(ssl, "ALL:@SECLEVEL=0")
        SSL_renegotiate(ssl)
        SSL_do_handshake(ssl)
        let records = takeOutput()
        guard records.count > 5 else { return [] }
        let length = 5 + Int(records[3]) << 8 + Int(records[4])
        return length < records.count ? Array(records[..<length]) : []
    }

    func writeRaw(_ bytes: [UInt8]) throws { try super.write(bytes) }
    func readRaw() throws -> [UInt8]? { try super.read() }

    /// Asks the server for a new handshake of TLS 1.2, or for new keys of 1.3.
    func renegotiate() throws {
        if version == TLS1_3_VERSION {
            SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
        } else {
            SSL_renegotiate(ssl)
        }
        _ = try perform { SSL_do_handshake(ssl) }
    }

    /// - Returns: 0 when the server has said farewell.
    private func perform(_ call: () -> Int32) throws -> Int {
        while true {
            ERR_clear_error()
            let result = call()
            let error = SSL_get_error(ssl, result)
            let reason = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) }
            try flush()
            if result > 0 { return Int(result) }
            switch error {
            case SSL_ERROR_ZERO_RETURN: return 0
            case SSL_ERROR_WANT_READ:
                guard let more = try super.read() else { throw Refused(reason: "end of stream") }
                BIO_write(input, more, Int32(more.count))
            default: throw Refused(reason: reason ?? "?")
            }
        }
    }

    private func flush() throws {
        let bytes = takeOutput()
        guard drips else { return bytes.isEmpty ? () : try super.write(bytes) }
        for byte in bytes { try super.write([byte]) }
    }

    private func takeOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
        let count = bytes.isEmpty ? 0 : BIO_read(output, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(max(0, Int(count))))
    }
}
