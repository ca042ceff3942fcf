import COpenSSL

/// Random bytes that nobody can foresee, from OpenSSL's generator.
package enum SecureRandom {
    package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, Int32(clamping: count)) == 1 else { throw .unavailable("RAND_bytes") }
        return bytes
    }
}
