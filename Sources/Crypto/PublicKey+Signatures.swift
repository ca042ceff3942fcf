import COpenSSL

extension PublicKey {
    // Unsafe: OpenSSL only reads the key; its contexts are freed where they are made, and all bytes are lent for the call.

    /// Whether `signature` is of the other half over `message`; never where the key is of another kind than the algorithm's.
    func verifies(
        _ signature: Span<UInt8>, over message: Span<UInt8>, by algorithm: SignatureAlgorithm
    ) throws(CryptoError) -> Bool {
        guard algorithm.keyKind == kind else { return false }
        defer { ERR_clear_error() }
        switch algorithm {
        case .hs256: return false
        case .rs256, .ps256:
            // A shorter text would be taken for a smaller number (RFC 8017 sections 8.1.2 and 8.2.2).
            guard unsafe signature.count == Int(EVP_PKEY_get_size(key)) else { return false }
            return try check(signature, over: message, DigestAlgorithm.sha256, isPSS: algorithm == .ps256)
        case .es256:
            guard let encoded = PublicKey.encode(signature) else { return false }
            return try check(encoded.span, over: message, DigestAlgorithm.sha256)
        case .eddsa: return try check(signature, over: message, nil)
        }
    }

    private func check(
        _ signature: Span<UInt8>, over message: Span<UInt8>, _ digest: DigestAlgorithm?, isPSS: Bool = false
    ) throws(CryptoError) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .unavailable("EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        // Belongs to the context above.
        var keyContext: OpaquePointer?
        guard unsafe EVP_DigestVerifyInit(context, &keyContext, digest?.implementation, nil, key) == 1 else {
            throw .unavailable("EVP_DigestVerifyInit")
        }
        if isPSS {
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_DIGEST) == 1
            else { throw .unavailable("EVP_PKEY_CTX_set_rsa_padding") }
        }
        return unsafe signature.withUnsafeBytes { signature in
            unsafe message.withUnsafeBytes { message in
                unsafe EVP_DigestVerify(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
                    message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1
            }
        }
    }

    /// The DER that OpenSSL reads, of the 64 bytes of RFC 7518 section 3.4; nil where there are not as many.
    private static func encode(_ signature: Span<UInt8>) -> [UInt8]? {
        guard signature.count == 64, let pair = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(pair) }
        let isSet = unsafe signature.withUnsafeBufferPointer { bytes in
            let (r, s) = unsafe (
                BN_bin2bn(bytes.baseAddress, 32, nil), BN_bin2bn(bytes.baseAddress.map { unsafe $0 + 32 }, 32, nil)
            )
            // The pair owns them from now on.
            if unsafe ECDSA_SIG_set0(pair, r, s) == 1 { return true }
            unsafe BN_free(r)
            unsafe BN_free(s)
            return false
        }
        guard isSet else { return nil }
        let length = unsafe i2d_ECDSA_SIG(pair, nil)
        guard length > 0 else { return nil }
        var encoded = [UInt8](repeating: 0, count: Int(length))
        return unsafe encoded.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            return unsafe i2d_ECDSA_SIG(pair, &end) == length
        } ? encoded : nil
    }
}
