import Access

/// The fields by which a grant of a route says what it gives (R13): `bucket` where the route has it, and one of `key` and
/// `keyPrefix` where it has them. A route without any gives something of the account as a whole, which is always `unscoped`.
package struct GrantScope: OptionSet, Sendable {
    package static let bucket = GrantScope(rawValue: 1)
    package static let key = GrantScope(rawValue: 2)
    package static let keyPrefix = GrantScope(rawValue: 4)

    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    private static let fields = ScopeFields()

    /// The fields, in the order of `ScopeFields`.
    package var descriptions: [FieldDescription] {
        let fields = GrantScope.fields
        return (contains(.bucket) ? [fields.bucket.description] : [])
            + (contains(.keyPrefix) ? [fields.keyPrefix.description] : [])
            + (contains(.key) ? [fields.key.description, fields.extensions.description] : [])
    }

    /// Whether a grant with these fields says all of it.
    package func isComplete(in values: FieldValues) -> Bool {
        let fields = GrantScope.fields
        let hasKey = values[fields.key] != nil || values[fields.keyPrefix] != nil
        return !isEmpty && (!contains(.bucket) || values[fields.bucket] != nil)
            && (isDisjoint(with: [.key, .keyPrefix]) || hasKey)
    }

    /// What a grant must have, in words: `bucket and key or keyPrefix`; empty where there is nothing that it could.
    package var words: String {
        let keys = [contains(.key) ? "key" : nil, contains(.keyPrefix) ? "keyPrefix" : nil].compactMap(\.self)
        let fields = [contains(.bucket) ? "bucket" : nil, keys.isEmpty ? nil : keys.joined(separator: " or ")]
        return fields.compactMap(\.self).joined(separator: " and ")
    }
}
