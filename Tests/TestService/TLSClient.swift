import COpenSSL
import Foundation
import TestPeers

/// A blocking client that speaks TLS, and may show a certificate of its own.
final class TLSClient: Client {
    private let context: OpaquePointer
    private let ssl: OpaquePointer

    /// - Parameter certificate: nil to show none.
    init(_ port: UInt16, showing certificate: ClientCertificates.Pair?) throws {
        let authority = try ClientCertificates.shared.get().authority
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
            throw Program.Failure(description: "no memory for TLS")
        }
        self.context = context
        self.ssl = ssl
        try super.init(port)
        SSL_CTX_load_verify_file(context, authority)
        SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
        SSL_set1_host(ssl, "localhost")
        if let certificate {
            SSL_use_certificate_chain_file(ssl, certificate.chain)
            SSL_use_PrivateKey_file(ssl, certificate.key, SSL_FILETYPE_PEM)
        }
        SSL_set_fd(ssl, descriptor)
        guard SSL_connect(ssl) == 1 else { throw Program.Failure(description: "the handshake failed") }
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    override func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        Int(SSL_write(ssl, bytes.baseAddress, Int32(bytes.count)))
    }

    override func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        Int(SSL_read(ssl, buffer.baseAddress, Int32(buffer.count)))
    }
}

extension Service {
    /// - Parameter certificate: what the client shows by TLS, if anything.
    func connect(showing certificate: ClientCertificates.Pair?) throws -> Client {
        guard isInProcess else { return try TLSClient(port, showing: certificate) }
        return try connect(showing: certificate?.chain)
    }
}
