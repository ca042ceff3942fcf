import COpenSSL

/// Keys for one purpose each, out of one secret: HKDF with SHA-256 (RFC 5869), by OpenSSL.
package enum KeyDerivation {
    /// - Parameters:
    ///   - purpose: what the key is for; other purposes get other keys, of which none tells anything about another.
    ///   - count: bytes, at most 255 × 32.
    package static func key(_ count: Int, from secret: Secret, for purpose: StaticString) throws(CryptoError) -> Secret
    {
        // Unsafe: OpenSSL copies the secret and the purpose within the calls, and writes no more than `length` bytes.
        guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else {
            throw .unavailable("EVP_PKEY_CTX_new_id")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key = [UInt8](repeating: 0, count: count)
        var length = count
        let isDerived = unsafe secret.withBytes { input in
            unsafe EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
                && EVP_PKEY_CTX_set1_hkdf_key(
                    context, input.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: input.count)) == 1
                && EVP_PKEY_CTX_add1_hkdf_info(context, purpose.utf8Start, Int32(clamping: purpose.utf8CodeUnitCount))
                    == 1
                && EVP_PKEY_derive(context, &key, &length) == 1
        }
        defer { unsafe OPENSSL_cleanse(&key, key.count) }
        guard isDerived, length == count else { throw .unavailable("EVP_PKEY_derive") }
        return Secret(key)
    }
}
