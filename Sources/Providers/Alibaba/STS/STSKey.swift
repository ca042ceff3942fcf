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
package final class STSKey {
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

    /// A temporary key, as RRSA and ECS metadata give it.
    package convenience init(_ scheme: STSScheme, _ credential: STSCredential) throws(CryptoError) {
        try self.init(
            scheme, accessKeyID: credential.accessKeyID, secret: credential.secret,
            securityToken: credential.securityToken)
    }
}

extension STSKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<key \(accessKeyID.text)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
