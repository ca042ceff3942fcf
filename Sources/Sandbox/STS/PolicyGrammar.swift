import Bytes

/// The grammar of a session policy, as far as a text alone can break it (RAM's document of policy structure).
enum PolicyGrammar {
    /// In UTF-16 code units, which is how the vendor's platform counts characters.
    static let maximumLength = 2048

    /// Whether it is strict JSON of version "1" with at least one statement, and nothing that is no part of a policy.
    static func admits(_ text: [UInt8]) -> Bool {
        guard let policy = try? JSONReader.read(text, as: .json), let members = members(of: policy),
            members.allSatisfy({ ["Version", "Statement"].contains($0.name.text) }),
            let version = policy["Version"], isText(version, { $0.elementsEqual("1".utf8) }),
            case .array(let statements)? = policy["Statement"]?.content
        else { return false }
        return !statements.isEmpty && statements.allSatisfy(isStatement)
    }

    /// Effect, actions, resources, and perhaps conditions; no principal, which only trust and bucket policies have.
    private static func isStatement(_ statement: JSONValue) -> Bool {
        let known = ["Effect", "Action", "NotAction", "Resource", "NotResource", "Condition"]
        guard let members = members(of: statement), members.allSatisfy({ known.contains($0.name.text) }),
            let effect = statement["Effect"], isText(effect, { ["Allow", "Deny"].contains($0.text) }),
            let actions = one(of: statement["Action"], statement["NotAction"]), isList(actions, of: isAction),
            let resources = one(of: statement["Resource"], statement["NotResource"]),
            isList(resources, of: isResource)
        else { return false }
        return statement["Condition"].map(isCondition) ?? true
    }

    /// `*` or `<service>:<action>`, either with wildcards.
    private static func isAction(_ text: [UInt8]) -> Bool {
        if text.elementsEqual("*".utf8) { return true }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Array.init)
        return parts.count == 2 && parts.allSatisfy { ByteSet.word.union("*?").contains(all: $0, length: 1...128) }
    }

    /// `*` or `acs:<service>:<region>:<account>:<what>`
    private static func isResource(_ text: [UInt8]) -> Bool {
        if text.elementsEqual("*".utf8) { return true }
        let parts = text.split(
            separator: UInt8(ascii: ":"), maxSplits: 4, omittingEmptySubsequences: false
        ).map(Array.init)
        guard parts.count == 5, parts[0].elementsEqual("acs".utf8), !parts[4].isEmpty else { return false }
        return ByteSet.label.union("*").contains(all: parts[1], length: 1...64)
            && parts[2...3].allSatisfy { ByteSet.label.union("*").contains(all: $0, length: 0...64) }
    }

    /// `{ "<operator>": { "<key>": value or values } }`
    private static func isCondition(_ condition: JSONValue) -> Bool {
        guard let operators = members(of: condition) else { return false }
        return operators.allSatisfy { entry in
            guard PolicyCondition.isOperator(entry.name), let keys = members(of: entry.value) else { return false }
            return !keys.isEmpty && keys.allSatisfy { isConditionKey($0.name) && isConditionValue($0.value) }
        }
    }

    /// `<service>:<name>`, perhaps with a tag's key behind it.
    private static func isConditionKey(_ name: [UInt8]) -> Bool {
        let parts = name.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }

    private static func isConditionValue(_ value: JSONValue) -> Bool {
        switch value.content {
        case .string, .number, .boolean: true
        case .array(let values):
            !values.isEmpty
                && values.allSatisfy {
                    switch $0.content {
                    case .string, .number, .boolean: true
                    case .array, .object, .null: false
                    }
                }
        case .object, .null: false
        }
    }

    // MARK: Shapes

    private static func members(of value: JSONValue) -> [JSONMember]? {
        guard case .object(let members) = value.content else { return nil }
        return members
    }

    private static func one(of first: JSONValue?, _ second: JSONValue?) -> JSONValue? {
        guard let first else { return second }
        return second == nil ? first : nil
    }

    private static func isText(_ value: JSONValue, _ admits: ([UInt8]) -> Bool) -> Bool {
        guard case .string(let text) = value.content else { return false }
        return admits(text)
    }

    /// One text, or an array of at least one.
    private static func isList(_ value: JSONValue, of admits: ([UInt8]) -> Bool) -> Bool {
        guard case .array(let values) = value.content else { return isText(value, admits) }
        return !values.isEmpty && values.allSatisfy { isText($0, admits) }
    }
}
