import Bytes
import Crypto

/// API keys and secrets that an attacker would try without having seen the configuration: they are refused.
package enum GuessableKeys {
    /// Bits that an API key needs, so that nobody can try them all.
    private static let leastStrength = 128

    /// Why an API key is weak, in words that follow "the key"; nil for one that is not. How random it is cannot be seen: only how
    /// many keys of its length and characters there are at most.
    package static func weakness(ofAPIKey key: [UInt8]) -> String? {
        if let kind = kind(of: Secret(key)) { return "is made of \(kind.text)" }
        let ranges: [(characters: ClosedRange<UInt8>, count: Int)] = [
            (0x30...0x39, 10), (0x41...0x5A, 26), (0x61...0x7A, 26),
        ]
        var alphabet = ranges.filter { key.contains(where: $0.characters.contains) }.reduce(0) { $0 + $1.count }
        if key.contains(where: { byte in !ranges.contains { $0.characters.contains(byte) } }) { alphabet += 32 }
        let bits = key.count * (Int.bitWidth - max(0, alphabet - 1).leadingZeroBitCount)
        guard bits < leastStrength else { return nil }
        return "is too short: \(key.count) such characters are at most \(bits) bits, and it needs \(leastStrength)"
    }

    /// What such a key is, to say so without the key itself.
    enum Kind {
        case empty, sample, common, monotonous

        var text: String {
            switch self {
            case .empty: "the empty text, which anybody can send"
            case .sample: "a sample key of documentation, which everybody can read"
            case .common: "one of the thousand commonest passwords, which everybody tries first"
            case .monotonous: "few different bytes, or of a short pattern again and again, which is soon tried"
            }
        }
    }

    /// What documentation shows, or tells to replace: ours, that of libraries, and RFC 7515 (A.1).
    private static let samples = [
        "test", "your-secret", "your-secret-key", "your_secret_key", "your_jwt_secret", "my-secret",
        "my-secret-key", "mysecret", "mysecretkey", "supersecret", "super-secret", "super-secret-key", "jwt-secret",
        "change-me", "changeit", "your-256-bit-secret", "your-384-bit-secret", "your-512-bit-secret",
        "a-string-secret-at-least-256-bits-long",
        "a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long",
        "0123456789", "0123456789abcdef", "0123456789ABCDEF", "abcdefghijklmnopqrstuvwxyz",
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
    ]

    private static let words: [(text: [UInt8], kind: Kind)] = {
        let common = CommonPasswords.text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        return samples.map { (Array($0.utf8), .sample) } + common.map { (Array($0), .common) }
    }()

    /// Which of some digests are those of guessable keys.
    /// - Parameter digests: SHA-256 of API keys.
    static func find(among digests: Set<[UInt8]>) throws(CryptoError) -> [[UInt8]: Kind] {
        guard !digests.isEmpty else { return [:] }
        var found: [[UInt8]: Kind] = [:]
        for (text, kind) in [([], .empty)] + words {
            let digest = try Digest(.sha256, of: text.span).bytes.array
            if digests.contains(digest), found[digest] == nil { found[digest] = kind }
        }
        return found
    }

    /// How an attacker would guess a secret, also where it is repeated or padded until it is long enough; nil for no way.
    static func kind(of secret: Secret) -> Kind? {
        if secret.isMonotonous { return .monotonous }
        return words.first { secret.isMade(of: $0.text.span) }?.kind
    }
}
