import Bytes
import Crypto

/// Text that nobody can foresee.
enum RandomText {
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
