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
}

extension KeyPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<key \(accessKey.text)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
