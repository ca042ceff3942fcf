import COpenSSL

/// The public half of an RSA key: it tells whether the other half has signed something.
package final class RSAPublicKey: @unchecked Sendable {
    // Never written after init, and only read by OpenSSL, so sharing it between threads is safe.
    private let key: OpaquePointer

    /// - Parameter pem: a text with `-----BEGIN PUBLIC KEY-----` in it. Nil comes back if there is no RSA key there.
    package init?(pem: Span<UInt8>) {
        defer { ERR_clear_error() }
        let input = pem.withUnsafeBytes { BIO_new_mem_buf($0.baseAddress, Int32(clamping: $0.count)) }
        defer { BIO_free(input) }
        // OpenSSL would ask a terminal for the password of an encrypted key.
        guard pem.count > 0, let key = PEM_read_bio_PUBKEY(input, nil, { _, _, _, _ in -1 }, nil) else { return nil }
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
            EVP_PKEY_free(key)
            return nil
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether a signature is this key's (RFC 8017 section 8.2, RSASSA-PKCS1-v1_5).
    package func verifies(_ signature: RSASignature) throws(CryptoError) -> Bool {
        guard let context = EVP_PKEY_CTX_new(key, nil) else { throw .unavailable("EVP_PKEY_CTX_new") }
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_PKEY_verify_init(context) == 1, EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1,
            EVP_PKEY_CTX_set_signature_md(context, signature.algorithm.implementation) == 1
        else { throw .unavailable("EVP_PKEY_verify_init") }
        return signature.bytes.withUnsafeBufferPointer { bytes in
            signature.digest.bytes.withUnsafeBufferPointer { digest in
                EVP_PKEY_verify(context, bytes.baseAddress, bytes.count, digest.baseAddress, digest.count) == 1
            }
        }
    }
}
