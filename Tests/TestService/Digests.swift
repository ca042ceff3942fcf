import Foundation

/// MD5 (RFC 1321), SHA-1 (RFC 3174), SHA-256 (RFC 6234) and HMAC (RFC 2104), written for the tests alone, so that nothing that signs is
/// checked by itself.
enum Digests {
    static func sha1(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for block in blocks(message) {
            var words = block
            for index in 16..<80 {
                words.append(
                    rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], left: 1))
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for (index, word) in words.enumerated() {
                let (mix, constant): (UInt32, UInt32) =
                    switch index {
                    case 0..<20: (b & c | ~b & d, 0x5A82_7999)
                    case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = rotate(a, left: 5) &+ mix &+ e &+ word &+ constant
                (a, b, c, d, e) = (next, a, rotate(b, left: 30), c, d)
            }
            state = zip(state, [a, b, c, d, e]).map { $0 &+ $1 }
        }
        return bytes(state)
    }

    static func md5(_ message: [UInt8]) -> [UInt8] {
        let shifts = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
        let constants = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        // Its words, and the length behind the message, are little-endian.
        let length = (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> ($0 * 8)) }
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        padded += length
        for start in stride(from: 0, to: padded.count, by: 64) {
            let words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(padded[start + word * 4 + $1]) << UInt32($1 * 8) }
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for index in 0..<64 {
                let (mix, word): (UInt32, Int) =
                    switch index / 16 {
                    case 0: (b & c | ~b & d, index)
                    case 1: (d & b | ~d & c, (5 * index + 1) % 16)
                    case 2: (b ^ c ^ d, (3 * index + 5) % 16)
                    default: (c ^ (b | ~d), (7 * index) % 16)
                    }
                let sum = a &+ mix &+ constants[index] &+ words[word]
                (a, b, c, d) = (d, b &+ rotate(sum, left: UInt32(shifts[index / 16][index % 4])), b, c)
            }
            state = zip(state, [a, b, c, d]).map { $0 &+ $1 }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32($0 * 8)) } }
    }

    static func sha256(_ message: [UInt8]) -> [UInt8] {
        var state = roots(of: 8, exponent: 1.0 / 2)
        for block in blocks(message) {
            var w = block
            for index in 16..<64 {
                let (x, y) = (w[index - 15], w[index - 2])
                let low = rotate(x, left: 25) ^ rotate(x, left: 14) ^ x >> 3
                let high = rotate(y, left: 15) ^ rotate(y, left: 13) ^ y >> 10
                w.append(w[index - 16] &+ low &+ w[index - 7] &+ high)
            }
            var s = state
            for index in 0..<64 {
                let high = rotate(s[4], left: 26) ^ rotate(s[4], left: 21) ^ rotate(s[4], left: 7)
                let choice = s[4] & s[5] ^ ~s[4] & s[6]
                let first = s[7] &+ high &+ choice &+ constants[index] &+ w[index]
                let low = rotate(s[0], left: 30) ^ rotate(s[0], left: 19) ^ rotate(s[0], left: 10)
                let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
                s = [first &+ low &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
            }
            state = zip(state, s).map { $0 &+ $1 }
        }
        return bytes(state)
    }

    static func hmacSHA1(key: [UInt8], _ message: [UInt8]) -> [UInt8] { hmac(sha1, key, message) }
    static func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] { hmac(sha256, key, message) }

    static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    private static func hmac(_ digest: ([UInt8]) -> [UInt8], _ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let short = key.count > 64 ? digest(key) : key
        let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
        return digest(padded.map { $0 ^ 0x5C } + digest(padded.map { $0 ^ 0x36 } + message))
    }

    private static func rotate(_ word: UInt32, left count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

    /// The message with its padding, in blocks of sixteen big-endian words.
    private static func blocks(_ message: [UInt8]) -> [[UInt32]] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: (message.count * 8) >> shift))
        }
        return stride(from: 0, to: padded.count, by: 64).map { start in
            (0..<16).map { word in
                padded[(start + word * 4)..<(start + word * 4 + 4)].reduce(0) { $0 << 8 | UInt32($1) }
            }
        }
    }

    private static func bytes(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    private static let constants = roots(of: 64, exponent: 1.0 / 3)

    /// The first 32 bits of the fractions of the square or cube roots of the first primes, which is where SHA-256's
    /// constants come from.
    private static func roots(of count: Int, exponent: Double) -> [UInt32] {
        var primes: [Int] = []
        var candidate = 2
        while primes.count < count {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { prime in
            let root = pow(Double(prime), exponent)
            return UInt32((root - root.rounded(.down)) * 4_294_967_296)
        }
    }
}
