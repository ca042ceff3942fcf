import Bytes

/// A vendor's key as it is given: what it is called, what it signs with, and what has to be sent along.
package struct KeyPair: Sendable {
    /// The public half.
    package let accessKey: [UInt8]
    package let secret: Secret
    /// What belongs to a key that is itself a temporary one; as secret as the key.
    package let securityToken: [UInt8]?

    package init(accessKey: [UInt8], secret: Secret, securityToken: [UInt8]? = nil) {
        self.accessKey = accessKey
        self.secret = secret
        self.securityToken = securityToken
    }

    /// The same pair with what belongs to it as to a temporary one; nil if that is not 1 to 16,384 visible ASCII characters, as
    /// header fields hold them.
    package func with(token: Secret) -> KeyPair? {
        // Unsafe: the bytes are lent for the call.
        let text = unsafe token.withBytes { unsafe [UInt8]($0) }
        guard (1...16_384).contains(text.count), text.allSatisfy(\.isVisible) else { return nil }
        return KeyPair(accessKey: accessKey, secret: secret, securityToken: text)
    }
}

extension KeyPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<\(securityToken == nil ? "" : "temporary ")key \(accessKey.text)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
