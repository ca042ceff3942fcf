import Bytes
import COpenSSL
import Crypto

/// A key pair, or a secret, made for a test: it signs as issuers of tokens do, and shows its public half in the forms that
/// services are given.
package final class TestKey: @unchecked Sendable {
    package let algorithm: SignatureAlgorithm
    /// For HMAC.
    package let secret: [UInt8]
    private let key: OpaquePointer?

    /// One of each, made once: RSA takes a while.
    package static let shared: [SignatureAlgorithm: TestKey] = Dictionary(
        uniqueKeysWithValues: SignatureAlgorithm.allCases.map { ($0, TestKey($0)) })

    /// - Parameter size: bits of RSA; the shared secret's bytes.
    package init(_ algorithm: SignatureAlgorithm, size: Int? = nil, curve: String = "P-256") {
        self.algorithm = algorithm
        secret = (0..<(size ?? 40)).map { _ in .random(in: 0x21...0x7E) }
        key =
            switch algorithm.keyKind {
            case .secret: nil
            case .rsa: TestKey.make("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(size ?? 2048)) }
            case .p256: TestKey.make("EC") { EVP_PKEY_CTX_set_group_name($0, curve) }
            case .ed25519: TestKey.make(curve == "P-256" ? "ED25519" : curve) { _ in 1 }
            }
    }

    /// One who signs with a secret that is known.
    package init(_ algorithm: SignatureAlgorithm, secret: [UInt8]) {
        self.algorithm = algorithm
        self.secret = secret
        key = nil
    }

    deinit { EVP_PKEY_free(key) }

    private static func make(_ type: String, _ set: (OpaquePointer?) -> Int32) -> OpaquePointer? {
        let context = EVP_PKEY_CTX_new_from_name(nil, type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        precondition(EVP_PKEY_keygen_init(context) == 1 && set(context) == 1 && EVP_PKEY_generate(context, &key) == 1)
        return key
    }

    // MARK: Signing

    /// - Parameter other: another algorithm that the key can sign with.
    package func sign(_ message: [UInt8], by other: SignatureAlgorithm? = nil) -> [UInt8] {
        switch other ?? algorithm {
        case .hs256:
            var code = [UInt8](repeating: 0, count: 32)
            HMAC(EVP_sha256(), secret, Int32(secret.count), message, message.count, &code, nil)
            return code
        case .rs256: return sign(message, EVP_sha256()) { _ in }
        case .ps256:
            return sign(message, EVP_sha256()) {
                EVP_PKEY_CTX_set_rsa_padding($0, RSA_PKCS1_PSS_PADDING)
                EVP_PKEY_CTX_set_rsa_pss_saltlen($0, RSA_PSS_SALTLEN_DIGEST)
            }
        case .es256: return TestKey.unpack(sign(message, EVP_sha256()) { _ in })
        case .eddsa: return sign(message, nil) { _ in }
        }
    }

    private func sign(_ message: [UInt8], _ digest: OpaquePointer?, _ set: (OpaquePointer?) -> Void) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        var signature = [UInt8](repeating: 0, count: 2048)
        var length = signature.count
        precondition(EVP_DigestSignInit(context, &keyContext, digest, nil, key) == 1)
        set(keyContext)
        precondition(EVP_DigestSign(context, &signature, &length, message, message.count) == 1)
        return Array(signature.prefix(length))
    }

    /// `r` and `s` of an ECDSA signature in DER, 32 bytes each.
    private static func unpack(_ signature: [UInt8]) -> [UInt8] {
        var raw = [UInt8](repeating: 0, count: 64)
        signature.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            let pair = d2i_ECDSA_SIG(nil, &start, bytes.count)
            defer { ECDSA_SIG_free(pair) }
            raw.withUnsafeMutableBufferPointer { room in
                _ = BN_bn2binpad(ECDSA_SIG_get0_r(pair), room.baseAddress, 32)
                _ = BN_bn2binpad(ECDSA_SIG_get0_s(pair), room.baseAddress.map { $0 + 32 }, 32)
            }
        }
        return raw
    }

    // MARK: The public half

    package var pem: String {
        let output = BIO_new(BIO_s_mem())
        defer { BIO_free(output) }
        PEM_write_bio_PUBKEY(output, key)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = BIO_read(output, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(count))).text
    }

    /// The numbers of the public half: `n` and `e`, `x` and `y`, or `x`.
    package var numbers: [[UInt8]] {
        switch algorithm.keyKind {
        case .secret: return []
        case .rsa: return [number(OSSL_PKEY_PARAM_RSA_N), number(OSSL_PKEY_PARAM_RSA_E)]
        case .p256:
            var point = [UInt8](repeating: 0, count: 256)
            var length = 0
            EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &length)
            let half = (length - 1) / 2
            return [Array(point[1...half]), Array(point[(half + 1)..<length])]
        case .ed25519:
            var bytes = [UInt8](repeating: 0, count: 64)
            var length = bytes.count
            EVP_PKEY_get_raw_public_key(key, &bytes, &length)
            return [Array(bytes.prefix(length))]
        }
    }

    private func number(_ name: String) -> [UInt8] {
        var number: OpaquePointer?
        EVP_PKEY_get_bn_param(key, name, &number)
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    /// The public half as a JWK (RFC 7517), with these members besides.
    package func jwk(_ members: String = "") -> String {
        let texts = numbers.map(TestKey.base64)
        let own =
            switch algorithm.keyKind {
            case .secret: "\"kty\":\"oct\",\"k\":\"\(TestKey.base64(secret))\""
            case .rsa: "\"kty\":\"RSA\",\"n\":\"\(texts[0])\",\"e\":\"\(texts[1])\""
            case .p256: "\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(texts[0])\",\"y\":\"\(texts[1])\""
            case .ed25519: "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(texts[0])\""
            }
        return "{\(members.isEmpty ? "" : members + ",")\(own)}"
    }

    // MARK: Tokens

    /// base64url without padding (RFC 7515 section 2).
    package static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64.urlSafe.encode(bytes)
        return Array(text.prefix { $0 != UInt8(ascii: "=") }).text
    }

    /// A token of this header and these claims, signed whatever they are.
    package func token(header: String? = nil, claims: String) -> String {
        token(header: Array((header ?? "{\"alg\":\"\(algorithm.rawValue)\"}").utf8), claims: Array(claims.utf8))
    }

    package func token(header: [UInt8], claims: [UInt8], by other: SignatureAlgorithm? = nil) -> String {
        sealed(TestKey.base64(header) + "." + TestKey.base64(claims), by: other)
    }

    /// A token of what is signed, and the signature.
    package func sealed(_ text: String, by other: SignatureAlgorithm? = nil) -> String {
        text + "." + TestKey.base64(sign(Array(text.utf8), by: other))
    }
}
