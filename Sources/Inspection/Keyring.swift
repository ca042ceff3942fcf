import Access
import Crypto
import Providers

/// The configured keys of one provider, by which signatures are checked.
package struct Keyring {
    package struct Entry {
        /// The credential's name.
        package let credential: String
        package let key: SigningKey
        /// The credential's fields.
        package let fields: FieldValues

        package init(credential: String, key: SigningKey, fields: FieldValues) {
            self.credential = credential
            self.key = key
            self.fields = fields
        }
    }

    /// Nil without a configuration.
    package let entries: [Entry]?

    package init(_ entries: [Entry]?) { self.entries = entries }
}
