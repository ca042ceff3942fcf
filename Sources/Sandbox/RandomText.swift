import Bytes
import Crypto

/// Text that nobody can foresee.
enum RandomText {
    /// Letters and digits, each as likely as any other.
    static func alphanumeric(_ count: Int) throws(CryptoError) -> [UInt8] {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        // The largest multiple of 62 that a byte can be below; what is not below it would favour some characters.
        let limit = 248
        var text: [UInt8] = []
        text.reserveCapacity(count)
        while text.count < count {
            for byte in try SecureRandom.bytes(count) where Int(byte) < limit && text.count < count {
                text.append(characters[Int(byte) % characters.count])
            }
        }
        return text
    }

    /// As the vendor writes a request's identifier: a UUID of version 4 in upper case.
    static func requestID() throws(CryptoError) -> [UInt8] {
        var bytes = try SecureRandom.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text: [UInt8] = []
        for (index, byte) in Hex.encode(bytes).enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(byte >= UInt8(ascii: "a") ? byte & ~0x20 : byte)
        }
        return text
    }
}
