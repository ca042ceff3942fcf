import COpenSSL

extension PublicKey {
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
            guard signature.count == Int(EVP_PKEY_get_size(key)) else { return false }
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
        guard let context = EVP_MD_CTX_new() else { throw .unavailable("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        // Belongs to the context above.
        var keyContext: OpaquePointer?
        guard EVP_DigestVerifyInit(context, &keyContext, digest?.implementation, nil, key) == 1 else {
            throw .unavailable("EVP_DigestVerifyInit")
        }
        if isPSS {
            guard EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_DIGEST) == 1
            else { throw .unavailable("EVP_PKEY_CTX_set_rsa_padding") }
        }
        return signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
                    message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1
            }
        }
    }

    /// The DER that OpenSSL reads, of the 64 bytes of RFC 7518 section 3.4; nil where there are not as many.
    private static func encode(_ signature: Span<UInt8>) -> [UInt8]? {
        guard signature.count == 64, let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let isSet = signature.withUnsafeBufferPointer { bytes in
            let (r, s) = (BN_bin2bn(bytes.baseAddress, 32, nil), BN_bin2bn(bytes.baseAddress.map { $0 + 32 }, 32, nil))
            // The pair owns them from now on.
            if ECDSA_SIG_set0(pair, r, s) == 1 { return true }
            BN_free(r)
            BN_free(s)
            return false
        }
        guard isSet else { return nil }
        let length = i2d_ECDSA_SIG(pair, nil)
        guard length > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            var end = buffer.baseAddress
            count = max(0, Int(i2d_ECDSA_SIG(pair, &end)))
        }
    }
}
