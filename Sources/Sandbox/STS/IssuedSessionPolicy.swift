import Bytes

/// What a session may do: the statements of the policy that `AssumeRole` was asked with, by which the vendor narrows what the role may
/// (RAM's document of policy structure). The sandbox's roles may do everything.
struct IssuedSessionPolicy: Sendable {
    /// What somebody wants to do.
    struct Question {
        /// `oss:PutObject`
        let action: [UInt8]
        /// `acs:oss:oss-cn-hangzhou:1234567890123456:bucket/key`
        let resource: [UInt8]
        /// What conditions can ask for: keys in lower case.
        let context: [NameValue]
    }

    enum Verdict {
        case allowed
        /// No statement allows it.
        case implicitDeny
        /// A statement denies it, whatever others say.
        case explicitDeny
    }

    private struct Statement {
        let isAllow: Bool
        let actions: [[UInt8]]
        let excludesActions: Bool
        let resources: [[UInt8]]
        let excludesResources: Bool
        let conditions: [PolicyCondition]

        func covers(_ question: Question) -> Bool {
            let action = question.action.map(\.lowercasedASCII)
            let hasAction = actions.contains { Wildcard.matches($0.map(\.lowercasedASCII), action) }
            let hasResource = resources.contains { Statement.isNamed(question.resource, by: $0) }
            guard hasAction != excludesActions, hasResource != excludesResources else { return false }
            // A condition that is not understood allows nothing, and keeps nothing from being denied.
            return conditions.allSatisfy { $0.holds(in: question.context) ?? !isAllow }
        }

        /// Part by part, so that a `*` for the region or the account ends there: a key may have colons, too.
        private static func isNamed(_ resource: [UInt8], by pattern: [UInt8]) -> Bool {
            if pattern.elementsEqual("*".utf8) { return true }
            let (patterns, texts) = (parts(pattern), parts(resource))
            return patterns.count == texts.count && zip(patterns, texts).allSatisfy(Wildcard.matches)
        }

        /// `acs`, service, region, account, and what it is about.
        private static func parts(_ resource: [UInt8]) -> [[UInt8]] {
            resource.split(separator: UInt8(ascii: ":"), maxSplits: 4, omittingEmptySubsequences: false).map(Array.init)
        }
    }

    private let statements: [Statement]

    /// - Parameter text: a policy that `PolicyGrammar` admits; nil comes back for any other.
    init?(_ text: [UInt8]) {
        guard let policy = try? JSONReader.read(text, as: .json), case .array(let list)? = policy["Statement"]?.content
        else { return nil }
        statements = list.map { statement in
            Statement(
                isAllow: statement["Effect"]?.text?.elementsEqual("Allow".utf8) ?? false,
                actions: IssuedSessionPolicy.texts(statement["Action"] ?? statement["NotAction"]),
                excludesActions: statement["Action"] == nil,
                resources: IssuedSessionPolicy.texts(statement["Resource"] ?? statement["NotResource"]),
                excludesResources: statement["Resource"] == nil,
                conditions: PolicyCondition.all(statement["Condition"]))
        }
    }

    func judge(_ question: Question) -> Verdict {
        let covering = statements.filter { $0.covers(question) }
        if covering.contains(where: { !$0.isAllow }) { return .explicitDeny }
        return covering.isEmpty ? .implicitDeny : .allowed
    }

    /// One text, or those of an array.
    static func texts(_ value: JSONValue?) -> [[UInt8]] {
        switch value?.content {
        case .string(let text): [text]
        case .boolean(let flag): [Array((flag ? "true" : "false").utf8)]
        case .number(let number): [number.text]
        case .array(let values): values.flatMap { texts($0) }
        case .object, .null, nil: []
        }
    }
}

/// Patterns in which `*` stands for any bytes and `?` for any one character.
enum Wildcard {
    static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var (patternIndex, textIndex) = (0, 0)
        // Behind the last star, and where the text was then: the star takes one more byte each time the rest does not match.
        var retry: (pattern: Int, text: Int)?
        while textIndex < text.count {
            if patternIndex < pattern.count, pattern[patternIndex] == UInt8(ascii: "*") {
                patternIndex += 1
                retry = (patternIndex, textIndex)
            } else if patternIndex < pattern.count, pattern[patternIndex] == UInt8(ascii: "?") {
                patternIndex += 1
                textIndex = end(ofCharacterAt: textIndex, in: text)
            } else if patternIndex < pattern.count, pattern[patternIndex] == text[textIndex] {
                patternIndex += 1
                textIndex += 1
            } else if let last = retry {
                retry = (last.pattern, last.text + 1)
                (patternIndex, textIndex) = (last.pattern, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[patternIndex...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Behind a character of UTF-8.
    private static func end(ofCharacterAt index: Int, in text: [UInt8]) -> Int {
        var end = index + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
