import COpenSSL

/// The public half of a pair that signs tokens: RSA of 2048 to 8192 bits, P-256 or Ed25519.
@safe package final class PublicKey: @unchecked Sendable {
    // Unsafe: an EVP_PKEY of OpenSSL's, freed by deinit; never written after init, so sharing it between threads is safe. What
    // it is made of is lent for the calls that copy it, and freed where it is made.
    let key: OpaquePointer
    package let kind: SignatureAlgorithm.KeyKind

    /// Why something is no key to verify with.
    package enum Fault: Error, Sendable {
        /// There is none there, or none of a kind that is known.
        case unreadable
        /// It is shorter or longer than is taken.
        case size
        /// Its numbers are none of such a key.
        case invalid
    }

    private static let rsaBits: ClosedRange<Int32> = 2048...8192

    /// Takes the key over: it is released with this one, or at once where it will not do.
    private init(_ key: OpaquePointer?) throws(Fault) {
        guard let key = unsafe key else { throw .unreadable }
        do throws(Fault) { kind = unsafe try PublicKey.kind(of: key) } catch {
            unsafe EVP_PKEY_free(key)
            throw error
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    private static func kind(of key: OpaquePointer) throws(Fault) -> SignatureAlgorithm.KeyKind {
        switch unsafe EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA:
            guard unsafe rsaBits.contains(EVP_PKEY_get_bits(key)) else { throw .size }
            guard unsafe isSound(key) else { throw .invalid }
            return .rsa
        case EVP_PKEY_EC:
            guard unsafe isP256(key) else { throw .unreadable }
            guard unsafe isSound(key) else { throw .invalid }
            return .p256
        case EVP_PKEY_ED25519: return .ed25519
        default: throw .unreadable
        }
    }

    private static func isSound(_ key: OpaquePointer) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe EVP_PKEY_public_check(context) == 1
    }

    private static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 32)
        return unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 && strcmp(name, Name.p256.pointer) == 0
    }

    /// The key in DER (RFC 5280 section 4.1.2.7).
    func encoded() throws(CryptoError) -> [UInt8] {
        let length = unsafe i2d_PUBKEY(key, nil)
        guard length > 0 else { throw .unavailable("i2d_PUBKEY") }
        var bytes = [UInt8](repeating: 0, count: Int(length))
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var end = bytes.baseAddress
            _ = unsafe i2d_PUBKEY(key, &end)
        }
        return bytes
    }

    // MARK: Where keys come from

    /// - Parameter pem: a text with `-----BEGIN PUBLIC KEY-----` in it (RFC 7468 section 13).
    package convenience init(pem: Span<UInt8>) throws(Fault) {
        defer { ERR_clear_error() }
        unsafe try self.init(PEM.publicKey(pem))
    }

    /// - Parameters:
    ///   - modulus: the number `n`, most significant byte first (RFC 7518 section 6.3.1).
    ///   - exponent: the number `e`, likewise.
    package convenience init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(Fault) {
        defer { ERR_clear_error() }
        // Before OpenSSL calculates with them; its own check admits no even exponent, and not 1.
        guard modulus.count <= Int(PublicKey.rsaBits.upperBound) / 8 + 1, (1...8).contains(exponent.count) else {
            throw .size
        }
        let (n, e) = unsafe (
            BN_bin2bn(modulus, Int32(modulus.count), nil), BN_bin2bn(exponent, Int32(exponent.count), nil)
        )
        defer {
            unsafe BN_free(n)
            unsafe BN_free(e)
        }
        unsafe try self.init(
            PublicKey.make(Name.rsa) { parameters in
                unsafe OSSL_PARAM_BLD_push_BN(parameters, Name.modulus.pointer, n) == 1
                    && OSSL_PARAM_BLD_push_BN(parameters, Name.exponent.pointer, e) == 1
            })
    }

    /// - Parameters:
    ///   - x: 32 bytes, as is `y`: a point on P-256 (RFC 7518 section 6.2.1).
    package convenience init(p256X x: [UInt8], y: [UInt8]) throws(Fault) {
        defer { ERR_clear_error() }
        guard x.count == 32, y.count == 32 else { throw .size }
        // SEC 1 section 2.3.3: an uncompressed point.
        let point = [0x04] + x + y
        let key = unsafe point.withUnsafeBytes { point in
            unsafe PublicKey.make(Name.ec) { parameters in
                unsafe OSSL_PARAM_BLD_push_utf8_string(parameters, Name.group.pointer, Name.p256.pointer, 0) == 1
                    && OSSL_PARAM_BLD_push_octet_string(
                        parameters, Name.point.pointer, point.baseAddress, point.count) == 1
            }
        }
        guard unsafe key != nil else { throw .invalid }
        unsafe try self.init(key)
    }

    /// - Parameter x: 32 bytes (RFC 8037 section 2).
    package convenience init(ed25519 x: [UInt8]) throws(Fault) {
        defer { ERR_clear_error() }
        guard x.count == 32 else { throw .size }
        unsafe try self.init(EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count))
    }

    /// Names of OpenSSL's (EVP_PKEY-RSA(7), EVP_PKEY-EC(7)). Its builder of parameters and its contexts keep the pointers, so
    /// they are literals'.
    private enum Name {
        static let rsa: StaticString = "RSA"
        static let ec: StaticString = "EC"
        static let modulus: StaticString = "n"
        static let exponent: StaticString = "e"
        static let group: StaticString = "group"
        static let p256: StaticString = "prime256v1"
        static let point: StaticString = "pub"
    }

    /// - Parameter fill: puts the key's numbers into a `OSSL_PARAM_BLD`; what it points to must outlive this call.
    private static func make(_ type: StaticString, _ fill: (OpaquePointer) -> Bool) -> OpaquePointer? {
        guard let builder = unsafe OSSL_PARAM_BLD_new() else { return nil }
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        guard unsafe fill(builder), let parameters = unsafe OSSL_PARAM_BLD_to_param(builder) else { return nil }
        defer { unsafe OSSL_PARAM_free(parameters) }
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type.pointer, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, cs_public_key_selection, parameters) == 1
        else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        return unsafe key
    }
}

extension StaticString {
    // Unsafe: a literal is immortal.
    /// Its characters, and the zero behind them.
    fileprivate var pointer: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
