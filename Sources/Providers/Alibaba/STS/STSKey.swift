import Bytes
import Crypto

/// How calls to STS are signed; a credential's `signature`.
package enum STSScheme: String, CaseIterable, Sendable {
    /// ACS3-HMAC-SHA256.
    case acs3
    /// RPC 1.0, HMAC-SHA1.
    case rpc
}

/// A key with which the service itself asks STS, ready to sign. Each event loop has its own.
package final class STSKey: DerivedKey {
    package let accessKeyID: [UInt8]
    /// What belongs to the key where it is itself a temporary one; as secret as the key.
    let securityToken: [UInt8]?
    package let scheme: STSScheme
    let code: HMACKey

    package init(
        _ scheme: STSScheme, accessKeyID: [UInt8], secret: Secret, securityToken: [UInt8]? = nil
    ) throws(CryptoError) {
        self.scheme = scheme
        self.accessKeyID = accessKeyID
        self.securityToken = securityToken
        switch scheme {
        case .acs3: code = try HMACKey(.sha256, secret)
        case .rpc: code = try RPCSignature.key(secret)
        }
    }

    /// What a key signs with, made when it signs for the first time.
    static func kept(by key: SigningKey, _ scheme: STSScheme) throws(CryptoError) -> STSKey {
        if let kept = key.derived as? STSKey, kept.scheme == scheme { return kept }
        let made = try STSKey(
            scheme, accessKeyID: key.accessKey, secret: key.secret, securityToken: key.securityToken)
        key.derived = made
        return made
    }
}

extension STSKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<key \(accessKeyID.text)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
