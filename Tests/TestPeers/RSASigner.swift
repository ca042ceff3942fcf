import COpenSSL

/// An RSA key pair of a vendor, made by OpenSSL, that signs as the vendor does.
package final class RSASigner: @unchecked Sendable {
    // Never written after init, and only read by OpenSSL.
    private let key: OpaquePointer
    /// The public half.
    package let publicPEM: String

    struct Failure: Error { let call: String }

    package init(bits: Int32 = 2048) throws {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) == 1,
            EVP_PKEY_generate(context, &made) == 1, let made
        else { throw Failure(call: "EVP_PKEY_generate") }
        key = made
        let out = BIO_new(BIO_s_mem())
        defer { BIO_free(out) }
        var text = [UInt8](repeating: 0, count: 4096)
        guard PEM_write_bio_PUBKEY(out, made) == 1, case let count = BIO_read(out, &text, 4096), count > 0 else {
            throw Failure(call: "PEM_write_bio_PUBKEY")
        }
        publicPEM = String(decoding: text[..<Int(count)], as: UTF8.self)
    }

    deinit { EVP_PKEY_free(key) }

    /// RSASSA-PKCS1-v1_5.
    package func sign(_ text: String, by algorithm: String = "MD5") throws -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        let message = Array(text.utf8)
        var signature = [UInt8](repeating: 0, count: 1024)
        var count = signature.count
        guard EVP_DigestSignInit(context, nil, EVP_get_digestbyname(algorithm), nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw Failure(call: "EVP_DigestSign") }
        return Array(signature[..<count])
    }
}
