import Bytes
import Crypto

/// The cluster's key for one purpose: what is sealed by it, and what is opened by it or by the key before.
struct SharedKey: Sendable {
    private let key: SealingKey
    private let previous: SealingKey?

    init(_ settings: ClusterSettings, for purpose: StaticString) throws(CryptoError) {
        key = try SealingKey(settings.key, for: purpose)
        previous = try settings.previousKey.map { secret throws(CryptoError) in try SealingKey(secret, for: purpose) }
    }

    /// - Parameter label: what the value belongs to; it opens under the same label only.
    func seal(_ text: Span<UInt8>, label: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        try key.seal(text, label: label)
    }

    /// The same with a secret.
    func seal(_ text: Span<UInt8>, with secret: Secret, label: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        try key.seal(text, with: secret, label: label)
    }

    /// - Parameter open: opens the value by one key; nil where that has not sealed it.
    /// - Returns: what was sealed, and whether by the key before; nil for what neither has sealed.
    func open<Opened>(
        _ open: (SealingKey) throws(CryptoError) -> Opened?
    ) throws(CryptoError) -> (opened: Opened, isOld: Bool)? {
        if let opened = try open(key) { return (opened, false) }
        guard let previous, let opened = try open(previous) else { return nil }
        return (opened, true)
    }
}
