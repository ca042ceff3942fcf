import Bytes

/// What a caller's token says of it, as far as grants look at it.
package struct CallerClaims: Sendable {
    package enum Value: Sendable {
        case single(ClaimValue)
        case list([ClaimValue])

        /// - Returns: nil for what conditions cannot be about, such as a list of which one element is no `ClaimValue`.
        init?(_ value: JSONValue) {
            if case .array(let elements) = value.content {
                let values = elements.compactMap(ClaimValue.init)
                guard values.count == elements.count else { return nil }
                self = .list(values)
            } else {
                guard let value = ClaimValue(value) else { return nil }
                self = .single(value)
            }
        }
    }

    let entries: [(name: [UInt8], value: Value)]
    /// For each claim that no condition can be about, what it is, such as `a number`. Tickets do not carry these.
    private let others: [(name: [UInt8], kind: StaticString)]

    package static let none = CallerClaims([])

    /// - Parameter entries: no two of one name.
    package init(
        _ entries: [(name: [UInt8], value: Value)], others: [(name: [UInt8], kind: StaticString)] = []
    ) {
        self.entries = entries
        self.others = others
    }

    /// Those of the claims that conditions can be about, and that have one of these names.
    init(_ claims: [JSONMember], named names: Set<[UInt8]>) {
        let looked = claims.filter { names.contains($0.name) }
        self.init(
            looked.compactMap { claim in Value(claim.value).map { (claim.name, $0) } },
            others: looked.filter { Value($0.value) == nil }.map { ($0.name, $0.value.kind) })
    }

    /// Why there is no value of a claim that a grant could look at, in words; nil where there is one.
    func absence(of name: [UInt8]) -> String? {
        guard self[name] == nil else { return nil }
        guard let kind = others.first(where: { $0.name == name })?.kind else {
            return "the token has no claim \(name.text)"
        }
        return "the claim \(name.text) is \(kind), and only strings, whole numbers, booleans and lists of these count"
    }

    /// The claim of this name; nil where there is none that conditions can be about.
    subscript(name: [UInt8]) -> Value? {
        for entry in entries where entry.name == name { return entry.value }
        return nil
    }

    func adding(_ more: [(name: [UInt8], value: Value)]) -> CallerClaims {
        CallerClaims(more + entries, others: others)
    }

    /// The claim of this name, if it is one string.
    func text(_ name: [UInt8]) -> [UInt8]? {
        if case .single(.text(let text))? = self[name] { text } else { nil }
    }
}

/// A condition that a grant puts on its callers: one of these values must be in the claim.
package struct ClaimCondition: Sendable {
    package let name: [UInt8]
    package let values: [ClaimValue]
    /// Whether a string is a list of words (RFC 8693 section 4.2).
    let isWords: Bool

    package init(name: [UInt8], values: [ClaimValue]) {
        self.name = name
        self.values = values
        isWords = ["scope", "scp"].contains { $0.utf8.elementsEqual(name) }
    }

    /// Whether no caller meets both conditions, unless its claim is a list.
    func excludes(_ other: ClaimCondition) -> Bool {
        name == other.name && !isWords && Set(values).isDisjoint(with: other.values)
    }

    func holds(for claims: CallerClaims) -> Bool {
        switch claims[name] {
        case .single(.text(let text)) where isWords:
            text.split(separator: UInt8(ascii: " ")).contains { values.contains(.text(Array($0))) }
        case .single(let value): values.contains(value)
        case .list(let list): list.contains { values.contains($0) }
        case nil: false
        }
    }
}

extension JSONValue {
    /// What it is, in words.
    fileprivate var kind: StaticString {
        switch content {
        case .null: "null"
        case .boolean: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list of other things than strings"
        case .object: "an object"
        }
    }

    /// One string or a list of strings.
    var texts: [[UInt8]]? {
        if let text { return [text] }
        guard case .array(let elements) = content else { return nil }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }
}
