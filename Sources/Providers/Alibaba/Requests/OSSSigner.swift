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

    /// A key that signs by version 4, and the moment of the signature.
    package struct V4 {
        let key: ScopedKey
        /// Seconds since 1970.
        let moment: Int64
        /// The token of a temporary key: visible ASCII.
        let token: [UInt8]?

        package init(_ key: ScopedKey, at moment: Int64, token: [UInt8]? = nil) {
            self.key = key
            self.moment = moment
            self.token = token
        }
    }
}
