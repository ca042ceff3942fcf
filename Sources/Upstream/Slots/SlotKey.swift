import Providers

/// What a credential is remembered under: the SHA-256 of everything that shaped the answer (R17).
package struct SlotKey: Sendable, Hashable {
    let words: (UInt64, UInt64, UInt64, UInt64)

    package static func == (one: SlotKey, other: SlotKey) -> Bool { one.words == other.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

extension SlotKey {
    package init(_ key: CredentialKey) { self.init(words: key.words) }
}
