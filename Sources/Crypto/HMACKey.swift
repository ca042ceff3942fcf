import COpenSSL

/// A key made ready to sign (HMAC, RFC 2104): the digest states after the inner and the outer padded key block.
///
/// Preparing costs two digest blocks once; each signature copies the states and never touches the key again. One object
/// belongs to one event loop. The states forge signatures as well as the key does, hence the empty mirror.
@safe package final class HMACKey {
    private let algorithm: DigestAlgorithm
    // Unsafe: contexts of OpenSSL's (EVP_MD_CTX), held by nobody else and freed by deinit; what they read and write is lent for
    // the call, and no code is longer than the 32 bytes of a Digest.
    private let inner: OpaquePointer
    private let outer: OpaquePointer
    private let working: OpaquePointer

    /// - Parameters:
    ///   - prefix: what a protocol puts before every secret, such as OSS's `aliyun_v4`.
    ///   - suffix: what it appends, such as the `&` of Alibaba's RPC signature.
    package init(
        _ algorithm: DigestAlgorithm, prefix: [UInt8] = [], _ secret: Secret, suffix: [UInt8] = []
    ) throws(CryptoError) {
        self.algorithm = algorithm
        let contexts = unsafe [EVP_MD_CTX_new(), EVP_MD_CTX_new(), EVP_MD_CTX_new()]
        guard let inner = unsafe contexts[0], let outer = unsafe contexts[1], let working = unsafe contexts[2] else {
            unsafe contexts.forEach { unsafe EVP_MD_CTX_free($0) }
            throw .unavailable("EVP_MD_CTX_new")
        }
        unsafe (self.inner, self.outer, self.working) = (inner, outer, working)
        let length = algorithm.blockLength
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
        defer {
            unsafe OPENSSL_cleanse(block.baseAddress, length)
            unsafe block.deallocate()
        }
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0)
        let isFilled = unsafe secret.withBytes { key in
            let end = prefix.count + key.count
            guard end + suffix.count > length else {
                unsafe block.copyBytes(from: prefix)
                unsafe UnsafeMutableRawBufferPointer(rebasing: block[prefix.count...]).copyMemory(from: key)
                unsafe UnsafeMutableRawBufferPointer(rebasing: block[end...]).copyBytes(from: suffix)
                return true
            }
            return unsafe EVP_DigestInit_ex(working, algorithm.implementation, nil) == 1
                && EVP_DigestUpdate(working, prefix, prefix.count) == 1
                && EVP_DigestUpdate(working, key.baseAddress, key.count) == 1
                && EVP_DigestUpdate(working, suffix, suffix.count) == 1
                && EVP_DigestFinal_ex(working, block.baseAddress, nil) == 1
        }
        guard isFilled else { throw .unavailable("EVP_DigestFinal_ex") }
        for index in 0..<length { unsafe block[index] ^= 0x36 }
        unsafe try HMACKey.prepare(inner, algorithm, block)
        for index in 0..<length { unsafe block[index] ^= 0x36 ^ 0x5C }
        unsafe try HMACKey.prepare(outer, algorithm, block)
    }

    deinit {
        unsafe EVP_MD_CTX_free(inner)
        unsafe EVP_MD_CTX_free(outer)
        unsafe EVP_MD_CTX_free(working)
    }

    /// Bytes of an authentication code.
    package var codeLength: Int { algorithm.length }

    /// The authentication code of `message`.
    package func sign(_ message: Span<UInt8>) throws(CryptoError) -> Digest {
        var code = Digest(count: algorithm.length)
        let done = unsafe message.withUnsafeBytes { input in
            var span = code.storage.mutableSpan
            return unsafe span.withUnsafeMutableBufferPointer { output in
                unsafe EVP_MD_CTX_copy_ex(working, inner) == 1
                    && EVP_DigestUpdate(working, input.baseAddress, input.count) == 1
                    && EVP_DigestFinal_ex(working, output.baseAddress, nil) == 1
                    && EVP_MD_CTX_copy_ex(working, outer) == 1
                    && EVP_DigestUpdate(working, output.baseAddress, algorithm.length) == 1
                    && EVP_DigestFinal_ex(working, output.baseAddress, nil) == 1
            }
        }
        guard done else { throw .unavailable("EVP_DigestFinal_ex") }
        return code
    }

    /// The key that is the authentication code of `message`, for protocols that derive their keys.
    package func derived(by message: Span<UInt8>) throws(CryptoError) -> HMACKey {
        let code = try sign(message)
        return try HMACKey(algorithm, Secret(code.bytes))
    }

    private static func prepare(
        _ context: OpaquePointer, _ algorithm: DigestAlgorithm, _ block: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard unsafe EVP_DigestInit_ex(context, algorithm.implementation, nil) == 1,
            unsafe EVP_DigestUpdate(context, block.baseAddress, block.count) == 1
        else { throw .unavailable("EVP_DigestInit_ex") }
    }
}

extension HMACKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<key>" }
    package var debugDescription: String { "<key>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
