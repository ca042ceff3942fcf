import COpenSSL

/// Random bytes that nobody can foresee, from OpenSSL's generator.
package enum SecureRandom {
    package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try fill(&bytes)
        return bytes
    }

    /// Overwrites each byte with a random one.
    static func fill(_ bytes: inout [UInt8]) throws(CryptoError) {
        // Unsafe: OpenSSL writes as many bytes as there are, within the call.
        guard let count = Int32(exactly: bytes.count), unsafe RAND_bytes(&bytes, count) == 1 else {
            throw .unavailable("RAND_bytes")
        }
    }

    /// Letters and digits, each as likely as any other.
    package static func alphanumerics(_ count: Int) throws(CryptoError) -> [UInt8] {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        // The largest multiple of 62 that a byte can be below; what is not below it would favour some characters.
        let limit = 248
        var text: [UInt8] = []
        text.reserveCapacity(count)
        while text.count < count {
            for byte in try bytes(count) where Int(byte) < limit && text.count < count {
                text.append(characters[Int(byte) % characters.count])
            }
        }
        return text
    }
}
