import Bytes
import Crypto

/// A key that signs by version 4, and the moment of the signature.
package struct V4Signer {
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
