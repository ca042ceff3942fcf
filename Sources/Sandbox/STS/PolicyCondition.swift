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

    /// Whether there is such an operator (RAM's document of conditional operators), by itself or for keys of several values.
    static func isOperator(_ name: [UInt8]) -> Bool {
        let prefix = ["ForAnyValue:", "ForAllValues:"].first { name.starts(with: $0.utf8) } ?? ""
        let plain = Array(name.dropFirst(prefix.utf8.count)).text
        return comparisons[plain] != nil || numeric.contains(plain)
    }

    /// - Parameter context: what is known of the request: keys in lower case.
    /// - Returns: nil where the sandbox does not know the operator or the key, or the operator cannot read a value.
    func holds(in context: [NameValue]) -> Bool? {
        guard let comparison = PolicyCondition.comparisons[name] else { return nil }
        guard PolicyCondition.keys.contains(key.text) else { return nil }
        guard let actual = context.first(where: { $0.name == key })?.value else { return comparison.isNegative }
        var fits = false
        for value in values {
            guard let isFit = comparison.fits(actual, value) else { return nil }
            fits = fits || isFit
        }
        return fits != comparison.isNegative
    }

    private struct Comparison: Sendable {
        var isNegative = false
        /// The request's value, then the policy's; nil where either is nothing that can be compared so.
        let fits: @Sendable ([UInt8], [UInt8]) -> Bool?
    }

    /// Operators for numbers: no key that the sandbox knows is one.
    private static let numeric = Set(
        ["Equals", "NotEquals", "LessThan", "LessThanEquals", "GreaterThan", "GreaterThanEquals"].map { "Numeric\($0)" }
    )

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
        "Bool": Comparison { isSame($0, $1) },
        "IpAddress": Comparison { isWithin($0, $1) },
        "NotIpAddress": Comparison(isNegative: true) { isWithin($0, $1) },
        "DateEquals": Comparison { compare($0, $1) { $0 == $1 } },
        "DateNotEquals": Comparison(isNegative: true) { compare($0, $1) { $0 == $1 } },
        "DateLessThan": Comparison { compare($0, $1) { $0 < $1 } },
        "DateLessThanEquals": Comparison { compare($0, $1) { $0 <= $1 } },
        "DateGreaterThan": Comparison { compare($0, $1) { $0 > $1 } },
        "DateGreaterThanEquals": Comparison { compare($0, $1) { $0 >= $1 } },
    ]

    private static func isSame(_ flag: [UInt8], _ other: [UInt8]) -> Bool? {
        let (flag, other) = (flag.map(\.lowercasedASCII).text, other.map(\.lowercasedASCII).text)
        return ["true", "false"].contains(flag) && ["true", "false"].contains(other) ? flag == other : nil
    }

    private static func isWithin(_ address: [UInt8], _ block: [UInt8]) -> Bool? {
        guard let address = IPAddress(address.span), let block = AddressBlock(block.text) else { return nil }
        return block.contains(address)
    }

    private static func compare(_ one: [UInt8], _ other: [UInt8], _ fits: (Int64, Int64) -> Bool) -> Bool? {
        guard let one = moment(one), let other = moment(other) else { return nil }
        return fits(one, other)
    }

    /// Seconds since 1970 of `2026-01-01T08:00:00+08:00` or `2026-01-01T00:00:00Z`.
    private static func moment(_ text: [UInt8]) -> Int64? {
        guard text.count > 20 else { return ISO8601.parse(text.span) }
        let local = Array(text.prefix(19)) + [UInt8(ascii: "Z")]
        guard text.count == 25, text[22] == UInt8(ascii: ":"),
            let sign: Int64 = [UInt8(ascii: "+"): -60, UInt8(ascii: "-"): 60][text[19]],
            let hours = Decimal.field(text.span, 20..<22), hours < 24,
            let minutes = Decimal.field(text.span, 23..<25), minutes < 60,
            let seconds = ISO8601.parse(local.span)
        else { return nil }
        return seconds + sign * Int64(hours * 60 + minutes)
    }
}
