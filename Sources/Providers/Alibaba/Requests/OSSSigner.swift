import Bytes
import Crypto

/// What signs for OSS.
package enum OSSSigner {
    /// A key that signs by version 1.
    package struct V1 {
        let key: SigningKey
        /// The token of a temporary key: visible ASCII.
        let token: [UInt8]?

        package init(_ key: SigningKey, token: [UInt8]? = nil) {
            self.key = key
            self.token = token
        }
    }
}
