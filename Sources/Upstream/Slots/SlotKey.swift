import Crypto
import Providers

/// What a credential is remembered under: the SHA-256 of everything that shaped the answer (R17).
package struct SlotKey: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Nil unless there are 32 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        func word(_ place: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in (place * 8)..<(place * 8 + 8) { word = word << 8 | UInt64(bytes[index]) }
            return word
        }
        words = (word(0), word(1), word(2), word(3))
    }

    package init(_ key: CredentialKey) { words = key.words }

    /// Nil unless the digest is a SHA-256.
    package init?(_ digest: Digest) { self.init(digest.bytes) }

    package static func == (one: SlotKey, other: SlotKey) -> Bool { one.words == other.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}
