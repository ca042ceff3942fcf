import Bytes

/// One condition of a policy's statement: an operator, a key, and the values of which one must fit, or for `Not…` none.
struct PolicyCondition: Sendable {
    private let name: String
    /// In lower case.
    private let key: [UInt8]
    private let values: [[UInt8]]

    /// - Parameter block: `{ "StringLike": { "oss:Prefix": ["a/*"] } }`
    static func all(_ block: JSONValue?) -> [PolicyCondition] {
        guard case .object(let operators)? = block?.content else { return [] }
        return operators.flatMap { entry -> [PolicyCondition] in
            guard case .object(let keys) = entry.value.content else { return [] }
            return keys.map {
                PolicyCondition(
                    name: entry.name.text, key: $0.name.map(\.lowercasedASCII),
                    values: IssuedSessionPolicy.texts($0.value))
            }
        }
    }

    /// - Parameter context: what is known of the request: keys in lower case.
    /// - Returns: nil where the sandbox knows neither the operator nor the key.
    func holds(in context: [NameValue]) -> Bool? {
        guard let comparison = PolicyCondition.comparisons[name] else { return nil }
        guard PolicyCondition.keys.contains(key.text) else { return nil }
        guard let actual = context.first(where: { $0.name == key })?.value else { return comparison.isNegative }
        return values.contains { comparison.fits(actual, $0) } != comparison.isNegative
    }

    private struct Comparison: Sendable {
        var isNegative = false
        /// The request's value, then the policy's.
        let fits: @Sendable ([UInt8], [UInt8]) -> Bool
    }

    /// The keys that the sandbox knows of requests.
    private static let keys: Set<String> = [
        "oss:prefix", "oss:delimiter", "acs:sourceip", "acs:securetransport", "acs:currenttime", "acs:useragent",
    ]

    private static let comparisons: [String: Comparison] = [
        "StringEquals": Comparison { $0 == $1 },
        "StringNotEquals": Comparison(isNegative: true) { $0 == $1 },
        "StringEqualsIgnoreCase": Comparison { $0.map(\.lowercasedASCII) == $1.map(\.lowercasedASCII) },
        "StringNotEqualsIgnoreCase": Comparison(isNegative: true) {
            $0.map(\.lowercasedASCII) == $1.map(\.lowercasedASCII)
        },
        "StringLike": Comparison { Wildcard.matches($1, $0) },
        "StringNotLike": Comparison(isNegative: true) { Wildcard.matches($1, $0) },
        "Bool": Comparison { $0 == $1.map(\.lowercasedASCII) },
        "IpAddress": Comparison { isWithin($0, $1) },
        "NotIpAddress": Comparison(isNegative: true) { isWithin($0, $1) },
        "DateEquals": Comparison { compare($0, $1) { $0 == $1 } },
        "DateNotEquals": Comparison(isNegative: true) { compare($0, $1) { $0 == $1 } },
        "DateLessThan": Comparison { compare($0, $1) { $0 < $1 } },
        "DateLessThanEquals": Comparison { compare($0, $1) { $0 <= $1 } },
        "DateGreaterThan": Comparison { compare($0, $1) { $0 > $1 } },
        "DateGreaterThanEquals": Comparison { compare($0, $1) { $0 >= $1 } },
    ]

    private static func isWithin(_ address: [UInt8], _ block: [UInt8]) -> Bool {
        guard let address = IPAddress(address.span), let block = AddressBlock(block.text) else { return false }
        return block.contains(address)
    }

    /// Times such as `2026-01-01T00:00:00Z`; others fit nothing.
    private static func compare(_ one: [UInt8], _ other: [UInt8], _ fits: (Int64, Int64) -> Bool) -> Bool {
        guard let one = ISO8601.parse(one.span), let other = ISO8601.parse(other.span) else { return false }
        return fits(one, other)
    }
}
