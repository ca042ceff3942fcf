import Bytes
import Crypto

/// A key pair that may call the sandbox: what a RAM user's access key is to the vendor.
package struct SandboxCaller: Sendable {
    package let accessKeyID: [UInt8]
    package let secret: Secret
    /// What must come with temporary credentials; nil for a user's own.
    package let securityToken: [UInt8]?

    package init(accessKeyID: [UInt8], secret: Secret, securityToken: [UInt8]? = nil) {
        self.accessKeyID = accessKeyID
        self.secret = secret
        self.securityToken = securityToken
    }
}
