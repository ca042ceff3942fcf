import Bytes
import COpenSSL

/// An RSA key pair of 2048 bits that signs for this process alone: it is made at random and kept nowhere.
@safe package final class RSAKeyPair: @unchecked Sendable {
    // Unsafe: an EVP_PKEY of OpenSSL's, freed by deinit; never written after init, so sharing it between threads is safe. What is
    // signed is lent for the call.
    private let key: OpaquePointer
    /// `-----BEGIN PUBLIC KEY-----` and so on (RFC 7468 section 13).
    package let publicPEM: [UInt8]

    package init() throws(CryptoError) {
        let name: StaticString = "RSA"
        // Unsafe: a literal is immortal.
        let pointer = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, pointer, nil) else {
            throw .unavailable("EVP_PKEY_CTX_new_from_name")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
            unsafe EVP_PKEY_generate(context, &made) == 1, let key = unsafe made
        else { throw .unavailable("EVP_PKEY_generate") }
        unsafe self.key = key
        do throws(CryptoError) { publicPEM = unsafe try RSAKeyPair.pem(key) } catch {
            unsafe EVP_PKEY_free(key)
            throw error
        }
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// The signature of a message (RFC 8017 section 8.2, RSASSA-PKCS1-v1_5): 256 bytes.
    package func sign(_ message: Span<UInt8>, _ algorithm: DigestAlgorithm) throws(CryptoError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .unavailable("EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit(context, nil, algorithm.implementation, nil, key) == 1 else {
            throw .unavailable("EVP_DigestSignInit")
        }
        var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key)))
        var count = signature.count
        let isSigned = unsafe message.withUnsafeBytes { message in
            unsafe EVP_DigestSign(
                context, &signature, &count, message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1
        }
        guard isSigned, count == signature.count else { throw .unavailable("EVP_DigestSign") }
        return signature
    }

    /// The public half as a text, in lines of 64 characters.
    private static func pem(_ key: OpaquePointer) throws(CryptoError) -> [UInt8] {
        let length = unsafe i2d_PUBKEY(key, nil)
        guard length > 0 else { throw .unavailable("i2d_PUBKEY") }
        var bytes = [UInt8](repeating: 0, count: Int(length))
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var end = bytes.baseAddress
            _ = unsafe i2d_PUBKEY(key, &end)
        }
        var text = Array("-----BEGIN PUBLIC KEY-----\n".utf8)
        let base64 = Base64.standard.encode(bytes)
        for start in stride(from: 0, to: base64.count, by: 64) {
            text += base64[start..<min(start + 64, base64.count)] + [UInt8(ascii: "\n")]
        }
        return text + Array("-----END PUBLIC KEY-----\n".utf8)
    }
}
