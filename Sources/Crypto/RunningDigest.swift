import COpenSSL

/// A digest of bytes that come one piece after the other.
@safe package final class RunningDigest {
    // Unsafe: a context of OpenSSL's (EVP_MD_CTX), held by nobody else and freed by deinit; what it reads and writes is lent for the
    // call, and no digest is longer than the 32 bytes of a Digest.
    private let context: OpaquePointer
    private let algorithm: DigestAlgorithm

    package init(_ algorithm: DigestAlgorithm) throws(CryptoError) {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .unavailable("EVP_MD_CTX_new") }
        unsafe self.context = context
        self.algorithm = algorithm
        try begin()
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package func update(_ bytes: Span<UInt8>) throws(CryptoError) {
        let done = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        guard done == 1 else { throw .unavailable("EVP_DigestUpdate") }
    }

    /// The digest of all that came; then it begins anew.
    package func finish() throws(CryptoError) -> Digest {
        var digest = Digest(count: algorithm.length)
        var storage = digest.storage
        let done = {
            var span = storage.mutableSpan
            return unsafe span.withUnsafeMutableBufferPointer { output in
                unsafe EVP_DigestFinal_ex(context, output.baseAddress, nil)
            }
        }()
        guard done == 1 else { throw .unavailable("EVP_DigestFinal_ex") }
        digest.storage = storage
        try begin()
        return digest
    }

    private func begin() throws(CryptoError) {
        guard unsafe EVP_DigestInit_ex(context, algorithm.implementation, nil) == 1 else {
            throw .unavailable("EVP_DigestInit_ex")
        }
    }
}
