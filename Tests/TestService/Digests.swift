import COpenSSL

/// MD5 (RFC 1321), SHA-1 (RFC 3174), SHA-256 (RFC 6234) and HMAC (RFC 2104) as OpenSSL has them, without the room `Crypto`, so that
/// nothing that signs is checked by itself.
enum Digests {
    static func md5(_ message: [UInt8]) -> [UInt8] { digest(EVP_md5(), message) }
    static func sha1(_ message: [UInt8]) -> [UInt8] { digest(EVP_sha1(), message) }
    static func sha256(_ message: [UInt8]) -> [UInt8] { digest(EVP_sha256(), message) }

    static func hmacSHA1(key: [UInt8], _ message: [UInt8]) -> [UInt8] { hmac(EVP_sha1(), key, message) }
    static func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] { hmac(EVP_sha256(), key, message) }

    static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func digest(_ algorithm: OpaquePointer?, _ message: [UInt8]) -> [UInt8] {
        output { EVP_Digest(message, message.count, $0, &$1, algorithm, nil) == 1 }
    }

    private static func hmac(_ algorithm: OpaquePointer?, _ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        output { HMAC(algorithm, key, CInt(key.count), message, message.count, $0, &$1) != nil }
    }

    /// What `compute` has written, and how many bytes it says that is.
    private static func output(_ compute: (UnsafeMutablePointer<UInt8>, inout UInt32) -> Bool) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { bytes, count in
            var written: UInt32 = 0
            let isDone = bytes.baseAddress.map { compute($0, &written) } ?? false
            precondition(isDone, "OpenSSL has no digest")
            count = Int(written)
        }
    }
}
