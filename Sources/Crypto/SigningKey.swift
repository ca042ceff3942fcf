import Bytes

/// One of a vendor's key pairs, ready to sign. Each event loop has its own.
package final class SigningKey {
    /// The public half, which tells the vendor whose key it is.
    package let accessKey: [UInt8]
    /// HMAC-SHA1 under the secret key.
    package let sha1: HMACKey
    /// HMAC-SHA256 under the secret key.
    package let sha256: HMACKey
    /// The secret key itself, for protocols that derive from it what they sign with.
    package let secret: Secret
    /// What belongs to the key where it is a temporary one, and goes along with whatever it signs.
    package let securityToken: [UInt8]?
    /// What a protocol has derived from the secret, and signs with for a while.
    package var derived: (any DerivedKey)?

    package init(accessKey: [UInt8], secret: Secret, securityToken: [UInt8]? = nil) throws(CryptoError) {
        self.accessKey = accessKey
        self.securityToken = securityToken
        sha1 = try HMACKey(.sha1, secret)
        sha256 = try HMACKey(.sha256, secret)
        self.secret = secret
    }
}

/// What a protocol signs with instead of the key that it comes from.
package protocol DerivedKey {}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<key \(accessKey.text)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
