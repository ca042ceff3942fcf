import Bytes
import COpenSSL

/// A key that seals bytes against readers and changes: AES-256-GCM (NIST SP 800-38D) by OpenSSL. From any thread.
package struct SealingKey: Sendable {
    private let key: Secret

    /// Bytes of a nonce, drawn at random for every seal: 2^32 seals by one key are safe.
    private static let nonceLength = 12
    private static let tagLength = 16

    /// Bytes that a seal adds.
    package static let overhead = nonceLength + tagLength

    /// - Parameters:
    ///   - secret: what the key is derived from (HKDF).
    ///   - purpose: what is sealed; another purpose has another key.
    package init(_ secret: Secret, for purpose: StaticString) throws(CryptoError) {
        key = try KeyDerivation.key(32, from: secret, for: purpose)
    }

    /// - Parameter label: what the bytes belong to; they open under the same label only.
    /// - Returns: nonce, sealed bytes, tag.
    package func seal(_ bytes: Span<UInt8>, label: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let nonce = try SecureRandom.bytes(SealingKey.nonceLength)
        var sealed = [UInt8](repeating: 0, count: bytes.count)
        var tag = [UInt8](repeating: 0, count: SealingKey.tagLength)
        let isSealed = try run(encrypting: true, nonce, bytes, label, into: &sealed, &tag)
        guard isSealed else { throw .unavailable("EVP_EncryptFinal_ex") }
        return nonce + sealed + tag
    }

    /// Seals a secret behind a text that is none; `openPair` takes them apart.
    package func seal(_ text: Span<UInt8>, with secret: Secret, label: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let length = UInt32(clamping: text.count)
        var bytes = (0..<SealingKey.lengthSize).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + text.array
        let start = bytes.count
        bytes += [UInt8](repeating: 0, count: secret.count)
        // Unsafe: both are as long as is copied, and lent within the call.
        unsafe secret.withBytes { secret in
            unsafe bytes.withUnsafeMutableBytes { unsafe $0[start...].copyBytes(from: secret) }
        }
        defer { unsafe OPENSSL_cleanse(&bytes, bytes.count) }
        return try seal(bytes.span, label: label)
    }

    /// - Returns: nil for what this key did not seal under this label, or what was changed since.
    package func open(_ sealed: Span<UInt8>, label: Span<UInt8>) throws(CryptoError) -> Secret? {
        guard var bytes = try openPublic(sealed, label: label) else { return nil }
        defer { unsafe OPENSSL_cleanse(&bytes, bytes.count) }
        return Secret(bytes)
    }

    /// A text, and the secret that was sealed with it.
    /// - Returns: nil for what this key did not seal so under this label, or what was changed since.
    package func openPair(_ sealed: Span<UInt8>, label: Span<UInt8>) throws(CryptoError) -> (
        text: [UInt8], secret: Secret
    )? {
        guard var bytes = try openPublic(sealed, label: label) else { return nil }
        defer { unsafe OPENSSL_cleanse(&bytes, bytes.count) }
        guard bytes.count >= SealingKey.lengthSize else { return nil }
        let length = bytes[..<SealingKey.lengthSize].reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - SealingKey.lengthSize else { return nil }
        let end = SealingKey.lengthSize + length
        return (Array(bytes[SealingKey.lengthSize..<end]), Secret(bytes.span.extracting(end..<bytes.count)))
    }

    /// Bytes of the length of a text before its secret.
    private static let lengthSize = 4

    /// What is no secret.
    /// - Returns: nil for what this key did not seal under this label, or what was changed since.
    package func openPublic(_ sealed: Span<UInt8>, label: Span<UInt8>) throws(CryptoError) -> [UInt8]? {
        guard sealed.count >= SealingKey.overhead else { return nil }
        let end = sealed.count - SealingKey.tagLength
        let nonce = sealed.extracting(0..<SealingKey.nonceLength).array
        var tag = sealed.extracting(end..<sealed.count).array
        var bytes = [UInt8](repeating: 0, count: end - SealingKey.nonceLength)
        let body = sealed.extracting(SealingKey.nonceLength..<end)
        return try run(encrypting: false, nonce, body, label, into: &bytes, &tag) ? bytes : nil
    }

    /// - Parameter tag: what is written when bytes are sealed, and compared when they are opened.
    /// - Returns: whether the tag is right.
    private func run(
        encrypting: Bool, _ nonce: [UInt8], _ input: Span<UInt8>, _ label: Span<UInt8>, into output: inout [UInt8],
        _ tag: inout [UInt8]
    ) throws(CryptoError) -> Bool {
        // Unsafe: the context is freed here; OpenSSL reads and writes buffers of the lengths that it is told, within the calls.
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .unavailable("EVP_CIPHER_CTX_new") }
        defer {
            unsafe EVP_CIPHER_CTX_free(context)
            ERR_clear_error()
        }
        let direction: Int32 = encrypting ? 1 : 0
        let isReady = unsafe key.withBytes { key in
            unsafe EVP_CipherInit_ex(
                context, EVP_aes_256_gcm(), nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, direction)
                == 1
        }
        guard isReady else { throw .unavailable("EVP_CipherInit_ex") }
        var length: Int32 = 0
        var rest = [UInt8](repeating: 0, count: SealingKey.tagLength)
        let tagLength = Int32(SealingKey.tagLength)
        if !encrypting, unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tagLength, &tag) != 1 {
            throw .unavailable("EVP_CTRL_AEAD_SET_TAG")
        }
        let isRead = unsafe label.withUnsafeBufferPointer { label in
            unsafe input.withUnsafeBufferPointer { input in
                unsafe EVP_CipherUpdate(context, nil, &length, label.baseAddress, Int32(clamping: label.count)) == 1
                    && EVP_CipherUpdate(context, &output, &length, input.baseAddress, Int32(clamping: input.count)) == 1
            }
        }
        guard isRead else { throw .unavailable("EVP_CipherUpdate") }
        guard unsafe EVP_CipherFinal_ex(context, &rest, &length) == 1 else { return false }
        if encrypting, unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tagLength, &tag) != 1 {
            throw .unavailable("EVP_CTRL_AEAD_GET_TAG")
        }
        return true
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<key>" }
    package var debugDescription: String { "<key>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
