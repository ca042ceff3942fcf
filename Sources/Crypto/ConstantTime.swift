import COpenSSL

extension Span<UInt8> {
    /// Compares in a time that does not depend on the content; the lengths are not secret.
    package func constantTimeEquals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // Unsafe: both are lent for the call, and as long as each other.
        return unsafe withUnsafeBytes { mine in
            unsafe other.withUnsafeBytes {
                unsafe CRYPTO_memcmp(mine.baseAddress, $0.baseAddress, mine.count) == 0
            }
        }
    }
}
