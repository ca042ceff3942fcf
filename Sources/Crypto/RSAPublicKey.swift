import COpenSSL

/// The public half of an RSA key: it tells whether the other half has signed something.
@safe package final class RSAPublicKey: @unchecked Sendable {
    // Unsafe: an EVP_PKEY of OpenSSL's, freed by deinit; never written after init, so sharing it between threads is safe. What is
    // verified is lent for the call.
    private let key: OpaquePointer

    /// The most bits of a key: it is fetched, so its publisher decides how long a verification takes.
    package static let mostBits = 4096

    /// - Parameter pem: a text with `-----BEGIN PUBLIC KEY-----` in it. Nil comes back if there is no RSA key there, or a larger one.
    package init?(pem: Span<UInt8>) {
        defer { ERR_clear_error() }
        guard let key = unsafe PEM.publicKey(pem) else { return nil }
        guard unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA, unsafe EVP_PKEY_get_bits(key) <= RSAPublicKey.mostBits
        else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// Whether a signature is this key's (RFC 8017 section 8.2, RSASSA-PKCS1-v1_5).
    package func verifies(_ signature: RSASignature) throws(CryptoError) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else { throw .unavailable("EVP_PKEY_CTX_new") }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        guard unsafe EVP_PKEY_verify_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, signature.algorithm.implementation) == 1
        else { throw .unavailable("EVP_PKEY_verify_init") }
        return unsafe signature.bytes.withUnsafeBufferPointer { bytes in
            unsafe signature.digest.bytes.withUnsafeBufferPointer { digest in
                unsafe EVP_PKEY_verify(context, bytes.baseAddress, bytes.count, digest.baseAddress, digest.count) == 1
            }
        }
    }
}
