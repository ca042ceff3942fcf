import COpenSSL

/// The output of a hash function: up to 32 bytes, held in place.
package struct Digest: Sendable {
    var storage = InlineArray<32, UInt8>(repeating: 0)
    package private(set) var count: Int

    init(count: Int) { self.count = count }

    /// 32 zeros: where a chain of digests begins.
    package static let zero = Digest(count: 32)

    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.span.extracting(0..<count) }
    }

    /// Compares in a time that does not depend on the content.
    package func constantTimeEquals(_ other: Digest) -> Bool {
        bytes.constantTimeEquals(other.bytes)
    }
}

extension Digest {
    // Unsafe: OpenSSL reads and writes what is lent for the call; no digest is longer than the 32 bytes that there are.

    /// A digest that was computed elsewhere, such as an API key's from the configuration; nil unless it has 20 or 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 20 || bytes.count == 32 else { return nil }
        self.init(count: bytes.count)
        for index in bytes.indices { storage[index] = bytes[index] }
    }

    /// The digest of a secret with `bytes` behind it, for protocols that make do without HMAC.
    package init(
        _ algorithm: DigestAlgorithm, of secret: Secret, followedBy bytes: Span<UInt8>
    ) throws(CryptoError) {
        self.init(count: algorithm.length)
        guard let context = unsafe EVP_MD_CTX_new() else { throw .unavailable("EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        var storage = self.storage
        let done = unsafe bytes.withUnsafeBytes { input in
            var span = storage.mutableSpan
            return unsafe span.withUnsafeMutableBufferPointer { output in
                unsafe EVP_DigestInit_ex(context, algorithm.implementation, nil) == 1
                    && secret.withBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) } == 1
                    && EVP_DigestUpdate(context, input.baseAddress, input.count) == 1
                    && EVP_DigestFinal_ex(context, output.baseAddress, nil) == 1
            }
        }
        guard done else { throw .unavailable("EVP_DigestFinal_ex") }
        self.storage = storage
    }

    /// The digest of `bytes`.
    package init(_ algorithm: DigestAlgorithm, of bytes: Span<UInt8>) throws(CryptoError) {
        self.init(count: algorithm.length)
        var storage = self.storage
        var written: UInt32 = 0
        let done = unsafe bytes.withUnsafeBytes { input in
            var span = storage.mutableSpan
            return unsafe span.withUnsafeMutableBufferPointer { output in
                unsafe EVP_Digest(
                    input.baseAddress, input.count, output.baseAddress, &written, algorithm.implementation, nil)
            }
        }
        guard done == 1 else { throw .unavailable("EVP_Digest") }
        self.storage = storage
    }
}
