import Bytes

/// The part of a grant that knows the vendor: it reads the grant's fields that its route has. It is made once, when the
/// configuration is compiled, and does no input or output. Its kind says what it issues, and how: `TokenIssuer` signs here.
package protocol Issuer: Sendable {
    /// What in the ask the clauses of these fields do not admit; nil when they admit all of it. Bucket and key are judged elsewhere.
    func objection(to ask: borrowing Ask) -> Objection?

    /// Why the vendor's own rules do not let this key or prefix be signed for the ask; nil when they do.
    /// - Parameter key: the bytes that will be signed, templates filled in; `ask.key` may be another. `ObjectKeyRule` holds for
    ///   it, and it is not empty.
    func objection(toKey key: Span<UInt8>, of ask: borrowing Ask) -> Objection?

    /// Why the vendor's own rules do not let the caller have this name there, or what the ask says of it; nil when they do.
    /// - Parameter name: `vendorName`, filled in.
    func objection(toVendorName name: Span<UInt8>, of ask: borrowing Ask) -> Objection?

    /// The name that the caller has with the vendor, rendered into the permit (R14); nil for none.
    var vendorName: KeyTemplate? { get }

    /// What the end of the caller's own credential means for what is issued.
    var callersEnd: CallersEnd { get }

    /// Whether what is issued never ends. A caller whose own credential ends does not get it.
    var neverEnds: Bool { get }

    /// Whether it signs asks from which the vendor's request cannot be read (`Ask.obscurity`).
    var takesObscure: Bool { get }

    /// Clauses that this grant does not have enforced, though other grants of its route can (R18); `check` and `explain` list them.
    var unenforced: [Enforcement] { get }

    /// What the grant says that is allowed, but hardly meant, each beginning with the field's name; `check` warns of it.
    var doubts: [String] { get }
}

extension Issuer {
    package func objection(toKey key: Span<UInt8>, of ask: borrowing Ask) -> Objection? { nil }
    package func objection(toVendorName name: Span<UInt8>, of ask: borrowing Ask) -> Objection? { nil }
    package var vendorName: KeyTemplate? { nil }
    package var callersEnd: CallersEnd { .shortens }
    package var neverEnds: Bool { false }
    package var takesObscure: Bool { false }
    package var unenforced: [Enforcement] { [] }
    package var doubts: [String] { [] }
}

/// What it means that the caller's own credential ends before what is issued would.
package enum CallersEnd: Sendable {
    /// What is issued ends with it (R5); what the vendor sets the end of (`Ask.End.fixed`) is not issued.
    case shortens
    /// Nothing is issued (R17).
    case denies
    /// Nothing.
    case ignored
}

/// A clause of a grant that does not admit what is asked.
package struct Objection: Sendable {
    /// The clause's stable name, such as `verb` or `keyPrefix`.
    package let clause: StaticString
    /// Whether what is asked lies outside what the grant says at the clause, which would be right then.
    let isOutside: Bool
    /// What the grant gives instead, where the caller may know (`GET /grants` tells it).
    package var granted: [UInt8]?
    /// The caller's value that is at fault, such as `claims.tenant`; empty for none.
    private let value: [UInt8]
    /// The character of this value that is at fault; nil for none.
    private let character: Unicode.Scalar?
    /// Why, without the value's name.
    package let reason: StaticString

    package init(
        _ clause: StaticString, _ reason: StaticString, value: [UInt8] = [], character: Unicode.Scalar? = nil
    ) {
        self.clause = clause
        self.value = value
        self.character = character
        self.reason = reason
        isOutside = false
    }

    /// For an ask outside what the grant says at the clause. The caller is told that behind the reason, if `GET /grants` tells it.
    package init(outside clause: StaticString, _ reason: StaticString) {
        self.clause = clause
        self.reason = reason
        value = []
        character = nil
        isOutside = true
    }

    /// Why, and what would be right; of the caller's values at most one character.
    package var words: String {
        let found = character.map { "has the character \(String($0).visible), and " } ?? ""
        return value.isEmpty ? reason.description : "\(value.text) \(found)\(reason)"
    }
}
