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

    /// Whether `signature` is this key's over `message` (RFC 8017 section 8.2, RSASSA-PKCS1-v1_5).
    package func verifies(
        _ signature: Span<UInt8>, over message: Span<UInt8>, _ algorithm: DigestAlgorithm
    ) throws(CryptoError) -> Bool {
        guard let context = EVP_MD_CTX_new() else { throw .unavailable("EVP_MD_CTX_new") }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, algorithm.implementation, nil, key) == 1 else {
            throw .unavailable("EVP_DigestVerifyInit")
        }
        return signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
                    message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1
            }
        }
    }
}
